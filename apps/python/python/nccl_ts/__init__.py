"""Checks GPU kernels that communicate: CUDA C++, PTX and Triton, on simulated ranks, without a GPU."""

from ._check import check
from ._errors import NcclTsError
from ._memory import Buffer, Memory
from ._record import record
from ._report import CheckFailed, Finding, Report

__all__ = ["Buffer", "CheckFailed", "Finding", "Memory", "NcclTsError", "Report", "check", "record"]
