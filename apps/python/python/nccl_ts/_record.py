"""``nccl_ts.record``: an unmodified launcher, run once for each rank."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Any, Callable, Iterator, Sequence

from ._errors import NcclTsError, misuse
from ._kernels import Kernels, KernelShape, source_text
from ._memory import Allocations, Buffer, Memory
from ._node import begin
from ._report import Report, check_program
from ._triton import Value, argument_of, recording


class RankRecording:
    """What a launcher did on one rank."""

    def __init__(self, allocations: Allocations, kernels: Kernels, rank: int) -> None:
        self.mem = Memory(allocations, rank)
        self.rank = rank
        self.ranks = allocations.ranks
        self.steps: list[dict[str, Any]] = []
        self.streams = 1
        self.events = 0
        self._kernels = kernels

    def launch(self, shape: KernelShape, grid: Any, args: list[Any], stream: int) -> None:
        """A launch of a kernel."""
        name = self._kernels.name_of(self.rank, shape)
        step = {"kind": "launch", "kernel": name, "args": args, "grid": grid, "block": shape.block, "stream": stream}
        self.steps.append(step)

    def step(self, kind: str, **fields: Any) -> None:
        """Another step. A field of None is left out."""
        self.steps.append({"kind": kind, **{name: value for name, value in fields.items() if value is not None}})


def record(
    launcher: Callable[..., Any],
    *,
    ranks: int | Sequence[int],
    local: bool = False,
    options: Sequence[str] = (),
    timeout: float | None = None,
) -> Report:
    """Runs an unmodified launcher once for each rank, and checks what it launched, without a GPU.

    ``launcher(rank)`` or ``launcher()`` launches functions of Triton, ``kernel[grid](...)``. It may use
    torch: tensors on the CPU or "cuda", symmetric memory, streams and events, copies. It may return
    ``(tensor, expected)`` or a list of such: tensors whose contents after all launches are compared.

    The launcher must not read results, which exist only in the check: doing so raises
    :class:`NcclTsError`, as do reads by ``print``, ``item`` or ``allclose``.

    Returns a :class:`Report`, as ``check`` does.
    """
    counts = [ranks] if isinstance(ranks, int) else list(ranks)
    if not counts:
        raise misuse("ranks must have a number of ranks at least.")
    begin()
    texts: dict[str, Any] = {}
    worlds, all_kernels = [], []
    for count in counts:
        kernels = Kernels(count)
        kernels.texts = texts
        all_kernels.append(kernels)
        worlds.append(_world(launcher, count, kernels))
    described = [kernels.json() for kernels in all_kernels]
    merged = {name: one for each in reversed(described) for name, one in each.items()}
    if not merged:
        raise NcclTsError("the launcher launched no kernel of Triton on any rank.", "NCCLTS_NO_LAUNCH")
    if len(worlds) > 1:
        for world, own in zip(worlds, described):
            nobody = [None] * world["ranks"]
            world["kernels"] = {
                name: {field: own[name][field] if name in own else nobody for field in ("text", "entry")} for name in merged
            }
    program = {
        "format": "nccl-ts/program",
        "version": 1,
        "local": local,
        "texts": texts,
        "sources": {**_sources_of_steps(worlds), **{name: text for each in all_kernels for name, text in each.sources.items()}},
        "kernels": merged,
        "worlds": worlds,
    }
    return check_program(program, options, (), timeout)


def _sources_of_steps(worlds: list[dict[str, Any]]) -> dict[str, str]:
    """The launchers whose lines copies and words have."""
    places = {
        step["location"].rsplit(":", 2)[0]
        for world in worlds
        for program in world["programs"]
        for step in program["steps"]
        if step.get("location")
    }
    return {name: text for name in places for text in [source_text(Path(name))] if text is not None}


def _world(launcher: Callable[..., Any], ranks: int, kernels: Kernels) -> dict[str, Any]:
    import inspect

    allocations = Allocations(ranks)
    takes_rank = bool(inspect.signature(launcher).parameters)
    programs = []
    for rank in range(ranks):
        made = RankRecording(allocations, kernels, rank)
        with _stand_ins(made) as values:

            def listen(shape: KernelShape, grid: Any, given: list[Value], stream: int) -> None:
                args = [argument_of(made.mem, *one, values.address) for one in given]
                made.launch(shape, grid, args, stream)

            with recording(listen) as driver:
                values.use(driver)
                results = launcher(rank) if takes_rank else launcher()
            expected = values.expectations(results)
        programs.append({"steps": made.steps, "expect": [*made.mem.expectations(), *expected]})
    return {"ranks": ranks, "memory": allocations.json(), "programs": programs}


class PlainValues:
    """Values of launchers that do not use torch: buffers have their addresses."""

    def __init__(self, made: RankRecording) -> None:
        self._made = made

    def use(self, driver: Any) -> None:
        pass

    def address(self, value: Any, name: str) -> int:
        return value if isinstance(value, int) else int(value.data_ptr())

    def expectations(self, results: Any) -> list[dict[str, Any]]:
        for buffer, expected in pairs_of(results):
            if not isinstance(buffer, Buffer):
                raise misuse(f"a launcher must return pairs of a tensor and its contents; given {buffer!r}.")
            self._made.mem.expect(buffer, expected)
        return []


def pairs_of(results: Any) -> list[tuple[Any, Any]]:
    """What a launcher returns: nothing, a pair, or a list of pairs."""
    if results is None:
        return []
    if isinstance(results, tuple) and len(results) == 2 and not isinstance(results[0], tuple):
        return [results]
    pairs = list(results)
    if all(isinstance(one, tuple) and len(one) == 2 for one in pairs):
        return pairs
    raise misuse(f"a launcher must return pairs of a tensor and its contents, or nothing; given {results!r}.")


@contextlib.contextmanager
def _stand_ins(made: RankRecording) -> Iterator[Any]:
    # A launcher that uses torch has imported it; it is never imported for others.
    if "torch" not in sys.modules:
        yield PlainValues(made)
        return
    from ._torch import TorchValues
    from ._torch_gpu import stand_ins

    with stand_ins(made) as values:
        assert isinstance(values, TorchValues)
        yield values
