"""Replaces torch's GPU while a launcher runs on a rank."""

from __future__ import annotations

import contextlib
import sys
from types import ModuleType
from typing import Any, Callable, Iterator
from unittest import mock

import torch
from torch.overrides import TorchFunctionMode

from ._errors import misuse
from ._record import RankRecording
from ._torch import Dispatch, TorchValues, unsupported
from ._torch_streams import Event, Stream


_IS_CUDA = torch.Tensor.is_cuda.__get__


class _Devices(TorchFunctionMode):
    """Takes "cuda" for the CPU."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        name = getattr(func, "__name__", "")
        if func == _IS_CUDA:
            return True
        if name in ("cuda", "pin_memory") and args and isinstance(args[0], torch.Tensor):
            return args[0]
        if _is_cuda(kwargs.get("device")):
            kwargs["device"] = "cpu"
        if name == "to":
            args = tuple("cpu" if _is_cuda(one) else one for one in args)
        return func(*args, **kwargs)


def _is_cuda(device: Any) -> bool:
    if isinstance(device, torch.device):
        return device.type == "cuda"
    return isinstance(device, int) and not isinstance(device, bool) or isinstance(device, str) and device.startswith("cuda")


class _Properties:
    """The device that ``torch.cuda.get_device_properties`` describes: few multiprocessors keep checks short."""

    name = "nccl-ts"
    major, minor = 9, 0
    multi_processor_count = 4
    warp_size = 32
    total_memory = 80 << 30


@contextlib.contextmanager
def stand_ins(made: RankRecording) -> Iterator[TorchValues]:
    """Replaces torch's GPU while a launcher runs on a rank, and restores it."""
    import torch.distributed as dist
    import torch.distributed._symmetric_memory as symm_mem

    values = TorchValues(made)

    def refuse(what: str) -> Callable[..., Any]:
        def refused(*_: Any, **__: Any) -> Any:
            raise unsupported(what, "collectives of the host have no data here; write the result that they would have")

        return refused

    def reads(what: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def read(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
            if not values.is_inside and values.is_device(tensor):
                raise values.read(f"results of a kernel, by {what}")
            return real(tensor, *args, **kwargs)

        return read

    class stream_type(Stream):  # Launchers have it in their annotations.
        def __init__(self, *_: Any, **__: Any) -> None:
            super().__init__(values, len(values.streams))
            values.streams.append(self)

    class event_type(Event):
        def __init__(self, *_: Any, **__: Any) -> None:
            super().__init__(values)

    def meet(*_: Any, **__: Any) -> None:
        made.step("synchronize")
        made.step("barrier")

    cuda = {
        "current_stream": lambda device=None: values.current(),
        "default_stream": lambda device=None: values.streams[0],
        "Stream": stream_type,
        "stream": lambda stream: stream or contextlib.nullcontext(),
        "Event": event_type,
        "synchronize": lambda device=None: made.step("synchronize"),
        "set_device": lambda device: None,
        "current_device": lambda: made.rank,
        "device_count": lambda: made.ranks,
        "is_available": lambda: True,
        "get_device_properties": lambda device=None: _Properties(),
        "get_device_capability": lambda device=None: (9, 0),
        "manual_seed": lambda seed: torch.manual_seed(seed),
    }
    symmetric = {
        "empty": values.symmetric_empty,
        "rendezvous": values.rendezvous,
        "get_symm_mem_workspace": values.workspace,
        "enable_symm_mem_for_group": lambda group: None,
        "_get_backend_stream": values.backend_stream,
        "get_backend": lambda device=None: values.backend,
        "set_backend": values.set_backend,
        "get_signal_pad_size": lambda: 4 * values.pad_words,
        "set_signal_pad_size": values.set_pad_size,
    }
    collective = {
        name: refuse(f"dist.{name}")
        for name in ("all_reduce", "all_gather", "all_gather_into_tensor", "reduce_scatter_tensor", "broadcast", "send", "recv")
    }
    # Older launchers use the class of C++.
    of_cpp = {"rendezvous": values.rendezvous, "empty_strided_p2p": values.empty_strided}
    distributed = {
        **collective,
        "barrier": meet,
        "init_process_group": lambda *_, **__: None,
        "destroy_process_group": lambda *_, **__: None,
    }
    tensor_reads = {name: reads(name, getattr(torch.Tensor, name)) for name in ("numpy", "tolist", "item", "__array__")}
    replacements: list[tuple[Any, dict[str, Any]]] = [
        (torch.cuda, cuda),
        (symm_mem, symmetric),
        (symm_mem._SymmetricMemory, of_cpp),
        (dist, distributed),
        (torch.Tensor, tensor_reads),
    ]
    imported = [
        (vars(owner)[name], value)
        for owner, replaced in replacements
        if isinstance(owner, ModuleType)
        for name, value in replaced.items()
        if name in vars(owner)
    ]
    with contextlib.ExitStack() as stack:
        for owner, replaced in replacements:
            for name, value in replaced.items():
                stack.enter_context(mock.patch.object(owner, name, value, create=True))
        stack.enter_context(_imported_by_name(imported))
        stack.enter_context(_driver_of_cuda(values))
        stack.enter_context(_group(made.rank, made.ranks))
        stack.enter_context(_Devices())
        stack.enter_context(Dispatch(values))
        stack.enter_context(_stream_of_triton())
        yield values


@contextlib.contextmanager
def _imported_by_name(pairs: list[tuple[Any, Any]]) -> Iterator[None]:
    """Replaces what modules have imported by name, such as ``from torch.cuda import current_stream``.

    What they import while a launcher runs is put back too: another rank has other stand-ins.
    """
    _replace_in_modules({id(real): value for real, value in pairs})
    try:
        yield
    finally:
        _replace_in_modules({id(value): real for real, value in pairs})


def _replace_in_modules(by_id: dict[int, Any]) -> None:
    for module_name, module in list(sys.modules.items()):
        if module_name.partition(".")[0] in ("torch", "nccl_ts") or not isinstance(module, ModuleType):
            continue
        names = vars(module)
        for name in [name for name, value in names.items() if id(value) in by_id]:
            names[name] = by_id[id(names[name])]


@contextlib.contextmanager
def _stream_of_triton() -> Iterator[None]:
    from ._triton import _Driver

    real = _Driver.get_current_stream
    try:
        yield
    finally:
        _Driver.get_current_stream = real  # type: ignore[method-assign]


@contextlib.contextmanager
def _group(rank: int, ranks: int) -> Iterator[None]:
    """A process group of torch for tests, which has a rank and no peers."""
    import torch.distributed as dist
    from torch.testing._internal.distributed.fake_pg import FakeStore

    if dist.is_initialized():
        raise misuse("torch.distributed is initialized already; record launchers in a process without it.")
    real, destroy = dist.distributed_c10d.init_process_group, dist.distributed_c10d.destroy_process_group
    hook = sys.excepthook  # torch's own writes a rank before each line.
    real("fake", rank=rank, world_size=ranks, store=FakeStore())
    try:
        yield
    finally:
        destroy()
        sys.excepthook = hook


@contextlib.contextmanager
def _driver_of_cuda(values: TorchValues) -> Iterator[None]:
    """The calls of cuda-python that wait for words on streams, if it is loaded."""
    driver = sys.modules.get("cuda.bindings.driver")
    if driver is None:
        yield
        return
    with mock.patch.object(driver, "cuStreamWaitValue32", values.wait_word):
        yield
