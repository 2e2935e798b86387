"""Launches of Triton's functions, compiled to PTX without a GPU.

A driver of our own stands in for Triton's while launches are recorded. It is one object for the whole
process, because functions keep the launcher that they had first.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import struct
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Sequence

from ._asm_lines import with_lines_of_assembly
from ._errors import NcclTsError, misuse
from ._kernels import Extent, Kernels, KernelShape
from ._memory import Allocations, Buffer, Memory, size_of
from ._values import element_name

#: A device that no machine has, so that Triton's own caches of functions are not mixed with ours.
_DEVICE = 1 << 20
_ARCH = 90
_SCALARS = {"fp16": "<e", "fp32": "<f", "fp64": "<d"}

#: A parameter's type by Triton, its value and its name.
Value = tuple[str, Any, str]

#: Gets the kernel, the grid, the arguments, and the stream.
Listener = Callable[[KernelShape, Any, list[Value], int], None]


class _Utils:
    def __init__(self) -> None:
        #: Descriptors of Triton before 3.4, by the address of the structure that the driver would fill.
        self.maps: dict[int, _Map] = {}

    def fill_1d_tma_descriptor(self, base: int, size: int, box: int, element: int, at: int) -> None:
        self.maps[at] = _Map(base, f"u{8 * element}", [size], [1], [box], "none")

    def fill_2d_tma_descriptor(
        self, base: int, rows: int, columns: int, box_rows: int, box_columns: int, element: int, at: int
    ) -> None:
        # Triton's own driver decides so; a wide box is copied in parts of 128 bytes.
        width = element * box_columns
        swizzle = "128B" if width >= 128 else "64B" if width >= 64 else "32B"
        box = [box_rows, min(box_columns, 128 // element)]
        self.maps[at] = _Map(base, f"u{8 * element}", [rows, columns], [columns, 1], box, swizzle)

    def load_binary(self, name: str, kernel: bytes, shared: int, device: int) -> tuple[Any, ...]:
        ptx = kernel.decode() if isinstance(kernel, bytes) else kernel
        # Triton 3.3 takes four values, and later ones five. A module of None is never unloaded.
        return (None, ptx, 0, 0, 1024)[: 5 if _driver.takes_threads else 4]

    def get_device_properties(self, device: int) -> dict[str, int]:
        return {
            "max_shared_mem": 227 * 1024,
            "max_num_regs": 65536,
            "multiprocessor_count": 132,
            "warpSize": 32,
            "sm_clock_rate": 1_755_000,
            "mem_clock_rate": 2_619_000,
            "mem_bus_width": 5120,
        }

    def set_printf_fifo_size(self, size: int) -> None:
        pass

    def unload_module(self, module: Any) -> None:
        pass


class _Launcher:
    """Stands in for the launcher of a compiled function."""

    def __init__(self, src: Any, metadata: Any) -> None:
        self._types = list(src.signature.values())
        self._metadata = metadata
        self._names = [str(one) for one in getattr(src.fn, "arg_names", [])]

    def __call__(
        self, x: int, y: int, z: int, stream: Any, function: str, packed: Any, launch: Any, enter: Any, leave: Any, *args: Any
    ) -> None:
        listener = _driver.listener
        if listener is None:
            raise misuse("a function of Triton that was recorded before is launched outside of a recording.")
        values: list[Value] = []
        names = [*self._names, *[f"argument {i}" for i in range(len(self._names), len(args))]]
        descriptors = iter(getattr(self._metadata, "tensordesc_meta", None) or [])
        _flatten(self._types, args, names, values, descriptors)
        entry = str(self._metadata.name)
        missing = _parameters(function, entry) - len(values)
        values += [("*i8", None, "scratch memory")] * missing
        shape = KernelShape(
            name=entry,
            entry=entry,
            text=(("ptx", function), ("name", f"{entry}.ptx")),
            grid=1,
            block=self._metadata.num_warps * 32,
            shared=int(self._metadata.shared),
            cluster=_cluster(self._metadata),
        )
        listener(shape, {"x": int(x), "y": int(y), "z": int(z)}, values, int(stream or 0))


def _cluster(metadata: Any) -> Any:
    ctas = int(getattr(metadata, "num_ctas", 1) or 1)
    return None if ctas == 1 else ctas


def _parameters(ptx: str, entry: str) -> int:
    header = re.search(rf"\.entry\s+{re.escape(entry)}\s*\((.*?)\)", ptx, re.DOTALL)
    return 0 if header is None else len(re.findall(r"\.param\b", header[1]))


def _flatten(
    types: Sequence[Any], args: Sequence[Any], names: Sequence[str], into: list[Value], descriptors: Iterator[Any]
) -> None:
    for kind, value, name in zip(types, args, names):
        if isinstance(kind, (tuple, list)):
            _flatten(kind, value, [f"{name}[{i}]" for i in range(len(kind))], into, descriptors)
        elif kind == "constexpr":
            continue
        elif kind.startswith("tensordesc"):
            into += _descriptor(value, next(descriptors, None), name)
        elif kind == "nvTmaDesc":
            into.append(("tensorMap", _made_by_driver(value), name))
        else:
            into.append((kind, value, name))


class _Map(NamedTuple):
    """A descriptor of the host, as it is encoded for the driver."""

    base: Any
    element: str
    shape: Sequence[int]
    strides: Sequence[int]
    box: Sequence[int]
    swizzle: str


def _descriptor(given: Any, metadata: Any, name: str) -> list[Value]:
    """The parameters of a descriptor: its tensor map, the sizes and the strides."""
    shape, strides = [int(one) for one in given.shape], [int(one) for one in given.strides]
    if metadata is None or metadata.get("is_im2col"):
        raise _no_descriptor("of im2col", "load by pointers")
    if given.padding != "zero" or metadata["fp4_padded"] or getattr(given, "round_f32_to_tf32", False):
        raise _no_descriptor("that change what they load", "use padding of zeros, and the elements as they are")
    swizzle = ("none", "32B", "64B", "128B")[metadata["swizzle"]]
    made = _Map(given.base, element_name(given.base.dtype), shape, strides, metadata["block_size"], swizzle)
    sizes = [("i32", one, name) for one in shape] + [("i64", one, name) for one in strides]
    return [("tensorMap", made, name), *sizes]


def _made_by_driver(given: Any) -> _Map:
    """A descriptor that the driver filled, in Triton before 3.4."""
    made = _driver.utils.maps.get(int(given.tma_desc_cpu_ptr()))
    if made is None:
        raise _no_descriptor("made outside of the recording", "make them in the launcher")
    return made


def _no_descriptor(which: str, instead: str) -> NcclTsError:
    return NcclTsError(f"tensor descriptors {which} cannot be recorded; {instead}.", "NCCLTS_NOT_SUPPORTED")


class _Driver:
    """What Triton asks of a driver."""

    def __init__(self) -> None:
        self.utils = _Utils()
        self.launcher_cls = _Launcher
        self.listener: Listener | None = None
        self.stream = 0
        self.takes_threads = True

    @classmethod
    def is_active(cls) -> bool:
        return True

    def get_current_target(self) -> Any:
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", _ARCH, 32)

    def get_current_device(self) -> int:
        return _DEVICE

    def set_current_device(self, device: Any) -> None:
        pass

    def get_current_stream(self, device: Any = None) -> int:
        return self.stream

    def get_active_torch_device(self) -> Any:
        import torch

        return torch.device("cpu")

    def get_benchmarker(self) -> Any:
        """Autotuning takes the first configuration, without a launch."""
        return lambda call, quantiles=None, **options: [0.0] * len(quantiles or [0])


_driver = _Driver()


@contextlib.contextmanager
def recording(listener: Listener) -> Iterator[_Driver]:
    """Sends every launch of Triton's functions to ``listener``, and restores Triton's driver."""
    import inspect

    from triton.backends import backends
    from triton.compiler.code_generator import CodeGenerator
    from triton.compiler.compiler import ASTSource, CompiledKernel
    from triton.runtime import driver

    if _driver.listener is not None:
        raise misuse("launches are being recorded already; recordings cannot be nested.")
    compiler = backends["nvidia"].compiler
    add_stages = compiler.add_stages

    def stages_to_ptx(self: Any, stages: dict[str, Any], *rest: Any) -> Any:
        made = add_stages(self, stages, *rest)
        stages["cubin"] = lambda ptx, metadata: with_lines_of_assembly(ptx).encode()
        return made

    hash_of_source, visit = ASTSource.hash, CodeGenerator.visit

    def hash_with_place(self: Any) -> str:
        # Triton's cache knows the text of a function, and not its file, which PTX names.
        return hashlib.sha256(f"{hash_of_source(self)} {_place_of(self.fn)}".encode()).hexdigest()

    def visit_and_return(self: Any, node: Any) -> Any:
        # Before 3.9, an operation has the line of the last part of it, such as the argument of a load.
        before = self.builder.get_loc()
        made = visit(self, node)
        if before:
            self.builder.set_loc(before)
        return made

    field = "_active" if "_active" in vars(driver) else "active"
    before = vars(driver).get(field)
    cache = os.environ.get("TRITON_CACHE_DIR")
    _driver.takes_threads = "n_max_threads" in inspect.getsource(CompiledKernel._init_handles)
    _driver.stream = 0
    try:
        _driver.listener = listener
        compiler.add_stages = stages_to_ptx
        ASTSource.hash, CodeGenerator.visit = hash_with_place, visit_and_return
        # In Triton's own cache, others would take the PTX for machine code.
        os.environ["TRITON_CACHE_DIR"] = str(_cache_folder())
        driver.set_active(_driver)
        yield _driver
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EROFS):
            raise
        text = f"{error}: compiled kernels are kept in {_cache_folder()}, below XDG_CACHE_HOME if that is set."
        raise NcclTsError(text, "NCCL_SYSTEM_ERROR") from error
    finally:
        vars(driver)[field] = before
        compiler.add_stages = add_stages
        ASTSource.hash, CodeGenerator.visit = hash_of_source, visit
        _driver.listener = None
        if cache is None:
            os.environ.pop("TRITON_CACHE_DIR", None)
        else:
            os.environ["TRITON_CACHE_DIR"] = cache


def _place_of(function: Any) -> str:
    """The file of a function, and the form of what we keep of it."""
    code = getattr(getattr(function, "fn", None), "__code__", None)
    return f"{'' if code is None else code.co_filename} 3"


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base) / "nccl-ts" / "triton"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        import tempfile

        return Path(tempfile.gettempdir()) / "nccl-ts-triton"
    return folder


def argument_of(mem: Memory, kind: str, value: Any, name: str, address: Callable[[Any, str], int] | None = None) -> Any:
    """An argument of a program for a parameter of Triton's type ``kind``."""
    if kind.startswith("*"):
        return _pointer(mem, value, name, address)
    if kind == "tensorMap":
        size = size_of(value.element)
        return {
            "tensorMap": {
                "base": _pointer(mem, value.base, name, address),
                # The innermost dimension comes first, and strides are in bytes.
                "type": value.element,
                "shape": value.shape[::-1],
                "strides": [size * one for one in value.strides[-2::-1]],
                "box": value.box[::-1],
                "swizzle": value.swizzle,
            }
        }
    if kind in _SCALARS:
        return mem.argument(struct.pack(_SCALARS[kind], float(value)), name)
    if kind == "bf16":
        return mem.argument(struct.pack("<f", float(value))[2:], name)
    return mem.argument(int(value), name)


def _pointer(mem: Memory, value: Any, name: str, address: Callable[[Any, str], int] | None) -> Any:
    if value is None or isinstance(value, Buffer) or isinstance(value, int) and (address is None or value == 0):
        return mem.argument(value, name)
    return mem.argument(int(value.data_ptr() if address is None else address(value, name)), name)


def program_of_function(
    kernel: Any,
    counts: Sequence[int],
    grid: Extent,
    args: Callable[..., Sequence[Any]],
    launches: int,
    streams: int,
    local: bool,
    constants: Mapping[str, Any],
) -> dict[str, Any]:
    """The program of launches of one function."""
    sizes = (grid,) if isinstance(grid, int) else tuple(grid)
    worlds = []
    texts: dict[str, Any] = {}
    all_kernels = []
    for ranks in counts:
        allocations = Allocations(ranks)
        kernels = Kernels(ranks)
        kernels.texts = texts
        all_kernels.append(kernels)
        programs = []
        for rank in range(ranks):
            mem = Memory(allocations, rank)
            steps: list[list[dict[str, Any]]] = []
            for launch in range(launches):
                given = args(rank, mem, launch)
                steps.append([*mem.writes(launch), *_launch(kernel, sizes, given, constants, mem, kernels)])
            programs.append({"steps": steps, "expect": mem.expectations()})
        worlds.append({"ranks": ranks, "memory": allocations.json(), "programs": programs})
    return _program(worlds, all_kernels, texts, {"launches": launches, "streams": streams, "local": local})


def _launch(
    kernel: Any, grid: tuple[Any, ...], given: Sequence[Any], constants: Mapping[str, Any], mem: Memory, kernels: Kernels
) -> list[dict[str, Any]]:
    """The steps of one call of a function."""
    made = []

    def listen(shape: KernelShape, extent: Any, values: list[Value], stream: int) -> None:
        args = [argument_of(mem, *value) for value in values]
        name = kernels.name_of(mem.rank, shape)
        made.append({"kind": "launch", "kernel": name, "args": args, "grid": extent, "block": shape.block})

    names = [*kernel.arg_names, *[f"argument {i}" for i in range(len(kernel.arg_names), len(given))]]
    passed = [_passed(mem, value, names[i]) for i, value in enumerate(given)]
    with recording(listen):
        kernel[grid](*passed, **constants)
    return made


def _passed(mem: Memory, value: Any, name: str) -> Any:
    """An array becomes memory with the parameter's name, and a number of numpy one of Python."""
    if getattr(value, "ndim", 0) > 0 and not isinstance(value, Buffer):
        return mem.local(name, value)
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        return value.item()
    return value


def _program(
    worlds: list[dict[str, Any]], all_kernels: list[Kernels], texts: dict[str, Any], common: dict[str, Any]
) -> dict[str, Any]:
    described = [kernels.json() for kernels in all_kernels]
    merged = {name: one for each in reversed(described) for name, one in each.items()}
    if len(worlds) > 1:
        for world, own in zip(worlds, described):
            nobody = [None] * world["ranks"]
            world["kernels"] = {
                name: {field: own[name][field] if name in own else nobody for field in ("text", "entry")} for name in merged
            }
    sources = {name: text for kernels in all_kernels for name, text in kernels.sources.items()}
    base = {"format": "nccl-ts/program", "version": 1, **common, "texts": texts, "sources": sources}
    if len(merged) == 1:
        # One kernel has arguments, and no list of steps, as in a harness of one kernel.
        [(name, kernel)] = merged.items()
        step = worlds[0]["programs"][0]["steps"][0][-1]
        kernel = {**kernel, "grid": step["grid"], "block": step["block"]}
        for world in worlds:
            if "kernels" in world:
                world["kernels"] = {"": world["kernels"][name]}
            for program in world["programs"]:
                by_launch = program.pop("steps")
                lists = [launch[-1]["args"] for launch in by_launch]
                program.update({"args": lists[0]} if all(one == lists[0] for one in lists) else {"argsByLaunch": lists})
                between = [launch[:-1] for launch in by_launch[1:]]
                program.update({"between": between} if any(between) else {})
        return {**base, "kernel": kernel, "worlds": worlds}
    for world in worlds:
        for program in world["programs"]:
            program["stepsByLaunch"] = program.pop("steps")
    return {**base, "kernels": merged, "worlds": worlds}
