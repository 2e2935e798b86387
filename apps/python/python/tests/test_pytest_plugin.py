"""The plug-in, as the tests of a user see it."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

FOLDER = Path(__file__).parents[3] / "examples" / "museum" / "no-end-barrier"

TESTS = f"""
import ctypes, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from museum import EXHIBITS

FOLDER = {str(FOLDER)!r}

def test_broken(nccl_check):
    nccl_check(FOLDER + "/broken.ptx", **EXHIBITS["no-end-barrier"])

def test_mended(nccl_check):
    nccl_check(FOLDER + "/mended.ptx", **EXHIBITS["no-end-barrier"])
"""


def run(pytester, monkeypatch, *words, github=True):
    monkeypatch.setenv("GITHUB_ACTIONS", str(github).lower())
    # pytest cuts the lines of its summary at the width of the terminal.
    monkeypatch.setenv("COLUMNS", "300")
    pytester.makepyfile(TESTS)
    return pytester.runpytest_subprocess(*words)


def test_a_finding_is_red_without_a_traceback(pytester, monkeypatch):
    result = run(pytester, monkeypatch, "--junitxml=junit.xml")
    result.assert_outcomes(passed=1, failed=1)
    text = result.stdout.str()
    assert "error[race]: a load and a store of the same bytes are not ordered" in text
    assert "--> broken.cu:34:5" in text
    assert "def test_broken" not in text
    assert "test_broken - error[race]: a load and a store" in text
    assert "::error file=broken.cu,line=34::race: a load and a store" in text
    case = ElementTree.parse(pytester.path / "junit.xml").getroot().find(".//testcase[@name='test_broken']")
    assert [(one.get("name"), one.get("value")) for one in case.iter("property")] == [("nccl-ts race", "broken.cu:34")]
    assert "error[race]" in case.find("failure").text


def test_tests_run_side_by_side(pytester, monkeypatch):
    pytest.importorskip("xdist")
    result = run(pytester, monkeypatch, "-n", "2")
    result.assert_outcomes(passed=1, failed=1)
    assert result.stdout.str().count("::error file=broken.cu,line=34::race") == 1


def test_annotations_are_for_github_only(pytester, monkeypatch):
    assert "::error" not in run(pytester, monkeypatch, github=False).stdout.str()


def test_ranks_are_those_of_the_command_line(pytester, monkeypatch):
    result = run(pytester, monkeypatch, "--nccl-ranks", "3", "-k", "broken")
    assert "allReduce on 3 ranks: checked" in result.stdout.str()


def test_a_check_that_is_incomplete_fails_strict_tests(pytester):
    # No rank reaches the memory of another, so the check says little.
    pytester.makepyfile(
        test_bounds="""
PTX = '''.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 at)
{
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [at];
  st.global.u32 [%rd1], 7;
  ret;
}'''

def test_alone(nccl_check):
    nccl_check(PTX, ranks=2, grid=1, block=1, args=lambda rank, mem: [mem.zeros("data", 1, "uint32")])
"""
    )
    pytester.runpytest_subprocess().assert_outcomes(passed=1)
    pytester.runpytest_subprocess("--nccl-strict").assert_outcomes(failed=1)
