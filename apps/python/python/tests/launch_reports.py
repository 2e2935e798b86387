"""Reports of the command on launches in TypeScript, to compare those in Python with."""

import json
import os
import subprocess
import sys
from pathlib import Path

MUSEUM = Path(__file__).parents[3] / "examples" / "museum"


def of_launch(folder, *words, **variables):
    """The report of the command on a launch in TypeScript, which needs no installation."""
    command = [sys.executable, "-m", "nccl_ts", "check", *words, "--json"]
    done = subprocess.run(command, cwd=MUSEUM / folder, capture_output=True, env={**os.environ, **variables})
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
