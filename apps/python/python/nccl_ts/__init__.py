"""Checks GPU kernels that communicate: CUDA C++, PTX and Triton, on simulated ranks, without a GPU."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._check import check
    from ._errors import NcclTsError
    from ._memory import Buffer, Memory
    from ._record import record
    from ._report import CheckFailed, Finding, Report

__all__ = ["Buffer", "CheckFailed", "Finding", "Memory", "NcclTsError", "Report", "check", "record"]

_MODULES = {
    "Buffer": "_memory",
    "CheckFailed": "_report",
    "Finding": "_report",
    "Memory": "_memory",
    "NcclTsError": "_errors",
    "Report": "_report",
    "check": "_check",
    "record": "_record",
}


def __getattr__(name: str) -> object:
    """Loads a part when it is used first, so that the import costs next to nothing."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    found = getattr(import_module(f".{_MODULES[name]}", __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
