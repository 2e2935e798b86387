"""``nccl_ts.check``: a kernel, and the launches that it describes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Mapping, Sequence

from ._errors import misuse
from ._kernels import Extent, extent, sources_of, text_of
from ._memory import Allocations, Memory
from ._node import begin
from ._report import Report, check_program

Arguments = Callable[..., Sequence[Any]]


def check(
    kernel: Any,
    *,
    ranks: int | Sequence[int],
    grid: Extent,
    args: Arguments,
    block: Extent | None = None,
    entry: str | None = None,
    launches: int = 2,
    streams: int = 1,
    shared: int = 0,
    cluster: Extent | None = None,
    programmatic: bool | None = None,
    known: Mapping[int, int] | None = None,
    local: bool = False,
    stand_in: bool = False,
    flags: Sequence[str] = (),
    options: Sequence[str] = (),
    timeout: float | None = None,
    **constants: Any,
) -> Report:
    """Checks a kernel on simulated ranks, without a GPU.

    ``kernel`` is a ``.cu`` or ``.ptx`` file, PTX, or a function of Triton. ``args(rank, mem)`` returns
    the arguments of a launch; with a third parameter, ``launch``, it is called for each, from 0.
    ``mem`` is a :class:`Memory`. ``ranks`` may be several numbers, such as ``(2, 3, 4)``.

    ``constants`` are for Triton: the ``tl.constexpr`` parameters, ``num_warps`` and the like.
    ``flags`` are for nvcc, and ``options`` for ``nccl-ts check``.

    Returns a :class:`Report`; ``report.expect_clean()`` raises if there is a finding. Raises
    :class:`NcclTsError` if there could be no check.
    """
    counts = [ranks] if isinstance(ranks, int) else list(ranks)
    if not counts:
        raise misuse("ranks must have a number of ranks at least.")
    begin()
    common = {"launches": launches, "streams": streams, "local": local}
    if hasattr(kernel, "arg_names") and hasattr(kernel, "run"):
        from ._triton import program_of_function

        if block is not None:
            raise misuse("Triton decides the block: leave block out, and write num_warps.")
        program = program_of_function(kernel, counts, grid, _by_launch(args), launches, streams, local, constants)
        return check_program(program, options, flags, timeout)
    if constants:
        raise TypeError(f"check() got an unexpected keyword argument {next(iter(constants))!r}")
    if block is None:
        raise misuse("block is missing: the number of threads of a CTA.")
    described: dict[str, Any] = {
        "text": "kernel",
        "entry": entry or "",
        "grid": extent(grid, "grid"),
        "block": extent(block, "block"),
        "dynamicShared": shared,
    }
    if cluster is not None:
        described["cluster"] = extent(cluster, "cluster")
    if programmatic is not None:
        described["programmatic"] = programmatic
    if known:
        described["known"] = {str(offset): str(value) for offset, value in known.items()}
    text = text_of(kernel)
    folder = Path.cwd() if isinstance(kernel, str) and ".entry" in kernel else Path(kernel).resolve().parent
    program = {
        "format": "nccl-ts/program",
        "version": 1,
        **common,
        "texts": {"kernel": text},
        "sources": sources_of(text["ptx"], folder) if "ptx" in text else {},
        "kernel": described,
        "worlds": [_world(count, launches, _by_launch(args)) for count in counts],
    }
    return check_program(program, [*(["--stand-in"] if stand_in else []), *options], flags, timeout)


def _by_launch(args: Arguments) -> Arguments:
    """The function with a third parameter, the launch."""
    import inspect

    if len(inspect.signature(args).parameters) >= 3:
        return args
    return lambda rank, mem, launch: args(rank, mem)


def _world(ranks: int, launches: int, args: Arguments) -> dict[str, Any]:
    allocations = Allocations(ranks)
    programs = []
    for rank in range(ranks):
        mem = Memory(allocations, rank)
        lists = []
        between = []
        for launch in range(launches):
            given = args(rank, mem, launch)
            between.append(mem.writes(launch))
            lists.append([mem.argument(one, f"argument {i}") for i, one in enumerate(given)])
        same = all(one == lists[0] for one in lists)
        programs.append(
            {
                **({"args": lists[0]} if same else {"argsByLaunch": lists}),
                **({"between": between[1:]} if any(between) else {}),
                "expect": mem.expectations(),
            }
        )
    return {"ranks": ranks, "memory": allocations.json(), "programs": programs}
