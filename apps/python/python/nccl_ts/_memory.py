"""The memory of a program, which every rank has."""

from __future__ import annotations

import base64
from typing import Any, Iterable, Sequence

from ._addresses import MOST_BYTES, MOST_MEMORY, MULTICAST, Place, address_of, place_of, places_in
from ._errors import misuse
from ._values import array_as, array_of, element_name, scalar_bytes

_SIZES = {"8": 1, "16": 2, "32": 4, "64": 8}


def size_of(element: str) -> int:
    """The bytes of an element."""
    return _SIZES["".join(letter for letter in element if letter.isdigit())]


class Allocations:
    """The names of the memory of all ranks, and the contents of each rank."""

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks
        self.names: list[str] = []
        self._own: list[dict[str, Buffer]] = [{} for _ in range(ranks)]

    def number(self, name: str) -> int:
        """The number of a name, which is new if there is none."""
        if name not in self.names:
            if len(self.names) == MOST_MEMORY:
                raise misuse(f"there are {MOST_MEMORY} allocations already, and no more are possible.")
            self.names.append(name)
        return self.names.index(name)

    def of(self, rank: int) -> dict[str, Buffer]:
        return self._own[rank]

    def json(self) -> list[dict[str, Any]]:
        """The memory of a program. All ranks must have the same."""
        first = self._own[0]
        for rank, own in enumerate(self._own):
            texts = [[f"{one.name} ({one.count} x {one.element})" for one in each.values()] for each in (first, own)]
            if sorted(texts[0]) != sorted(texts[1]):
                raise misuse(
                    f"rank 0 and rank {rank} allocate different memory: all ranks must allocate the same.\n"
                    f"  rank 0: {', '.join(texts[0]) or 'none'}\n  rank {rank}: {', '.join(texts[1]) or 'none'}"
                )
        return [self._memory(name) for name in self.names]

    def _memory(self, name: str) -> dict[str, Any]:
        all_ranks = [own[name] for own in self._own]
        contents = [one.contents(self) for one in all_ranks]
        memory: dict[str, Any] = {"name": name, "type": all_ranks[0].element, "count": all_ranks[0].count}
        if any(one is not None for one in contents):
            memory["contents"] = contents[0] if all(one == contents[0] for one in contents) else contents
        return memory

    def image(self, data: bytes, what: str) -> dict[str, Any]:
        """Bytes, in which addresses are found by their value."""
        addresses = []
        kept = bytearray(data)
        for at, place in places_in(data):
            if not self._is_inside(place):
                continue  # Other data may have the mark by chance.
            addresses.append({"at": at, **self.address(place, what)})
            kept[at : at + 8] = bytes(8)
        image: dict[str, Any] = {"base64": base64.b64encode(kept).decode()}
        if addresses:
            image["addresses"] = addresses
        return image

    def _is_inside(self, place: Place) -> bool:
        if place.memory >= len(self.names) or not (place.rank < self.ranks or place.rank == MULTICAST):
            return False
        sizes = [own[self.names[place.memory]].nbytes for own in self._own if self.names[place.memory] in own]
        return place.offset < max(sizes, default=0)

    def address(self, place: Place, what: str) -> dict[str, Any]:
        """An address of a program."""
        if place.memory >= len(self.names):
            raise misuse(f"{what} has an address of memory that does not exist: was it made by another check?")
        rank: Any = "multicast" if place.rank == MULTICAST else place.rank
        return {"memory": self.names[place.memory], "rank": rank, "offset": place.offset}

    def argument(self, value: Any, what: str) -> Any:
        """An argument of a launch."""
        if value is None:
            return None
        if isinstance(value, Buffer):
            return self.address(Place(value.number, value.rank, 0), what)
        if isinstance(value, bool):
            return int(value)
        data = scalar_bytes(value)
        if data is not None:
            return self.image(data, what)
        if isinstance(value, int):
            place = place_of(value)
            if place is not None:
                return self.address(place, what)
            return value if abs(value) < 1 << 53 else str(value)
        if isinstance(value, float):
            return number(value)
        raise misuse(
            f"{what} must be a buffer, an array, a number, a ctypes structure, bytes or None; given {value!r}."
        )


def number(value: float) -> Any:
    """A number in JSON, which lacks some."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def _plain(value: Any) -> Any:
    """A number of Python or numpy in JSON."""
    own = value.item() if hasattr(value, "item") else value
    return number(own) if isinstance(own, float) else int(own)


class ElementType(str):
    """The name of a type, with what Triton's descriptors of tensors ask of it."""

    @property
    def itemsize(self) -> int:
        return size_of(self)

    @property
    def is_floating_point(self) -> bool:
        return "float" in self


class Buffer:
    """Memory that every rank has, as one rank sees it. An argument may be a buffer.

    It has what Triton asks of a tensor: ``data_ptr()`` and ``dtype``.
    """

    def __init__(self, name: str, number: int, rank: int, element: str, count: int, data: bytes | None) -> None:
        self.name = name
        self.number = number
        self.rank = rank
        self.element = element
        self.count = count
        self._data = data
        self.is_local = False

    @property
    def nbytes(self) -> int:
        return self.count * size_of(self.element)

    @property
    def dtype(self) -> ElementType:
        """The element's type, by the name that torch and numpy have for it."""
        kind = {"u": "uint", "i": "int", "f": "float", "b": "bfloat"}[self.element[0]]
        return ElementType(kind + self.element.lstrip("uifb"))

    def data_ptr(self) -> int:
        """The address at the rank of this buffer."""
        return self.at(self.rank)

    def at(self, rank: int, offset: int = 0) -> int:
        """The address of a byte at a rank."""
        if self.is_local and rank != self.rank:
            raise misuse(f"'{self.name}' is local, so that rank {self.rank} has no address of rank {rank}'s; use mem.symmetric.")
        if not 0 <= offset < self.nbytes:
            raise misuse(f"byte {offset} is outside of '{self.name}', which has {self.nbytes} bytes.")
        return address_of(Place(self.number, rank, offset))

    def contents(self, allocations: Allocations) -> Any:
        if self._data is None:
            return "uninitialised"
        return allocations.image(self._data, f"'{self.name}'") if any(self._data) else None

    def __repr__(self) -> str:
        return f"<{self.name}: {self.count} x {self.element} of rank {self.rank}>"


class Memory:
    """Describes the memory of a rank, in ``args`` of a check.

    Every rank must make the same memory. A name that exists already means the same buffer again, with
    its first contents, so that ``args`` can be called for each launch.
    """

    def __init__(self, allocations: Allocations, rank: int) -> None:
        self._all = allocations
        self.rank = rank
        self.ranks = allocations.ranks
        self._expected: dict[str, list[dict[str, Any]]] = {}
        self._written: list[dict[str, Any]] = []

    def symmetric(self, name: str, contents: Any, dtype: Any = None) -> Buffer:
        """Memory whose addresses at all ranks are known.

        ``contents`` is an array or a list. ``dtype`` is by default that of the array; numbers may
        become ``"bfloat16"``, which numpy lacks.
        """
        return self._allocate(name, contents, dtype)

    def local(self, name: str, contents: Any, dtype: Any = None) -> Buffer:
        """Memory of which peers have no address."""
        buffer = self._allocate(name, contents, dtype)
        buffer.is_local = True
        return buffer

    def empty(self, name: str, count: int, dtype: Any = "float32") -> Buffer:
        """Uninitialised memory, as after ``cudaMalloc``. A kernel that reads it has a finding."""
        element = element_name(dtype)
        return self._known(name) or self._made(name, element, count, None)

    def zeros(self, name: str, count: int, dtype: Any = "float32") -> Buffer:
        """Memory of zeros."""
        element = element_name(dtype)
        return self._known(name) or self._made(name, element, count, bytes(count * size_of(element)))

    def peers(self, buffer: Buffer, offset: int = 0) -> Any:
        """The addresses of a byte at all ranks, as an array of ``uint64``."""
        import numpy as np

        return np.array([buffer.at(rank, offset) for rank in range(self.ranks)], np.uint64)

    def multicast(self, buffer: Buffer, offset: int = 0) -> int:
        """The address of a byte at all ranks at once."""
        return address_of(Place(buffer.number, MULTICAST, offset))

    def expect(self, buffer: Buffer, values: Any, tolerance: float = 0, start: int = 0) -> None:
        """Expects these elements at this rank, from element ``start`` on, after the last launch."""
        if hasattr(values, "untyped_storage") or hasattr(values, "__array_interface__"):
            element, _, data = array_of(values) or ("", 0, b"")
            if element != buffer.element:
                raise misuse(f"'{buffer.name}' has elements of type {buffer.element}; given {values.dtype}.")
            expected: dict[str, Any] = {"base64": base64.b64encode(data).decode()}
        else:
            listed: Sequence[Any] = values if isinstance(values, (list, tuple)) else list(values)
            expected = {"values": [_plain(one) for one in listed]}
        self._expected[f"{buffer.name} {start}"] = [
            {"memory": buffer.name, "from": start, **expected, "tolerance": tolerance}
        ]

    def write(self, buffer: Buffer, values: Any, start: int = 0) -> None:
        """The host writes elements of this rank's memory, before the launch whose ``args`` are made."""
        array = array_of(values) if hasattr(values, "untyped_storage") else array_as(values, buffer.dtype)
        if array is None or array[0] != buffer.element:
            raise misuse(f"'{buffer.name}' has elements of type {buffer.element}; given {values!r}.")
        step = {"kind": "write", "memory": buffer.name, "offset": start * size_of(buffer.element)}
        self._written.append({**step, "contents": self._all.image(array[2], f"what is written to '{buffer.name}'")})

    def writes(self, launch: int) -> list[dict[str, Any]]:
        """The writes of the host before a launch."""
        made, self._written = self._written, []
        if made and launch == 0:
            raise misuse(f"'{made[0]['memory']}' is written before the first launch: give it its first contents instead.")
        return made

    def expectations(self) -> list[dict[str, Any]]:
        return [one for each in self._expected.values() for one in each]

    def argument(self, value: Any, name: str) -> Any:
        """An argument of a launch. An array becomes local memory with the parameter's name."""
        array = None if scalar_bytes(value) is not None and getattr(value, "ndim", 0) == 0 else array_of(value)
        if array is not None:
            value = self.local(name, value)
        return self._all.argument(value, f"'{name}' of rank {self.rank}")

    def _known(self, name: str) -> Buffer | None:
        return self._all.of(self.rank).get(name)

    def _allocate(self, name: str, contents: Any, dtype: Any) -> Buffer:
        known = self._known(name)
        if known is not None:
            return known
        array = array_of(contents) if dtype is None else array_as(contents, dtype)
        if array is None and isinstance(contents, Iterable):
            import numpy as np

            array = array_of(np.asarray(contents))
        if array is None:
            raise misuse(f"the contents of '{name}' must be an array; given {contents!r}: mem.zeros and mem.empty take a count.")
        return self._made(name, *array)

    def _made(self, name: str, element: str, count: int, data: bytes | None) -> Buffer:
        if count < 1:
            raise misuse(f"'{name}' must have an element at least; given {count}.")
        if count * size_of(element) > MOST_BYTES:
            raise misuse(f"'{name}' has more than {MOST_BYTES} bytes; a smaller one finds the same.")
        buffer = Buffer(name, self._all.number(name), self.rank, element, count, data)
        self._all.of(self.rank)[name] = buffer
        return buffer
