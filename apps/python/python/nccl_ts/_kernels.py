"""The kernels of a program: texts, entries and shapes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple, Sequence, Union

from ._errors import misuse

Extent = Union[int, Sequence[int]]


def extent(given: Extent, what: str) -> Any:
    """A grid, block or cluster of a program."""
    if isinstance(given, int):
        return given
    sizes = [int(one) for one in given]
    if not 1 <= len(sizes) <= 3:
        raise misuse(f"{what} must be a number or up to three; given {given!r}.")
    return dict(zip("xyz", sizes))


def text_of(kernel: Any) -> dict[str, Any]:
    """The text of a kernel: a .cu or .ptx file, or PTX."""
    if isinstance(kernel, str) and ".entry" in kernel:
        return {"ptx": kernel, "name": "kernel.ptx"}
    path = Path(kernel)
    if path.suffix not in (".cu", ".ptx"):
        raise misuse(f"a kernel must be a .cu or .ptx file, PTX, or a function of Triton; given {kernel!r}.")
    if not path.is_file():
        raise misuse(f"there is no file {path}.")
    if path.suffix == ".cu":
        return {"file": str(path.resolve())}
    return {"ptx": path.read_text("utf8"), "name": path.name}


#: Larger files are no sources.
_MOST_SOURCE = 1 << 20


def sources_of(ptx: str, folder: Path) -> dict[str, str]:
    """The sources that PTX names, by these names, so that a saved program shows their lines."""
    found = {}
    for name in re.findall(r'^\s*\.file\s+\d+\s+"([^"]+)"', ptx, re.MULTILINE):
        text = source_text(folder / name)
        if text is not None:
            found[name] = text
    return found


def source_text(path: Path) -> str | None:
    """The text of a source file, if there is one."""
    if not path.is_file() or path.stat().st_size > _MOST_SOURCE:
        return None
    return path.read_text("utf8", "replace")


class KernelShape(NamedTuple):
    """Everything about a kernel that its launches share."""

    name: str
    entry: str
    text: tuple[tuple[str, str], ...]
    grid: Any
    block: Any
    shared: int = 0
    cluster: Any = None
    programmatic: bool | None = None

    def json(self, text: Any, entry: Any) -> dict[str, Any]:
        made = {"text": text, "entry": entry, "grid": self.grid, "block": self.block, "dynamicShared": self.shared}
        if self.cluster is not None:
            made["cluster"] = self.cluster
        if self.programmatic is not None:
            made["programmatic"] = self.programmatic
        return made


class Kernels:
    """The kernels by name. Compilers may make another text for each rank, and for each launch."""

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks
        self.texts: dict[str, Any] = {}
        self.sources: dict[str, str] = {}
        self._made: dict[str, list[KernelShape | None]] = {}
        self._names: dict[tuple[int, KernelShape], str] = {}

    def name_of(self, rank: int, shape: KernelShape) -> str:
        """The name with which a rank launches a kernel."""
        key = (rank, shape)
        known = self._names.get(key)
        if known is not None:
            return known
        number = 1
        while True:
            name = shape.name if number == 1 else f"{shape.name} ({number})"
            made = self._made.setdefault(name, [None] * self.ranks)
            if made[rank] is None and all(one is None or _alike(one, shape) for one in made):
                break
            number += 1
        made[rank] = shape
        self._names[key] = name
        return name

    def json(self) -> dict[str, Any]:
        kernels = {}
        for name, made in self._made.items():
            texts = [None if one is None else self._text(one) for one in made]
            entries = [None if one is None else one.entry for one in made]
            first = next(one for one in made if one is not None)
            kernels[name] = first.json(_one_of(texts), _one_of(entries))
        return kernels

    def _text(self, shape: KernelShape) -> str:
        text = dict(shape.text)
        if "ptx" in text:
            self.sources.update(sources_of(text["ptx"], Path.cwd()))
        base = text.get("name") or Path(text["file"]).name
        name, number = base, 1
        while self.texts.setdefault(name, text) != text:
            number += 1
            name = f"{base} ({number})"
        return name


def _alike(one: KernelShape, other: KernelShape) -> bool:
    return (one.shared, one.cluster, one.programmatic) == (other.shared, other.cluster, other.programmatic)


def _one_of(values: list[Any]) -> Any:
    known = {one for one in values if one is not None}
    return next(iter(known)) if len(known) == 1 else values
