"""What groups of tasks raise, as the one error a caller can catch."""

from __future__ import annotations

from post_graph_rag.errors import RAGError


def only_error(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The library's error in a group that holds nothing else, or the only error there is; else the group itself."""
    ours, other = group.split(RAGError)
    if ours is not None and other is None:
        return first_error(ours)
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return group if isinstance(error, BaseExceptionGroup) else error


def first_error(errors: BaseExceptionGroup[RAGError]) -> RAGError:
    """The first one, however deep it lies."""
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    assert isinstance(error, RAGError)
    return error
