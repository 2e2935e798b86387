"""Functions of Triton, by check() and record(), and what is left of the stand-in driver."""

import contextlib
import errno
import importlib.util
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
    from triton.compiler.code_generator import CodeGenerator
    from triton.compiler.compiler import ASTSource
    from triton.runtime import driver

    if "nccl_ts" in CodeGenerator.visit.__module__ + ASTSource.hash.__module__:
        return False
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


def tile(rank, mem):
    """Reads a tile of 2 rows and 8 columns from the next rank's 3 rows of 16."""
    from triton.tools.tensor_descriptor import TensorDescriptor

    data = mem.symmetric("data", [float(i + 100 * rank) for i in range(48)], "float32")
    out = mem.zeros("out", 16)
    other = (rank + 1) % mem.ranks
    source = TensorDescriptor(At(data, other), [3, 16], [16, 1], [2, 8])
    mem.expect(out, [float(16 * row + column + 100 * other) for row in (1, 2) for column in range(8, 16)])
    return [source, TensorDescriptor(out, [2, 8], [8, 1], [2, 8])]


class At:
    """A buffer of another rank."""

    def __init__(self, buffer, rank):
        self.dtype = buffer.dtype
        self.data_ptr = lambda: buffer.at(rank)


@pytest.mark.skipif(triton.__version__ < "3.4", reason="this Triton has no descriptors of the host")
def test_descriptors_of_the_host_are_tensor_maps():
    report = nccl_ts.check(kernels.move_tile, ranks=2, grid=1, args=tile, launches=1, num_warps=1)
    assert report.verdict == "clean", report.text
    source, *_ = report.program["worlds"][0]["programs"][0]["args"]
    assert source["tensorMap"]["base"] == {"memory": "data", "rank": 1, "offset": 0}
    assert (source["tensorMap"]["shape"], source["tensorMap"]["strides"]) == ([16, 3], [64])


def test_descriptors_that_the_driver_fills_are_tensor_maps():
    from nccl_ts import _triton
    from nccl_ts._memory import Allocations, Memory

    mem = Memory(Allocations(2), 1)
    data = mem.empty("data", 4096, "float16")
    _triton._driver.utils.fill_2d_tma_descriptor(data.at(0, 64), 8, 128, 4, 128, 2, 4096)

    class Filled:
        def tma_desc_cpu_ptr(self):
            return 4096

    values = []
    _triton._flatten(["nvTmaDesc"], [Filled()], ["tile"], values, iter(()))
    assert _triton.argument_of(mem, *values[0])["tensorMap"] == {
        "base": {"memory": "data", "rank": 0, "offset": 64},
        "type": "u16",
        "shape": [128, 8],
        "strides": [256],
        # A copy has at most 128 bytes of a row, and Triton makes several.
        "box": [64, 4],
        "swizzle": "128B",
    }


def test_assembly_whose_lines_have_places_stays_as_it_is():
    from nccl_ts._asm_lines import with_lines_of_assembly

    ptx = "\t.loc\t2 50 8\n\t// begin inline asm\n\t{\n\t.reg .b32 %a;\n\nHERE\tmov.b32 %a, 1;\n}\n\t// end inline asm\n\tret;\n"
    newer = ptx.replace("HERE", "\t.loc\t2 52 8\n")
    assert with_lines_of_assembly(newer) == newer
    counted = ptx.replace("HERE", "\t.loc\t2 53 8\n").replace("\tret", "\t.loc\t2 50 8\n\tret")
    assert with_lines_of_assembly(ptx.replace("HERE", "")) == counted


def test_the_host_writes_between_launches():
    def args(rank, mem, launch):
        data, out = mem.symmetric("data", [0, 1, 2, 3], "float32"), mem.zeros("out", 4)
        if launch == 1:
            mem.write(data, [10, 11, 12, 13])
        mem.expect(out, [11, 12, 13, 14])
        return [data, out, 4]

    assert nccl_ts.check(kernels.add, ranks=1, local=True, grid=1, args=args, BLOCK=4, num_warps=1).verdict == "clean"


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


def test_lines_of_assembly_are_counted_from_its_call():
    def launcher(rank, mem):
        kernels.store_in_assembly[(1,)](Address(mem.zeros("flag", 1, "uint32").at(0)), num_warps=1)
        kernels.add[(1,)](FloatAddress(mem.zeros("data", 4).at(0)), FloatAddress(mem.empty("out", 4).at(0)), 4, 4, num_warps=1)

    places = {line for finding in recorded(launcher).findings for file, line in finding.places}
    text = Path(kernels.__file__).read_text().split("\n")
    call = 1 + text.index("def store_in_assembly(target):") + 1
    assert "tl.inline_asm_elementwise(" in text[call - 1]
    # The text begins one line after its call, which nothing in PTX tells.
    assert call + 3 in places and text[call + 3].strip() == "st.global.b32 [$1], %one;"


def test_a_copy_of_a_file_has_its_own_lines(tmp_path):
    places = set()
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        file = tmp_path / folder / "copied.py"
        file.write_text(Path(kernels.__file__).read_text())
        spec = importlib.util.spec_from_file_location(f"copied_{folder}", file)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)

        def launcher(rank, mem):
            module.add[(1,)](mem.empty("data", 4), mem.empty("out", 4), 4, 4, num_warps=1)

        places |= {place for place, _ in recorded(launcher, local=True).findings[0].places}
    assert places == {str(tmp_path / "first" / "copied.py"), str(tmp_path / "second" / "copied.py")}


def test_a_launcher_that_raises_leaves_no_driver():
    def launcher(rank, mem):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        recorded(launcher)
    assert untouched()


def test_a_full_disk_is_an_error_and_leaves_no_driver():
    def launcher(rank, mem):
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(nccl_ts.NcclTsError, match="No space left on device: compiled kernels are kept in") as caught:
        recorded(launcher)
    assert caught.value.code == "NCCL_SYSTEM_ERROR"
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
