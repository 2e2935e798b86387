"""Checks the launchers of Kraken: python launchers.py --kraken FOLDER --json FILE."""

import argparse
import json
import tempfile
from pathlib import Path

from kraken_launchers import LAUNCHERS
from times import machine, provenance, recorded


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", required=True)
    parser.add_argument("--kraken", required=True)
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as cache:
        for ranks in (2, 4):
            for name, launcher in LAUNCHERS.items():
                made = recorded(given.kraken, launcher.__name__, ranks, cache)
                rows.append({"launcher": name, "ranks": ranks, "verdict": made["verdict"], "findings": made["findings"]})
                print(rows[-1], flush=True)
    results = {**provenance(), "machine": machine(), "launchers": rows}
    Path(given.json).write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
