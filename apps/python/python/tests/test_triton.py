"""Functions of Triton, by check() and record(), and what is left of the stand-in driver."""

import contextlib
import os
import sys
from pathlib import Path

import nccl_ts
import numpy as np
import pytest

triton = pytest.importorskip("triton")
sys.path.insert(0, str(Path(__file__).parents[3] / "examples" / "triton"))

import kernels_of_triton as kernels  # noqa: E402
from all_reduce import all_reduce  # noqa: E402


def untouched():
    """Whether Triton has its own driver again."""
    from triton.runtime import driver

    return "nccl_ts" not in repr(vars(driver)) and os.environ.get("TRITON_CACHE_DIR") is None


def all_reduce_args(rank, mem, launch):
    data, flags, out = mem.zeros("data", 40), mem.zeros("flags", 4, "uint32"), mem.zeros("out", 40)
    mem.expect(out, [sum(r + i for r in range(mem.ranks)) for i in range(40)])
    return [mem.peers(data), mem.peers(flags), data, out, 40, rank, launch]


def test_the_example_is_clean():
    given = dict(ranks=2, grid=2, args=all_reduce_args, RANKS=2, BLOCK=32, num_warps=1)
    assert nccl_ts.check(all_reduce, **given, options=["--schedules", "2", "--strategy", "random"]).ok
    assert untouched()


def recorded(launcher, **given):
    """record() for launchers that take the memory of a check, which have no torch."""
    from nccl_ts import _record

    real, current = _record._stand_ins, []

    def with_mem(rank):
        return launcher(rank, current[-1].mem)

    @contextlib.contextmanager
    def remember(made):
        current.append(made)
        yield _record.PlainValues(made)

    _record._stand_ins = remember
    try:
        return nccl_ts.record(with_mem, ranks=2, **given)
    finally:
        _record._stand_ins = real


def flags(rank, mem):
    flag = mem.zeros("flag", 1, "uint32")
    kernels.raise_flag[(1,)](Address(flag.at((rank + 1) % mem.ranks)), 1, num_warps=1)
    kernels.await_flag[(1,)](flag, 1, num_warps=1)


class Address:
    """An address, as Triton takes it."""

    dtype = "uint32"

    def __init__(self, number):
        self._number = number

    def data_ptr(self):
        return self._number


class FloatAddress(Address):
    dtype = "float32"


def test_several_kernels_are_recorded_in_order():
    def launcher(rank, mem):
        own, inbox, out = mem.local("own", np.array([1, 2, 3, 4], np.float32)), mem.empty("inbox", 4), mem.empty("out", 4)
        kernels.reverse[(1,)](own, FloatAddress(inbox.at((rank + 1) % mem.ranks)), 4, num_warps=1)
        flags(rank, mem)
        kernels.add[(1,)](inbox, out, 4, 4, num_warps=1)
        return out, [5.0, 4.0, 3.0, 2.0]

    assert recorded(launcher).verdict == "clean"
    assert untouched()


def test_a_missing_meeting_is_a_race_at_the_lines_of_python():
    def launcher(rank, mem):
        own, inbox, out = mem.local("own", np.array([1, 2, 3, 4], np.float32)), mem.empty("inbox", 4), mem.empty("out", 4)
        kernels.reverse[(1,)](own, FloatAddress(inbox.at((rank + 1) % mem.ranks)), 4, num_warps=1)
        kernels.add[(1,)](inbox, out, 4, 4, num_warps=1)

    report = recorded(launcher)
    assert not report.ok
    places = {place for finding in report.findings for place in finding.places}
    text = Path(kernels.__file__).read_text().split("\n")
    lines = {text[line - 1].strip() for _, line in places}
    assert lines <= {"tl.store(far + at, tl.load(own + count - 1 - at))", "1 + tl.load("}
    assert all(Path(file).name == "kernels_of_triton.py" for file, _ in places)


def test_a_launcher_that_raises_leaves_no_driver():
    def launcher(rank, mem):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        recorded(launcher)
    assert untouched()


def test_ranks_that_allocate_differently_are_refused():
    def launcher(rank, mem):
        kernels.add[(1,)](mem.zeros("data", 4 + rank), mem.empty("out", 4), 4, 4, num_warps=1)

    with pytest.raises(nccl_ts.NcclTsError, match="rank 0 and rank 1 allocate different memory"):
        recorded(launcher)


def test_a_launcher_without_launches_is_an_error():
    with pytest.raises(nccl_ts.NcclTsError) as caught:
        recorded(lambda rank, mem: None)
    assert caught.value.code == "NCCLTS_NO_LAUNCH"


def test_a_function_launched_outside_of_a_recording_does_not_use_the_stand_in():
    def launcher(rank, mem):
        kernels.add[(1,)](mem.zeros("data", 4), mem.empty("out", 4), 4, 4, num_warps=1)

    recorded(launcher, local=True)
    with pytest.raises(Exception) as caught:
        kernels.add[(1,)](Address(16), Address(32), 4, 4, num_warps=1)
    assert not isinstance(caught.value, nccl_ts.NcclTsError)
