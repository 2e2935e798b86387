"""Errors, with the codes that ``nccl-ts explain`` explains."""

from __future__ import annotations


class NcclTsError(Exception):
    """A check could not be done. ``code`` is for ``nccl-ts explain``; ``None`` for wrong usage."""

    def __init__(self, message: str, code: str | None = None) -> None:
        super().__init__(message if code is None else f"error[{code}]: {message}")
        self.code = code
        self.message = message


def misuse(message: str) -> NcclTsError:
    """An error of the caller, as ``NCCL_INVALID_ARGUMENT`` is one of a harness."""
    return NcclTsError(message, "NCCL_INVALID_ARGUMENT")
