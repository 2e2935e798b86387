"""Stand-ins for torch's GPU: tensors are on the CPU, and what happens on the GPU becomes steps."""

from __future__ import annotations

import contextlib
import math
import traceback
from typing import Any, Iterator, Sequence

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from ._addresses import MULTICAST, Place, address_of, place_of
from ._errors import NcclTsError, misuse
from ._memory import Buffer
from ._record import RankRecording, pairs_of
from ._torch_streams import Stream
from ._values import bytes_of_tensor, element_name

_SIGNAL_PAD_WORDS = 512

_BARRIER = """.version 8.5
.target sm_90
.address_size 64
.visible .entry symm_mem_barrier(.param .u64 pads, .param .u32 rank, .param .u32 ranks, .param .u32 channel)
{
  .reg .pred %p<4>;
  .reg .b32 %r<10>;
  .reg .b64 %rd<8>;
  mov.u32 %r1, %tid.x;
  ld.param.u32 %r2, [rank];
  ld.param.u32 %r3, [ranks];
  ld.param.u32 %r4, [channel];
  ld.param.u64 %rd1, [pads];
  mul.lo.u32 %r5, %r4, %r3;
  mul.wide.u32 %rd2, %r1, 8;
  add.s64 %rd2, %rd1, %rd2;
  ld.global.u64 %rd3, [%rd2];
  add.u32 %r6, %r5, %r2;
  mul.wide.u32 %rd4, %r6, 4;
  add.s64 %rd3, %rd3, %rd4;
PUT:
  atom.global.release.sys.cas.b32 %r7, [%rd3], 0, 1;
  setp.ne.u32 %p1, %r7, 0;
  @%p1 bra PUT;
  mul.wide.u32 %rd5, %r2, 8;
  add.s64 %rd5, %rd1, %rd5;
  ld.global.u64 %rd6, [%rd5];
  add.u32 %r8, %r5, %r1;
  mul.wide.u32 %rd7, %r8, 4;
  add.s64 %rd6, %rd6, %rd7;
WAIT:
  atom.global.acquire.sys.cas.b32 %r9, [%rd6], 1, 0;
  setp.ne.u32 %p2, %r9, 1;
  @%p2 bra WAIT;
  ret;
}
"""


def _location() -> str | None:
    """The line of the launcher that calls us, as ``file:line:column``."""
    for frame in reversed(traceback.extract_stack()):
        name = frame.filename
        if "/nccl_ts/_" not in name and "/torch/" not in name and not name.startswith("<") and "contextlib" not in name:
            return f"{name}:{frame.lineno}:1"
    return None


class Handle:
    """Stands in for the handle of symmetric memory."""

    def __init__(self, values: TorchValues, buffer: Buffer, tensor: torch.Tensor) -> None:
        self._values = values
        self._buffer = buffer
        self._tensor = tensor
        self.rank = values.made.rank
        self.world_size = values.made.ranks
        self.buffer_size = buffer.nbytes
        self.signal_pad_size = 4 * values.pad_words
        mem = values.made.mem
        self._pad = mem.zeros(f"signal pad of {buffer.name}", values.pad_words, "uint32")
        self.buffer_ptrs = [buffer.at(rank) for rank in range(self.world_size)]
        self.signal_pad_ptrs = [self._pad.at(rank) for rank in range(self.world_size)]
        self.buffer_ptrs_dev = self._table(f"buffer_ptrs_dev of {buffer.name}", self.buffer_ptrs)
        self.signal_pad_ptrs_dev = self._table(f"signal_pad_ptrs_dev of {buffer.name}", self.signal_pad_ptrs)

    def _table(self, name: str, pointers: Sequence[int]) -> int:
        return self._values.made.mem.local(name, torch.tensor(pointers, dtype=torch.int64)).data_ptr()

    @property
    def multicast_ptr(self) -> int:
        return address_of(Place(self._buffer.number, MULTICAST, 0))

    def get_buffer(self, rank: int, sizes: Sequence[int], dtype: torch.dtype, storage_offset: int = 0) -> torch.Tensor:
        flat = self._values.part_of(self._buffer, rank, self._tensor, dtype)
        return flat[storage_offset : storage_offset + math.prod(sizes)].view(*sizes)

    def get_remote_tensor(self, rank: int, sizes: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
        return self.get_buffer(rank, sizes, dtype)

    def get_signal_pad(
        self, rank: int, sizes: Sequence[int] = (), dtype: torch.dtype = torch.uint32, storage_offset: int = 0
    ) -> torch.Tensor:
        flat = self._values.part_of(self._pad, rank, None, dtype)[storage_offset:]
        return flat[: math.prod(sizes)].view(*sizes) if sizes else flat

    def barrier(self, channel: int = 0, timeout_ms: int = 0) -> None:
        """All ranks meet on the stream, as with the kernel of PyTorch."""
        from ._kernels import KernelShape

        made = self._values.made
        if not 0 <= channel < self._pad.count // self.world_size:
            raise misuse(f"barrier: channel {channel} is outside of the signal pad.")
        text = (("ptx", _BARRIER), ("name", "symm_mem_barrier.ptx"))
        shape = KernelShape("symm_mem_barrier", "symm_mem_barrier", text, 1, self.world_size)
        pads = made.mem.argument(self.signal_pad_ptrs_dev, "pads")
        made.launch(shape, 1, [pads, self.rank, self.world_size, channel], self._values.current().cuda_stream)

    def put_signal(self, dst_rank: int, channel: int = 0, timeout_ms: int = 0) -> None:
        raise unsupported("put_signal of a handle", "use handle.barrier(), or signal in a kernel")

    def wait_signal(self, src_rank: int, channel: int = 0, timeout_ms: int = 0) -> None:
        raise unsupported("wait_signal of a handle", "use handle.barrier(), or wait in a kernel")

    def stream_write_value32(self, to: torch.Tensor | int, *numbers: int, offset: int = 0, val: int | None = None) -> None:
        """Writes a word of a tensor; older versions of torch take an address and the value."""
        values = self._values
        if not isinstance(to, torch.Tensor):
            [value] = numbers
            values.step_of_word("writeWord", "to", values.argument_of_address(int(to)), int(value))
            return
        given = [offset, val]
        given[: len(numbers)] = numbers
        place, value = given
        values.write_word(to, int(place or 0), int(value or 0))


def unsupported(what: str, instead: str) -> NcclTsError:
    return NcclTsError(f"{what} cannot be recorded; {instead}.", "NCCLTS_NOT_SUPPORTED")


class TorchValues:
    """The tensors of a rank, and the memory of the program that they stand for."""

    def __init__(self, made: RankRecording) -> None:
        self.made = made
        self.entered: list[Stream] = []
        self.streams = [Stream(self, 0)]
        #: The first address of a storage, and what it is.
        self.storages: dict[int, tuple[Any, Buffer, int]] = {}
        self.empty: dict[int, Any] = {}
        #: By the first address of their storage: tensors that the launcher made.
        self.made_tensors: dict[int, torch.Tensor] = {}
        self._handles: dict[str, Handle] = {}
        self._workspaces: dict[str, torch.Tensor] = {}
        self._parts: dict[tuple[str, int], torch.Tensor] = {}
        self._names: dict[str, int] = {}
        self._constants = 0
        self.pad_words = _SIGNAL_PAD_WORDS
        self.backend = "CUDA"
        self.is_inside = False

    def use(self, driver: Any) -> None:
        self._driver = driver
        type(driver).get_current_stream = lambda _, device=None: self.current().cuda_stream

    def current(self) -> Stream:
        return self.entered[-1] if self.entered else self.streams[0]

    def new_stream(self) -> Stream:
        stream = Stream(self, len(self.streams))
        self.streams.append(stream)
        return stream

    def backend_stream(self, priority: int = 0) -> Stream:
        if not hasattr(self, "_backend"):
            self._backend = self.new_stream()
        return self._backend

    def order(self, first: int, then: int) -> None:
        event = self.made.events
        self.made.events += 1
        self.made.step("record", event=event, stream=first)
        self.made.step("waitEvent", event=event, stream=then)

    def read(self, what: str) -> NcclTsError:
        return NcclTsError(
            f"the launcher reads {what}, which exists only in the check: return (tensor, expected) from the launcher, "
            "and the check compares the tensor after the last launch.",
            "NCCLTS_NOT_SUPPORTED",
        )

    # Memory

    def _name(self, base: str) -> str:
        number = self._names.get(base, 0) + 1
        self._names[base] = number
        return base if number == 1 else f"{base} {number}"

    def buffer_of(self, tensor: torch.Tensor, name: str = "tensor") -> tuple[Buffer, int]:
        """The memory of a tensor's storage, and the rank whose memory it is."""
        storage = tensor.untyped_storage()
        known = self.storages.get(storage.data_ptr())
        if known is not None:
            return known[1], known[2]
        return self._register(self._name(name), tensor), self.made.rank

    def _register(self, name: str, tensor: torch.Tensor) -> Buffer:
        storage = tensor.untyped_storage()
        size = tensor.element_size()
        count = max(1, storage.nbytes() // size)
        element = element_name(tensor.dtype)
        if element == "u8":
            count *= size
        is_empty = storage.data_ptr() in self.empty
        flat = torch.tensor([], dtype=torch.uint8).set_(storage)
        data = None if is_empty else bytes_of_tensor(flat)
        buffer = self.made.mem._made(name, element, count, data)
        self.storages[storage.data_ptr()] = (storage, buffer, self.made.rank)
        return buffer

    def address(self, tensor: Any, name: str = "tensor") -> int:
        """The address of a tensor's first element, or of what is at an address of torch, which a kernel gets."""
        if not isinstance(tensor, torch.Tensor):
            number = tensor if isinstance(tensor, int) else int(tensor.data_ptr())
            return number if place_of(number) is not None else self.address_at(number, name)
        with self.quiet():
            buffer, rank = self.buffer_of(tensor, name)
            return address_of(Place(buffer.number, rank, tensor.storage_offset() * tensor.element_size()))

    @contextlib.contextmanager
    def quiet(self) -> Iterator[None]:
        """Operations inside are our own, and no steps."""
        before, self.is_inside = self.is_inside, True
        try:
            yield
        finally:
            self.is_inside = before

    def place(self, tensor: torch.Tensor) -> dict[str, Any]:
        return self.made.mem.argument(self.address(tensor), "a copy")

    # Symmetric memory

    def symmetric_empty(self, *size: Any, dtype: torch.dtype | None = None, device: Any = None) -> torch.Tensor:
        sizes = size[0] if len(size) == 1 and not isinstance(size[0], int) else size
        with self.quiet():
            tensor = torch.empty(list(sizes), dtype=dtype or torch.get_default_dtype())
            self.empty[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage()
        return tensor

    def empty_strided(
        self, size: Sequence[int], stride: Sequence[int], dtype: torch.dtype, device: Any, *_: Any, **__: Any
    ) -> torch.Tensor:
        with self.quiet():
            count = 1 + sum((one - 1) * step for one, step in zip(size, stride))
        return self.symmetric_empty(count, dtype=dtype).as_strided(list(size), list(stride))

    def set_backend(self, name: str) -> None:
        self.backend = name

    def set_pad_size(self, size: int) -> None:
        self.pad_words = int(size) // 4

    def rendezvous(self, tensor: torch.Tensor, group: Any = None) -> Handle:
        with self.quiet():
            known = self.storages.get(tensor.untyped_storage().data_ptr())
            buffer = self._register(self._name("symmetric memory"), tensor) if known is None else known[1]
            handle = self._handles.get(buffer.name)
            if handle is None:
                handle = self._handles[buffer.name] = Handle(self, buffer, tensor)
            return handle

    def workspace(self, group_name: str, min_size: int) -> Handle:
        known = self._workspaces.get(group_name)
        if known is None or known.numel() < min_size:
            known = self._workspaces[group_name] = self.symmetric_empty(min_size, dtype=torch.uint8)
        return self.rendezvous(known)

    def part_of(self, buffer: Buffer, rank: int, own: torch.Tensor | None, dtype: torch.dtype) -> torch.Tensor:
        """All of the memory of a rank, as a tensor. That of a peer has no contents here."""
        with self.quiet():
            if rank == self.made.rank and own is not None:
                whole = torch.tensor([], dtype=torch.uint8).set_(own.untyped_storage())
            else:
                key = (buffer.name, rank)
                if key not in self._parts:
                    self._parts[key] = torch.empty(buffer.nbytes, dtype=torch.uint8)
                    storage = self._parts[key].untyped_storage()
                    self.storages[storage.data_ptr()] = (storage, buffer, rank)
                whole = self._parts[key]
            size = torch.empty((), dtype=dtype).element_size()
            return whole[: whole.numel() // size * size].view(dtype)

    # Steps

    def address_at(self, address: int, name: str) -> int:
        """The address in the program of what torch has at an address."""
        for storage, buffer, rank in self.storages.values():
            if 0 <= address - storage.data_ptr() < storage.nbytes():
                return address_of(Place(buffer.number, rank, address - storage.data_ptr()))
        with self.quiet():
            for first, tensor in self.made_tensors.items():
                if 0 <= address - first < tensor.untyped_storage().nbytes():
                    buffer = self._register(self._name(name), tensor)
                    return address_of(Place(buffer.number, self.made.rank, address - first))
        raise misuse(f"'{name}' of rank {self.made.rank} is the address {address:#x}, which is in no tensor that the launcher made.")

    def argument_of_address(self, address: int) -> Any:
        return self.made.mem.argument(self.address_at(address, "word"), "a word")

    def step_of_word(self, kind: str, field: str, place: Any, value: int, **fields: Any) -> None:
        stream = {"stream": self.current().cuda_stream, "location": _location()}
        self.made.step(kind, **{field: place}, value=value, **{**stream, **fields})

    def write_word(self, tensor: torch.Tensor, offset: int, value: int) -> None:
        with self.quiet():
            at = self.place(tensor.view(-1)[offset:])
        self.step_of_word("writeWord", "to", at, value)

    def wait_word(self, stream: Any, address: int, value: int, flags: Any) -> tuple[Any]:
        condition = {0: "geq", 1: "eq", 2: "and", 3: "nor"}[int(flags) & 3]
        place = self.argument_of_address(int(address))
        self.step_of_word("waitWord", "from", place, int(value), stream=int(stream), condition=condition)
        return (0,)

    def copy(self, to: torch.Tensor, source: torch.Tensor) -> None:
        """A copy between tensors of which one is on the device."""
        with self.quiet():
            source = source if source.dtype == to.dtype and source.shape == to.shape else source.to(to.dtype).expand_as(to)
            if not to.is_contiguous() or not source.is_contiguous():
                raise unsupported("a copy of tensors with strides", "copy contiguous tensors, or parts of them one by one")
            size = to.numel() * to.element_size()
            if size == 0:
                return
            if source.untyped_storage().data_ptr() not in self.storages:
                self._constants += 1
                self._register(f"copied {self._constants}", source.clone() if source.storage_offset() else source)
            fields = {"to": self.place(to), "from": self.place(source), "bytes": size}
        self.made.step("memcpy", stream=self.current().cuda_stream, location=_location(), **fields)

    def is_device(self, tensor: Any) -> bool:
        return isinstance(tensor, torch.Tensor) and tensor.untyped_storage().data_ptr() in self.storages

    def expectations(self, results: Any) -> list[dict[str, Any]]:
        import base64

        found = []
        with self.quiet():
            for tensor, expected in pairs_of(results):
                if not isinstance(tensor, torch.Tensor):
                    raise misuse(f"a launcher must return pairs of a tensor and its contents; given {tensor!r}.")
                buffer, _ = self.buffer_of(tensor)
                wanted = torch.as_tensor(expected).to(tensor.dtype).expand_as(tensor)
                if not tensor.is_contiguous():
                    raise misuse("a tensor that is compared must be contiguous.")
                size = tensor.element_size() if buffer.element != "u8" else 1
                tolerance = {torch.float16: 1e-2, torch.bfloat16: 2e-2, torch.float32: 1e-4}.get(tensor.dtype, 0)
                found.append(
                    {
                        "memory": buffer.name,
                        "from": tensor.storage_offset() * tensor.element_size() // size,
                        "base64": base64.b64encode(bytes_of_tensor(wanted)).decode(),
                        "tolerance": tolerance,
                    }
                )
        return found


#: Operations that write a tensor, and read nothing of it.
_WRITES = {"zero_", "fill_", "copy_", "normal_", "uniform_", "random_"}


class Dispatch(TorchDispatchMode):
    """Sees every operation of torch."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Nothing is compiled here, and to say so torch would load its compiler, for seconds.
        return False

    def __init__(self, values: TorchValues) -> None:
        super().__init__()
        self._values = values

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        values = self._values
        if values.is_inside:
            return func(*args, **kwargs)
        name = func._schema.name.rpartition("::")[2]
        if func._schema.name == "symm_mem::stream_write_value32_":
            values.write_word(*args)
            return args[0]
        tensors = [one for one in _flat(args) + _flat(list(kwargs.values())) if isinstance(one, torch.Tensor)]
        if any(values.is_device(one) for one in tensors) and not _is_view(func):
            if name == "copy_":
                values.copy(args[0], args[1])
                return args[0]
            if name in _WRITES:
                with values.quiet():
                    source = torch.empty_like(args[0], memory_format=torch.contiguous_format)
                    getattr(source, name)(*args[1:], **kwargs)
                values.copy(args[0], source)
                return args[0]
            if name not in ("empty_like", "new_empty", "zeros_like", "new_zeros", "ones_like", "full_like", "empty_strided"):
                raise values.read(f"results of a kernel, in torch's {name}")
        made = func(*args, **kwargs)
        if name.startswith("empty") or name == "new_empty":
            storage = made.untyped_storage()
            values.empty[storage.data_ptr()] = storage
        elif func._schema.is_mutable or name in _WRITES:
            for one in tensors:
                values.empty.pop(one.untyped_storage().data_ptr(), None)
        if isinstance(made, torch.Tensor) and made.device.type == "cpu":
            values.made_tensors.setdefault(made.untyped_storage().data_ptr(), made)
        return made


def _flat(values: Sequence[Any]) -> list[Any]:
    found = []
    for one in values:
        found += _flat(one) if isinstance(one, (list, tuple)) else [one]
    return found


def _is_view(func: Any) -> bool:
    returns = func._schema.returns
    return bool(returns) and all(one.alias_info is not None and not one.alias_info.is_write for one in returns)
