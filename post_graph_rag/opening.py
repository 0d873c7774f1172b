"""What an engine stands on, opened when first needed: the server, the database, the models, the realm."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from post_graph_rag.config import Settings
from post_graph_rag.embedded import EmbeddedServer
from post_graph_rag.errors import ConfigurationError, RealmNotFound, ServerUnavailable
from post_graph_rag.loops import LoopLock
from post_graph_rag.models.call_log import CallLog, Place
from post_graph_rag.models.fit import check_fit, check_prefixes, width_of
from post_graph_rag.models.ping import ping
from post_graph_rag.models.protocols import EmbeddingModel
from post_graph_rag.models.roles import Models, models_from_settings
from post_graph_rag.records import Finding
from post_graph_rag.store.database import Database
from post_graph_rag.store.doctor import examine
from post_graph_rag.store.realms import Realm, ensure_realm, open_realm
from post_graph_rag.store.rights import check_may_write


class Opening:
    """The database, the models and the realm of one engine; nothing is opened before it is asked for.

    calls: where calls made for questions are noted.
    """

    def __init__(self, settings: Settings, connection: Any, models: Models | None) -> None:
        self._settings = settings
        self._connection = connection
        self._models = models
        self._own_models = models is None
        self._server: EmbeddedServer | None = None
        self._database: Database | None = None
        self._realm: Realm | None = None
        # whoever opens first opens for all tasks, or a server would be taken twice
        self._reaching = LoopLock()
        self._looking_up = LoopLock()
        self.calls = CallLog(self._place)

    @property
    def models(self) -> Models:
        """The models the caller gave, or those the settings name. Raises ConfigurationError."""
        if self._models is None:
            self._models = models_from_settings(self._settings)
        return self._models

    @property
    def embedding(self) -> EmbeddingModel | None:
        """The embedding model; None where none is configured, for what can be done without one."""
        return self.models.embedding if self._has_embedding() else None

    async def database(self) -> Database:
        """The database. Raises ConfigurationError when nothing says where it is, ServerUnavailable."""
        async with self._reaching.here():
            if self._database is None:
                dsn = None if self._connection is not None else await self._dsn()
                self._database = Database(
                    dsn,
                    self._connection,
                    pool_size=self._settings.pool_size,
                    statement_cache_size=self._settings.statement_cache_size,
                )
            return self._database

    async def _dsn(self) -> str:
        if self._settings.dsn is not None and (dsn := self._settings.dsn.get_secret_value().strip()):
            return dsn
        if not self._settings.embedded:
            raise ConfigurationError(
                "no database is named: set POST_GRAPH_RAG_DSN, pass dsn=… or connection=…, or ask for the local "
                "server with embedded=True"
            )
        settings = self._settings
        self._server = EmbeddedServer(settings.home, settings.server_dir, settings.keep_running)
        return await self._server.acquire_async()

    async def reach(self) -> None:
        """Reach the server; that the realm is not there yet is no error, that it does not fit our models is one."""
        try:
            await self.existing_realm()
        except RealmNotFound:
            return
        if self._has_embedding():
            await self.fitting_realm()

    def _has_embedding(self) -> bool:
        if self._models is not None:
            return "embedding" in self._models.names
        return self._settings.offline or self._settings.embedding_model is not None

    async def existing_realm(self) -> Realm:
        """The realm, which must be there. Raises RealmNotFound, MigrationNeeded, WidthMismatch."""
        if self._realm is None:
            self._realm = await open_realm(await self.database(), self._settings.realm)
        return self._realm

    async def fitting_realm(self) -> Realm:
        """The realm, which must be there and hold vectors of our embedding model. Raises WidthMismatch too."""
        realm = await self.existing_realm()
        check_fit(realm.info, self.models.embedding)
        check_prefixes(realm.info, self._settings.embedding_query_prefix, self._settings.embedding_passage_prefix)
        return realm

    async def changeable_realm(self) -> Realm:
        """The realm, which must be there and in which this role may write; no model need be configured.

        Raises WidthMismatch where one is that is not the realm's, ReadOnlyServer, RightMissing.
        """
        realm = await (self.fitting_realm() if self._has_embedding() else self.existing_realm())
        await check_may_write(await self.database(), realm)
        return realm

    async def writable_realm(self) -> Realm:
        """The realm, made if need be, in which this role may write. Raises ReadOnlyServer, RightMissing too."""
        realm = await self.realm()
        await check_may_write(await self.database(), realm)
        return realm

    async def realm(self) -> Realm:
        """The realm, made if it is not there yet; its vectors get the width of the embedding model.

        Inside a transaction of the caller's nothing is made: RealmNotFound.
        """
        async with self._looking_up.here():
            return await self._realm_or_new()

    async def _realm_or_new(self) -> Realm:
        try:
            return await self.fitting_realm()
        except RealmNotFound:
            database, model = await self.database(), self.models.embedding
            if database.inside_transaction:
                raise
        width = await width_of(model)
        self._realm = await ensure_realm(
            database,
            self._settings.realm,
            model.name,
            width,
            self._settings.graph,
            self.models.names.get("extraction", ""),
            (self._settings.embedding_query_prefix or "", self._settings.embedding_passage_prefix or ""),
        )
        return await self.fitting_realm()

    def other_embedding(
        self, model: str | EmbeddingModel | None, dimensions: int | None, prefixes: tuple[str | None, str | None]
    ) -> tuple[Settings, Models]:
        """The settings and models that would be ours with another embedding model; None: as it is.

        prefixes: of questions and of passages. Raises ConfigurationError for a model that cannot be had from here.
        """
        settings = self._prefixed(prefixes, other=model not in (None, self._settings.embedding_model))
        if model is not None and not isinstance(model, str):
            _check_width(model, dimensions)
            known = self.models if self._models is not None or self._settings.says_of_models else Models()
            return settings, known.with_embedding(model)
        if model is None and dimensions is None:
            return settings, self.models
        if not self._own_models:
            raise ConfigurationError("this engine was given its models: give reembed the embedding model itself")
        name = model or self._settings.embedding_model
        settings = settings.model_copy(update={"embedding_model": name, "embedding_dimensions": dimensions})
        return settings, _named(settings)

    def _prefixed(self, prefixes: tuple[str | None, str | None], *, other: bool) -> Settings:
        """Our settings with these prefixes; those that they have of their own are not for any other model."""
        said = {"embedding_query_prefix": prefixes[0], "embedding_passage_prefix": prefixes[1]}
        return self._settings.model_copy(update={k: one for k, one in said.items() if other or one is not None})

    @asynccontextmanager
    async def moving_to(self, settings: Settings, models: Models, *, ours: bool) -> AsyncIterator[None]:
        """Go on with these, and with the realm as it is then, once the block has ended well.

        ours: whether the models were made for it, and are to be closed where it has not.
        """
        async with AsyncExitStack() as given_up:
            if ours and models is not self._models:
                given_up.push_async_callback(models.close)
            yield
            given_up.pop_all()
        await self._move_to(settings, models)

    async def _move_to(self, settings: Settings, models: Models) -> None:
        before, self._settings, self._models = self._models, settings, models
        self.forget_realm()
        if self._own_models and before is not None and before is not models:
            await before.close()

    async def examine(self, every: bool) -> list[Finding]:
        """What there is to say of the server, the realm (or every one) and the models; what is missing is said too."""
        return [*await self._examine_database(every), *await self._examine_models()]

    async def _examine_database(self, every: bool) -> list[Finding]:
        try:
            database = await self.database()
        except (ConfigurationError, ServerUnavailable) as error:
            return [Finding(check="server", ok=False, detail=str(error))]
        return await examine(database, None if every else self._settings.realm, self._settings.graph)

    async def _examine_models(self) -> list[Finding]:
        try:
            models = self.models
        except ConfigurationError as error:
            return [Finding(check="models", ok=False, detail=str(error))]
        return await ping(models)

    def _place(self) -> Place:
        """Where calls are written; nothing is opened for it."""
        return None if self._database is None or self._realm is None else (self._database, self._realm)

    def forget_realm(self) -> None:
        """Look the realm up again next time: it was replaced or dropped."""
        self._realm = None

    async def close(self) -> None:
        """Close what this object opened, and leave the local server. May be called again."""
        await self.calls.close()
        database, server, models = self._database, self._server, self._models
        self._database = self._server = self._realm = None
        if self._own_models:
            self._models = None
        if database is not None:
            await database.close()
        if models is not None and self._own_models:
            await models.close()
        if server is not None:
            await asyncio.shield(server.release_async())


def _check_width(model: EmbeddingModel, dimensions: int | None) -> None:
    if dimensions is not None and model.dimensions != dimensions:
        raise ConfigurationError(
            f"{model.name} gives {model.dimensions} dimensions, not {dimensions}: give one of both"
        )


def _named(settings: Settings) -> Models:
    models = models_from_settings(settings)
    made = models.embedding
    if made.name != settings.embedding_model or made.dimensions != settings.embedding_dimensions:
        raise ConfigurationError(
            f"{made.name} is the embedding model here, with its own width: leave out model and dimensions, or "
            "offline=True"
        )
    return models
