"""A realm with a history: a company's chiefs, whom it came to know one after the other, written by plain SQL."""

from __future__ import annotations

from dataclasses import dataclass, field

import asyncpg

from post_graph_rag.names import name_key
from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import ensure_realm
from post_graph_rag.store.statements import render
from post_graph_rag.testing import ScriptedEmbedding
from tests.integration.retrieve.conftest import DIMENSIONS, REALM
from tests.integration.retrieve.filling import Fact, Filler

CHIEFS = {"Ada": "[2001-01-01,2005-01-01)", "Bo": "[2005-01-01,2010-01-01)", "Cy": "[2010-01-01,)"}
EVENTS = {"Ada": "[2001-01-01,2002-01-01)", "Bo": "[2005-01-01,2006-01-01)", "Cy": "[2010-05-01,2010-06-01)"}


TEXTS = {
    **{name: f"{name} led Acme." for name in ("Ada", "Bo", "Cy", "Eve", "Fox")},
    "Dee": "Dee led Acme in play.",
    "Acme Ltd": "Acme Ltd was led by nobody.",
}


def fill_company(filler: Filler) -> None:
    """Three chiefs one after the other, one adviser whose time is stated, one who never was, one who was forgotten."""
    for name, valid in CHIEFS.items():
        filler.document(f"{name}.md", f"{name} led Acme.", [Fact(name, "led", "Acme", valid=valid)])
    filler.document("Dee.md", "Dee led Acme in play.", [Fact("Dee", "played", "Acme", valid="[2001-01-01,2005-01-01)")])
    filler.document("Eve.md", "Eve led Acme.", [Fact("Eve", "led", "Acme", valid="[2003-01-01,2004-01-01)")])
    filler.document("Fox.md", "Fox led Acme.", [Fact("Fox", "led", "Acme")])
    limited = filler.entity("Acme Ltd", 1, canonical=filler.entity("Acme", 1))
    filler._mention(filler.document("ltd.md", "Acme Ltd was led by nobody."), limited)


@dataclass
class Company:
    """The filled realm, by name."""

    filler: Filler
    script: list[str] = field(default_factory=list)

    def entity(self, name: str) -> int:
        return self.filler.ids["entity", 1, name_key(name)]

    def passage(self, name: str) -> int:
        return self.filler.ids["passage", 1, TEXTS[name]]

    def relation(self, name: str) -> int:
        predicate = "played" if name == "Dee" else "led"
        return self.filler.ids["relation", self.entity(name), predicate, self.entity("Acme"), False]

    def history(self) -> str:
        """Statements that make history of what was filled in: Ada is known from 2021 on, Bo from 2022, Cy from 2023."""
        self._all("mention relation_evidence relation_period document_passage document_version entity_name standing"
                  " entity_presence assertion observation", "2021-01-01")  # fmt: skip
        for name, event in EVENTS.items():
            self._add(f"UPDATE {{record}}.passage SET event = '{event}' WHERE id = {self.passage(name)}")
        self._later("Bo", "2022-01-01")
        self._later("Cy", "2023-01-01")
        self._superseded("Ada", "[2001-01-01,)", "2022-01-01")
        self._superseded("Bo", "[2005-01-01,)", "2023-01-01")
        self._retracted("Eve")
        self._forgotten("Fox", "2022-01-01")
        self._merged()
        return ";".join(self.script)

    def _add(self, statement: str) -> None:
        self.script.append(statement)

    def _all(self, tables: str, since: str) -> None:
        for table in tables.split():
            self._add(f"UPDATE {{record}}.{table} SET recorded = tstzrange('{since}', NULL)")

    def _later(self, name: str, since: str) -> None:
        """The realm learns of somebody after the others."""
        passage, entity, relation = self.passage(name), self.entity(name), self.relation(name)
        for table, where in (
            ("document_passage", f"passage = {passage}"),
            ("mention", f"passage = {passage}"),
            ("relation_evidence", f"passage = {passage}"),
            ("relation_period", f"relation = {relation}"),
            ("entity_presence", f"entity = {entity}"),
            ("entity_name", f"entity = {entity}"),
        ):
            self._add(f"UPDATE {{record}}.{table} SET recorded = tstzrange('{since}', NULL) WHERE {where}")

    def _superseded(self, name: str, before: str, since: str) -> None:
        """A chief is followed by another one, which the realm learns then."""
        relation = self.relation(name)
        self._add(
            "INSERT INTO {record}.relation_period (relation, valid, dated, recorded)"
            f" SELECT relation, '{before}', true, tstzrange(lower(recorded), '{since}')"
            f" FROM {{record}}.relation_period WHERE relation = {relation}"
        )
        self._add(
            f"""UPDATE {{record}}.relation_period SET recorded = tstzrange('{since}', NULL), closed_by =
            '{{"cause": "superseded"}}' WHERE relation = {relation} AND upper_inf(recorded)"""
        )
        self._not_current(3, "relation", relation)

    def _retracted(self, name: str) -> None:
        relation = self.relation(name)
        self._add(
            f"""UPDATE {{record}}.relation_period SET retracted = true, closed_by = '{{"cause": "override"}}'
            WHERE relation = {relation}"""
        )
        self._not_current(3, "relation", relation)

    def _forgotten(self, name: str, at: str) -> None:
        """A document is withdrawn, and with it the entity and the fact only it had."""
        passage, entity, relation = self.passage(name), self.entity(name), self.relation(name)
        for table, where in (
            ("document_passage", f"passage = {passage}"),
            ("mention", f"passage = {passage}"),
            ("relation_evidence", f"passage = {passage}"),
            ("relation_period", f"relation = {relation}"),
            ("entity_presence", f"entity = {entity}"),
            ("entity_name", f"entity = {entity}"),
        ):
            self._add(f"UPDATE {{record}}.{table} SET recorded = tstzrange(lower(recorded), '{at}') WHERE {where}")
        self._not_current(1, "passage", passage)
        self._not_current(3, "relation", relation)
        self._not_current(2, "entity", entity, self.filler.ids["entity_name", entity, name])

    def _not_current(self, kind: int, name: str, number: int, posted: int | None = None) -> None:
        self._add(f"UPDATE {{{name}_vector}} SET current = false WHERE id = {number}")
        self._add(f"UPDATE {{record}}.posting SET current = false WHERE kind = {kind} AND id = {posted or number}")
        if name != "passage":
            self._add(f"UPDATE {{record}}.{name} SET current = false WHERE id = {number}")

    def _merged(self) -> None:
        """Acme Ltd stood for itself until 2022."""
        limited, acme = self.entity("Acme Ltd"), self.entity("Acme")
        self._add(
            f"INSERT INTO {{record}}.entity_presence VALUES ({limited}, tstzrange('2021-01-01', '2022-01-01'));"
            f"INSERT INTO {{entity_vector}} SELECT {limited}, space, false, embedding FROM {{entity_vector}}"
            f" WHERE id = {acme};"
            f"UPDATE {{record}}.standing SET recorded = tstzrange('2022-01-01', NULL)"
        )


async def make_company(dsn: str) -> Filler:
    """The company's realm, in an empty database; all that is written of it is known by the filler's ids."""
    database = Database(dsn)
    realm = await ensure_realm(database, REALM, "scripted-embedding", DIMENSIONS, "none")
    filler = Filler(realm, ScriptedEmbedding(DIMENSIONS))
    fill_company(filler)
    await filler.flush(dsn)
    connection = await asyncpg.connect(dsn)
    await connection.execute(render("SET TimeZone = 'UTC';" + Company(filler).history(), realm.names))
    await connection.close()
    await database.close()
    return filler
