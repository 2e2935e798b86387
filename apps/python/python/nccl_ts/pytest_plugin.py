"""The plug-in for pytest: the fixture and marker ``nccl_check``, and reports without a traceback."""

from __future__ import annotations

import os
from typing import Any, Callable, Iterator, Sequence

import pytest

from ._report import CheckFailed, Report

_ANNOTATION = "nccl-ts annotation"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("nccl-ts", "checks of GPU kernels that communicate")
    group.addoption("--nccl-ranks", metavar="LIST", help="check with these numbers of ranks, such as 2,3,4")
    group.addoption("--nccl-strict", action="store_true", help="checks that reach a bound fail too")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "nccl_check(ranks, **options): the test is a launcher, which runs once for each rank, and is checked; "
        "it may take rank, and return [(tensor, expected), ...].",
    )
    # xdist's workers send their reports to the process that has this one.
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Annotations(), "nccl-ts-annotations")


def ranks_of(config: pytest.Config, given: int | Sequence[int]) -> int | list[int]:
    """The numbers of ranks, which the command line may replace."""
    listed = config.getoption("--nccl-ranks")
    if listed is None:
        return given if isinstance(given, int) else list(given)
    try:
        return [int(one) for one in listed.split(",")]
    except ValueError:
        raise pytest.UsageError(f"--nccl-ranks {listed}: write numbers with commas between them, such as 2,3,4") from None


@pytest.fixture
def nccl_check(request: pytest.FixtureRequest) -> Callable[..., Report]:
    """``nccl_ts.check``, whose findings fail the test."""
    from ._check import check

    def checked(kernel: Any, **given: Any) -> Report:
        __tracebackhide__ = True
        given["ranks"] = ranks_of(request.config, given.get("ranks", (2, 3, 4)))
        return check(kernel, **given).expect_clean(strict=request.config.getoption("--nccl-strict"))

    return checked


@pytest.fixture
def rank() -> int:
    """The rank on which a launcher runs, in tests with the marker ``nccl_check``."""
    return 0


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Records a test with the marker once for each rank, and checks it."""
    marker = pyfuncitem.get_closest_marker("nccl_check")
    if marker is None:
        return None
    from ._record import record

    given = dict(marker.kwargs)
    if marker.args:
        [given["ranks"]] = marker.args
    given["ranks"] = ranks_of(pyfuncitem.config, given.get("ranks", (2, 3, 4)))
    values = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}

    def launcher(rank: int) -> Any:
        return pyfuncitem.obj(**{**values, **({"rank": rank} if "rank" in values else {})})

    record(launcher, **given).expect_clean(strict=pyfuncitem.config.getoption("--nccl-strict"))
    return True


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    outcome: Any = yield
    made: pytest.TestReport = outcome.get_result()
    error = None if call.excinfo is None else call.excinfo.value
    if not isinstance(error, CheckFailed):
        return
    made.longrepr = _finding_first(error.report.text)
    for finding in error.report.findings:
        place = finding.place
        where = "" if place is None else f"{place[0]}:{place[1]}"
        found = (f"nccl-ts {finding.kind}", where)
        annotation = (_ANNOTATION, _annotation(finding.severity, place, f"{finding.kind}: {finding.message}"))
        item.user_properties.append(found)
        made.user_properties.append(found)
        if os.environ.get("GITHUB_ACTIONS") == "true":
            made.user_properties.append(annotation)


def _finding_first(text: str) -> str:
    """The report with its heading at the end, since pytest's summary shows the first line."""
    heading, _, rest = text.partition("\n\n")
    return f"{rest}\n{heading}" if rest and "\n" not in heading else text


def _annotation(severity: str, place: tuple[str, int] | None, message: str) -> str:
    kind = "error" if severity == "error" else "warning"
    at = "" if place is None else f" file={place[0]},line={place[1]}"
    return f"::{kind}{at}::{message.replace('%', '%25').replace(chr(10), '%0A')}"


class _Annotations:
    """Collects the annotations of a run, and prints them at its end, outside of captured output."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            self._lines += [str(text) for name, text in report.user_properties if name == _ANNOTATION]

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        for line in dict.fromkeys(self._lines):
            terminalreporter.write_line(line)
