"""A launch in Python alone has at most 15 lines, structures apart."""

from pathlib import Path

import pytest
from description_lines import lines_of

HERE = Path(__file__).parent
TABLES = {
    "EXHIBITS": HERE / "museum.py",
    "REPRODUCTIONS": HERE / "reproductions.py",
    "LAUNCHES": HERE.parents[2] / "examples" / "acceptance" / "launches.py",
}
MOST = 15


@pytest.mark.parametrize("table", TABLES)
def test_each_launch_has_few_lines(table):
    counts = lines_of(TABLES[table], table)
    assert len(counts) >= 10
    assert {name: lines for name, lines in counts.items() if lines > MOST} == {}


def test_functions_count_for_each_launch_that_needs_them_and_long_lines_are_several(tmp_path):
    file = tmp_path / "launches.py"
    file.write_text(
        "class Table(Structure):\n    fields = []\n\n\n"
        "def helper(rank):\n    return rank\n\n\n"
        "def args(rank, mem):\n\n    return [helper(rank), Table()]\n\n\n"
        'ALL = {\n    "one": dict(ranks=2, args=args),\n    "two": dict(ranks=' + "1" * 120 + ", args=helper),\n}\n"
    )
    assert lines_of(file, "ALL") == {"one": 5, "two": 4}
