"""English verb forms: just enough to give one predicate to all forms of one verb."""

from __future__ import annotations

import re

# lemma past participle; only verbs whose past and participle differ, or that the regular rule would get wrong.
_IRREGULAR = """
be was been;become became become;begin began begun;bear bore born;beat beat beaten;bite bit bitten;
break broke broken;bring brought brought;build built built;buy bought bought;catch caught caught;choose chose chosen;
come came come;cut cut cut;deal dealt dealt;do did done;draw drew drawn;drive drove driven;eat ate eaten;
fall fell fallen;feed fed fed;fight fought fought;find found found;fly flew flown;forget forgot forgotten;
forbid forbade forbidden;get got got;give gave given;go went gone;grow grew grown;have had had;hear heard heard;
hide hid hidden;hit hit hit;hold held held;keep kept kept;know knew known;lay laid laid;lead led led;leave left left;
lend lent lent;lie lay lain;lose lost lost;make made made;marry married married;meet met met;overcome overcame overcome;
oversee oversaw overseen;overtake overtook overtaken;pay paid paid;put put put;quit quit quit;read read read;
ride rode ridden;ring rang rung;rise rose risen;run ran run;see saw seen;seek sought sought;sell sold sold;
send sent sent;set set set;shake shook shaken;shoot shot shot;show showed shown;shut shut shut;sing sang sung;
sink sank sunk;sit sat sat;speak spoke spoken;spend spent spent;split split split;spread spread spread;
stand stood stood;steal stole stolen;strike struck struck;swear swore sworn;swim swam swum;take took taken;
teach taught taught;tell told told;think thought thought;throw threw thrown;undergo underwent undergone;
undertake undertook undertaken;understand understood understood;
wear wore worn;win won won;wind wound wound;withdraw withdrew withdrawn;
write wrote written
"""
_FORMS = {lemma: (past, participle) for lemma, past, participle in (row.split() for row in _IRREGULAR.split(";"))}
_THIRD = {"be": "is", "have": "has", "do": "does", "go": "goes"}
_VOWELS = "aeiou"
_DOUBLING = re.compile(r"[^aeiou]+[aeiou][^aeiouwxy]")  # one syllable, one short vowel: "stop", "star"


def past(lemma: str) -> str:
    """Simple past: "acquire" gives "acquired"."""
    return _FORMS[lemma][0] if lemma in _FORMS else _regular(lemma)


def participle(lemma: str) -> str:
    """Past participle: "write" gives "written"."""
    return _FORMS[lemma][1] if lemma in _FORMS else _regular(lemma)


def third_person(lemma: str) -> str:
    """Present as said of one: "play" gives "plays"."""
    if lemma in _THIRD:
        return _THIRD[lemma]
    if lemma.endswith(("s", "x", "z", "ch", "sh")):
        return lemma + "es"
    return lemma[:-1] + "ies" if _ends_in_consonant_y(lemma) else lemma + "s"


def _regular(lemma: str) -> str:
    if lemma.endswith("e"):
        return lemma + "d"
    if _DOUBLING.fullmatch(lemma):
        return lemma + lemma[-1] + "ed"
    return lemma[:-1] + "ied" if _ends_in_consonant_y(lemma) else lemma + "ed"


def _ends_in_consonant_y(word: str) -> bool:
    return len(word) > 1 and word[-1] == "y" and word[-2] not in _VOWELS
