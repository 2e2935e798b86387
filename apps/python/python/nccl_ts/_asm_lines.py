"""Lines of inline assembly in PTX, as newer versions of Triton give them."""

from __future__ import annotations

import re

_BEGIN, _END = "// begin inline asm", "// end inline asm"
_LOC = re.compile(r"\s*\.loc\s+(\d+)\s+(\d+)(.*)")


def with_lines_of_assembly(ptx: str) -> str:
    """Counts the lines of inline assembly from the line of its call, as LLVM does since Triton 3.9.

    PTX in which they are counted already stays as it is.
    """
    made: list[str] = []
    location: re.Match[str] | None = None
    number: int | None = None
    for line in ptx.split("\n"):
        text = line.strip()
        found = _LOC.match(line)
        if found:
            if number is not None:
                return ptx
            location = found
        elif text == _END:
            made.append(line)
            if number is not None and location is not None:
                made.append(location[0])
            number = None
            continue
        elif number is not None and location is not None:
            if text and text[0] not in "{}." and not text.startswith("//"):
                made.append(f"\t.loc\t{location[1]} {int(location[2]) + number}{location[3]}")
            number += 1
        elif text == _BEGIN and location is not None:
            number = 0
        made.append(line)
    return "\n".join(made)
