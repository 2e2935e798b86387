"""Each kernel of the museum has the verdict and the lines of its launch in TypeScript."""

import json
import os
import subprocess
import sys
from pathlib import Path

import nccl_ts
import pytest
from museum import EXHIBITS, experts

FOLDER = Path(__file__).parents[3] / "examples" / "museum"


def of_launch(folder, *words, **variables):
    """The report of the command on a launch in TypeScript, which needs no installation."""
    command = [sys.executable, "-m", "nccl_ts", "check", *words, "--json"]
    done = subprocess.run(command, cwd=FOLDER / folder, capture_output=True, env={**os.environ, **variables})
    assert done.stdout, done.stderr.decode()
    return json.loads(done.stdout)


def found(report):
    """The parts of a report that do not depend on names of arguments."""
    parts = []
    for finding in report["findings"]:
        places = [(one["does"], one["place"]["file"], one["place"]["line"]) for one in finding["labels"] if one.get("place")]
        waits = [one["place"]["line"] for one in (finding.get("deadlock") or {}).get("waiting", []) if one.get("place")]
        parts.append((finding["kind"], finding["severity"], places, waits))
    return report["verdict"], parts


@pytest.mark.parametrize("kind", ["broken", "mended"])
@pytest.mark.parametrize("folder", sorted(EXHIBITS))
def test_verdict_and_lines_are_those_of_the_launch_in_typescript(folder, kind):
    given = dict(EXHIBITS[folder])
    report = nccl_ts.check(FOLDER / folder / f"{kind}.ptx", **given)
    assert found(report.json) == found(of_launch(folder, f"{kind}.ptx", "--harness", "launch.ts"))
    assert report.ok == (kind == "mended")


@pytest.mark.parametrize(("kind", "grid"), [("broken", 4), ("mended", 3)])
def test_verdict_and_lines_of_too_many_ctas_are_those_of_the_launch_in_typescript(kind, grid):
    report = nccl_ts.check(FOLDER / "grid-barrier/kernel.ptx", **experts(grid))
    assert found(report.json) == found(of_launch("grid-barrier", f"{kind}.launch.ts", "--resident-ctas", "4"))
    assert report.ok == (kind == "mended")


def test_findings_equal_those_of_the_launch_in_typescript_byte_for_byte():
    report = nccl_ts.check(FOLDER / "no-end-barrier/broken.ptx", **EXHIBITS["no-end-barrier"])
    launch = of_launch("no-end-barrier", "broken.ptx", "--harness", "launch.ts")
    assert json.dumps(report.json["findings"]) == json.dumps(launch["findings"])
