"""The report of a check."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Mapping, Sequence

from ._errors import NcclTsError
from ._node import run


class CheckFailed(AssertionError):
    """A check found an error, or was not complete where it must be. It has the ``report``."""

    def __init__(self, report: Report) -> None:
        super().__init__(report.text)
        self.report = report


class Finding:
    """A finding of a check. ``json`` has all of it, as ``nccl-ts check --json`` prints it."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self.json = found

    @property
    def kind(self) -> str:
        """The kind, such as ``race``: ``nccl-ts explain race`` explains it."""
        return str(self.json["kind"])

    @property
    def severity(self) -> str:
        return str(self.json["severity"])

    @property
    def message(self) -> str:
        return str(self.json["message"])

    @property
    def places(self) -> list[tuple[str, int]]:
        """The files and lines of the accesses, or of the waits that never end."""
        parts: list[Any] = [*self.json.get("labels", [])]
        parts += [self.json.get("fault")] if self.json.get("fault") else []
        parts += (self.json.get("deadlock") or {}).get("waiting", [])
        known = [part["place"] for part in parts if part.get("place")]
        return [(str(place.get("source") or place["file"]), int(place["line"])) for place in known]

    @property
    def place(self) -> tuple[str, int] | None:
        """The first place."""
        return next(iter(self.places), None)

    def __repr__(self) -> str:
        place = self.place
        return f"<{self.kind}{'' if place is None else f' at {place[0]}:{place[1]}'}: {self.message}>"


class Report:
    """The result of a check.

    ``verdict`` is ``clean``, ``incomplete`` or the kind of the worst finding. ``text`` is the report
    for people.
    """

    def __init__(self, json: Mapping[str, Any], program: Mapping[str, Any]) -> None:
        self.json = json
        self.program = program
        self.verdict: str = json["verdict"]
        self.text: str = json["text"]
        self.findings: list[Finding] = [Finding(one) for one in json["findings"]]

    @property
    def ok(self) -> bool:
        """Whether no error was found. The check may have reached a bound."""
        return self.verdict in ("clean", "incomplete")

    def expect_clean(self, strict: bool = False) -> Report:
        """Returns the report.

        Raises CheckFailed if there is an error, or, if it is ``strict``, a bound was reached.
        """
        if self.ok and not (strict and self.verdict == "incomplete"):
            return self
        raise CheckFailed(self)

    def save(self, path: str | Path) -> None:
        """Writes the program, which ``nccl-ts check PATH`` checks again, without Python and Triton."""
        try:
            Path(path).write_text(json.dumps(self.program) + "\n", "utf8")
        except OSError as error:
            raise NcclTsError(f"the program could not be saved to {path}: {error}", "NCCL_SYSTEM_ERROR") from error

    def __repr__(self) -> str:
        return f"<Report: {self.verdict}, {len(self.findings)} findings>"


def check_program(
    program: Mapping[str, Any], options: Sequence[str] = (), flags: Sequence[str] = (), timeout: float | None = None
) -> Report:
    """Checks a program in JSON. ``options`` are those of the command, ``flags`` those of nvcc."""
    words = ["check", "-", "--json", "--json-text", *options, *(["--", *flags] if flags else [])]
    code, out, err = run(words, json.dumps(program), timeout)
    if out.lstrip().startswith("{"):
        return Report(json.loads(out), program)
    found = re.search(r"error(?:\[(\w+)\])?: (.*)", err, re.DOTALL)
    if found is None:
        how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
        raise NcclTsError(f"the command {how}, without a report. {err.strip()}".rstrip(), "NCCL_SYSTEM_ERROR")
    raise NcclTsError(found[2].strip(), found[1])
