"""Word lists of general English: what kind of thing a noun names, and words the rules treat alike."""

from __future__ import annotations


def word_set(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


_PERSON = """
academic accountant activist actor actress administrator admiral adviser advisor ambassador analyst announcer
anthropologist archaeologist archbishop architect artist astronaut astronomer athlete attorney author bailiff banker
baron baroness bartender bassist biographer biologist bishop blogger bodybuilder boxer boy brother businessman
businesswoman captain cartoonist ceo cfo chairman chairperson chairwoman chancellor character chef chemist chief child
choreographer cinematographer clergyman coach collector colonel columnist comedian commander commissioner composer
conductor contralto correspondent councillor counsel count countess cousin cricketer critic cto curator cyclist dancer
daughter dean deputy designer diplomat director disciple doctor dramatist driver drummer duchess duke earl economist
editor educator emperor empress engineer entrepreneur envoy executive explorer father filmmaker financier footballer
founder friend gangster general geneticist geologist girl governor granddaughter grandfather grandmother grandson
guitarist headmaster heir hero heroine historian host humorist husband illustrator industrialist instructor inventor
investor jockey journalist judge jurist justice keyboardist king knight lawyer leader lecturer librarian lieutenant
linguist lord lyricist magician magistrate man manager mathematician mayor mentor merchant minister missionary model
monarch mother musician neighbour nephew neurologist niece noble nobleman novelist nun nurse officer owner painter
parent partner pastor pathologist patriot patron performer person philanthropist philosopher photographer physician
physicist pianist pilot pioneer pitcher player playwright poet policeman politician pope preacher premier presenter
president priest prince princess principal producer professor programmer prosecutor protagonist psychiatrist
psychologist publisher pupil quarterback queen racer rapper recipient rector referee reporter researcher retailer
ruler sailor saxophonist scholar scientist screenwriter sculptor secretary senator sergeant sheriff singer sister
skater soldier solicitor son songwriter soprano spokesman spokesperson spokeswoman spouse statesman student successor
superhero superintendent surgeon surveyor swimmer teacher technician tenor theologian theorist trainer translator
treasurer trustee tutor uncle veteran villain violinist vocalist warrior widow widower wife winner woman wrestler
writer
"""
_ORGANIZATION = """
academy agency airline alliance army association authority band bank battalion brand brewery brigade broadcaster
bureau business cabinet carmaker chain choir church club college commission committee company conglomerate congress
consortium constructor cooperative corporation council court denomination department developer distillery division duo
dynasty employer ensemble enterprise factory faculty federation firm fleet foundation franchise government group guild
hospital institute institution insurer investor label laboratory league legislature maker manufacturer ministry
monastery multinational navy network newspaper nonprofit office orchestra order organisation organization outfit
parent parliament party practice producer publisher quartet quintet railway regiment registry retailer school seminary
senate society sorority squad startup studio subsidiary supplier syndicate team think-tank tribe trio troupe trust
union university utility workshop
"""
_PLACE = """
airport archipelago area arena arrondissement atoll avenue bay beach borough bridge building burgh canal canton canyon
capital castle cathedral cave cemetery chapel city coast commune community continent country county creek dam desert
district dome estate farm forest fort fortress garden gulf hall hamlet harbor harbour headland hill hotel house island
isle kingdom lake landmark library locality mansion market metropolis mill mine monument mosque mountain municipality
museum nation neighborhood neighbourhood oblast observatory ocean palace parish park pass peak peninsula planet
plateau plaza port prefecture province quarter ranch range region republic reservoir resort restaurant river road
seaport settlement shire shore shrine skyscraper sound square stadium state station strait stream street suburb summit
temple territory theater theatre tower town township tributary tunnel valley venue village volcano ward waterfall
waterway wilderness zone zoo
"""
_WORK = """
album anthem anthology artwork autobiography ballad ballet biography book cartoon comedy comic compilation concerto
cover diary documentary drama ep episode essay fairytale film folktale hymn journal lp magazine manga manuscript
memoir mini-album miniseries movie mural musical novel novella opera painting paper periodical photograph play podcast
poem program programme quarterly rendition report roman screenplay sculpture sequel serial series show single sitcom
soap sonata song soundtrack statue story suite symphony telenovela thriller track treatise trilogy video western
"""
_EVENT = """
battle campaign celebration ceremony championship competition concert conference contest convention cup disaster
earthquake election epidemic exhibition expedition festival fire flood gala game-show incident massacre match olympics
pageant parade race rebellion revolt revolution riot season siege strike summit tournament trial uprising war
"""
_PRODUCT = """
aircraft airliner airplane app application automobile boat browser camera car computer console device drug engine game
gun instrument lens locomotive machine medicine microprocessor microscope missile model motorcycle operating-system
phone processor rifle robot rocket satellite ship software spacecraft submarine system tank telescope tool train
vaccine vehicle vessel videogame watch weapon website
"""
_AWARD = "award medal prize trophy honor honour scholarship fellowship"
_LANGUAGE = "language dialect"

KIND_OF_NOUN: dict[str, str] = {
    noun: kind
    for kind, nouns in (
        ("Language", _LANGUAGE),
        ("Award", _AWARD),
        ("Product", _PRODUCT),
        ("Event", _EVENT),
        ("Work", _WORK),
        ("Organization", _ORGANIZATION),
        ("Place", _PLACE),
        ("Person", _PERSON),
    )
    for word in nouns.split()
    for noun in (word, f"co-{word}")
}

# Last words of names that say the kind by themselves; a wider net would call a person named "Hill" a place.
KIND_OF_NAME_WORD: dict[str, str] = {
    word: kind
    for kind, words in (
        (
            "Organization",
            "inc inc. ltd ltd. llc plc corp corp. corporation company co. gmbh ag foundation association university "
            "college institute academy society orchestra records railway airlines bank group holdings committee "
            "council league party ministry department agency union club team band organization organisation "
            "church school",
        ),
        (
            "Place",
            "city county river lake island islands mountain mountains valley street avenue road airport stadium "
            "bridge castle palace peninsula province park museum hall theatre theater township district region",
        ),
        ("Event", "war battle festival championship championships olympics cup revolution election rebellion"),
        ("Award", "award awards prize medal"),
        ("Work", "symphony sonata concerto"),
        ("Law", "act treaty constitution"),
    )
    for word in words.split()
}

LEGAL_FORMS = word_set("co inc ltd llc plc corp gmbh ag")

HONOURS = word_set(
    "obe mbe cbe kbe dbe om kc qc kcmg cmg kcb cb kcvo cvo cstj phd md esq frs mp mla mba dds dsc dso mc vc"
)
NAME_TAILS = HONOURS | word_set("jr sr ii iii iv")

KIND_OF_LABEL = {
    "PERSON": "Person",
    "ORG": "Organization",
    "GPE": "Place",
    "LOC": "Place",
    "FAC": "Place",
    "WORK_OF_ART": "Work",
    "EVENT": "Event",
    "PRODUCT": "Product",
    "LAW": "Law",
}

# Nouns that name a settlement or area and may stand before its name: "the city of N".
PLACE_CLASSIFIERS = word_set(
    "city town village state county province district island kingdom republic municipality region township parish "
    "borough canton commune suburb port hamlet"
)
# Nouns that an organization's name may stand right before: "N founder".
OFFICE_NOUNS = word_set(
    "founder co-founder cofounder owner chairman chairwoman president director head editor chief executive ceo manager "
    "creator co-creator frontman"
)
# Nouns that must be of something: in "drummer and founder of N" both are N's.
RELATIONAL_NOUNS = OFFICE_NOUNS | word_set(
    "leader publisher capital captain son daughter author drummer guitarist vocalist bassist keyboardist singer "
    "songwriter member host screenwriter producer writer designer principal chancellor dean"
)
PLURAL_IN_FORM = word_set("headquarters series news sports species barracks works")
# Nouns of time and measure tie nothing: "his last season of N", "four miles in N" are no relations.
MEASURE_NOUNS = word_set(
    "year season day month week decade century time period era anniversary age while mile kilometre kilometer km metre "
    "meter foot yard acre hectare percent total"
)
# Nouns that may stand behind a name and mean what it names: "the N group".
GROUP_CLASSIFIERS = word_set("group company band corporation label newspaper magazine network region area county")
GROUP_NOUNS = word_set("band group team duo trio quartet quintet company firm club orchestra ensemble")
BUSINESS_NOUNS = word_set(
    "airline bank brand brewery broadcaster builder business carmaker chain company conglomerate corporation dealer "
    "developer distributor enterprise firm insurer maker manufacturer producer publisher retailer subsidiary supplier"
)
MALE_NOUNS = word_set("actor man husband father son brother king prince uncle nephew businessman chairman")
FEMALE_NOUNS = word_set("actress woman wife mother daughter sister queen princess aunt niece businesswoman chairwoman")
TITLES = word_set(
    "mr mr. mrs mrs. ms ms. dr dr. sir dame lord lady prof prof. professor rev rev. president senator governor mayor "
    "general colonel captain lieutenant sergeant chairman director minister judge justice architect author actor "
    "actress singer writer engineer"
)

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan", "jan."),
            ("february", "feb", "feb."),
            ("march", "mar", "mar."),
            ("april", "apr", "apr."),
            ("may",),
            ("june", "jun", "jun."),
            ("july", "jul", "jul."),
            ("august", "aug", "aug."),
            ("september", "sept", "sept.", "sep", "sep."),
            ("october", "oct", "oct."),
            ("november", "nov", "nov."),
            ("december", "dec", "dec."),
        ),
        start=1,
    )
    for name in names
}
WEEKDAYS = word_set("monday tuesday wednesday thursday friday saturday sunday")
SEASONS = word_set("spring summer autumn fall winter christmas easter")

# Modifiers without which a statement would no longer be true ("former mayor") or would lose its point.
KEPT_MODIFIERS = word_set(
    "former retired late ex then chief vice "
    "deputy acting assistant associate founding managing prime honorary executive proposed planned "
    "potential possible unsuccessful alleged fictional interim senior junior lead first-ever general"
)
# Verbs whose clause is somebody's opinion or plan, not what the passage states.
DOUBT_VERBS = word_set(
    "claim allege deny suggest speculate believe think hope expect argue assume consider doubt fear imagine propose "
    "want wish plan intend seem appear rumor rumour refuse attempt try fail threaten decline"
)
DOUBT_ADVERBS = word_set("allegedly reportedly supposedly possibly probably perhaps maybe nearly almost")
MODALS = word_set("would could may might should can must will shall 'll 'd ca wo ought")
# Prepositions that do not tie the subject to their object by the verb.
LOOSE_PREPOSITIONS = word_set(
    "like unlike than despite without except besides excluding per according regarding concerning until till since "
    "besides of upon amid amidst because due about around before after within throughout versus vs vs. including "
    "such"
)
# Verbs too empty to carry a fact between two names.
EMPTY_VERBS = word_set("say tell ask think mean want try let seem")
# "Came to prominence with the release of": an idiom, not a motion, when a common noun follows.
MOTION_VERBS = word_set("come go get bring")
# Verbs by which a thing gets another name.
NAMING_VERBS = word_set("name rename call title entitle dub nickname term know retitle refer")
REPORTING_VERBS = word_set("say report announce confirm note reveal state write add explain recall")
NEGATIONS = word_set("not n't never n’t no")
