"""Each kernel of the museum has the verdict and the lines of its launch in TypeScript."""

import json

import nccl_ts
import pytest
from launch_reports import MUSEUM, found, of_launch
from museum import EXHIBITS, experts


@pytest.mark.parametrize("kind", ["broken", "mended"])
@pytest.mark.parametrize("folder", sorted(EXHIBITS))
def test_verdict_and_lines_are_those_of_the_launch_in_typescript(folder, kind):
    given = dict(EXHIBITS[folder])
    report = nccl_ts.check(MUSEUM / folder / f"{kind}.ptx", **given)
    assert found(report.json) == found(of_launch(folder, f"{kind}.ptx", "--harness", "launch.ts"))
    assert report.ok == (kind == "mended")


@pytest.mark.parametrize(("kind", "grid"), [("broken", 4), ("mended", 3)])
def test_verdict_and_lines_of_too_many_ctas_are_those_of_the_launch_in_typescript(kind, grid):
    report = nccl_ts.check(MUSEUM / "grid-barrier/kernel.ptx", **experts(grid))
    assert found(report.json) == found(of_launch("grid-barrier", f"{kind}.launch.ts", "--resident-ctas", "4"))
    assert report.ok == (kind == "mended")


def test_findings_equal_those_of_the_launch_in_typescript_byte_for_byte():
    report = nccl_ts.check(MUSEUM / "no-end-barrier/broken.ptx", **EXHIBITS["no-end-barrier"])
    launch = of_launch("no-end-barrier", "broken.ptx", "--harness", "launch.ts")
    assert json.dumps(report.json["findings"]) == json.dumps(launch["findings"])
