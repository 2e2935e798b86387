"""Addresses that tell what they point to, so that bytes which contain them can be recognised.

The upper 16 bits are a mark, followed by the number of the memory (10 bits), the rank (10 bits) and
the offset (28 bits).
"""

from __future__ import annotations

from typing import NamedTuple

MARK = 0x5ACC
MULTICAST = 1023
MOST_MEMORY = 1024
MOST_BYTES = 1 << 28


class Place(NamedTuple):
    """A byte of memory at a rank, which is ``MULTICAST`` for all of them at once."""

    memory: int
    rank: int
    offset: int


def address_of(place: Place) -> int:
    """The number that stands for the address."""
    return MARK << 48 | place.memory << 38 | place.rank << 28 | place.offset


def place_of(number: int) -> Place | None:
    """The place that a number stands for, if it has the mark."""
    if number >> 48 != MARK:
        return None
    return Place(number >> 38 & 1023, number >> 28 & 1023, number & (MOST_BYTES - 1))


def places_in(data: bytes) -> list[tuple[int, Place]]:
    """The addresses at multiples of 8 bytes, with their offsets."""
    mark = MARK.to_bytes(2, "little")
    found = []
    end = data.find(mark)
    while end >= 0:
        if end % 8 == 6:
            place = place_of(int.from_bytes(data[end - 6 : end + 2], "little"))
            if place is not None:
                found.append((end - 6, place))
        end = data.find(mark, end + 1)
    return found
