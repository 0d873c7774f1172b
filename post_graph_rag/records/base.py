"""What all records share."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """Base of all records: immutable, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")
