"""Checks public launchers as they are, and those that are mended: launchers.py --json FILE --kraken FOLDER ...

``--kraken``, ``--recipes`` and ``--torchcomms`` are checkouts. The results name their commits.
"""

import argparse
import importlib
import json
import tempfile
from pathlib import Path

from times import copy_changed, git, machine, provenance, recorded

SOURCES = {
    "kraken": "meta-pytorch/kraken",
    "recipes": "yifuwang/symm-mem-recipes",
    "torchcomms": "meta-pytorch/torchcomms",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", required=True)
    for name in SOURCES:
        parser.add_argument(f"--{name}")
    given = vars(parser.parse_args())
    head = {**provenance(), "machine": machine()}
    rows = []
    for name, repository in SOURCES.items():
        if given[name] is None:
            continue
        commit = git(given[name], "rev-parse", "HEAD")
        for one in checked(f"{name}_launchers", given[name]):
            rows.append({"repository": repository, "at": commit, **one})
            print(rows[-1], flush=True)
            Path(given["json"]).write_text(json.dumps({**head, "rows": rows}, indent=1) + "\n")


def checked(module, folder):
    """The launchers of a module on the numbers of ranks that they take, and then those that are mended."""
    launches = importlib.import_module(module)
    with tempfile.TemporaryDirectory() as cache:
        for ranks in launches.RANKS:
            for launcher in launches.LAUNCHERS:
                yield row(module, launcher, folder, ranks, cache, mended=False)
    for launcher, (file, old, new) in launches.MENDS.items():
        with tempfile.TemporaryDirectory() as copy:
            # A cache of its own: Triton's keys do not have the functions of other modules.
            copy_changed(folder, copy, file, old, new)
            for ranks in launches.RANKS:
                yield row(module, launcher, copy, ranks, Path(copy, "cache"), mended=True)


def row(module, launcher, folder, ranks, cache, mended):
    made = recorded(folder, launcher, ranks, cache, module=module)
    seconds, cpu = (round(one, 1) for one in made["times"][0])
    return {
        "launcher": launcher,
        "ranks": ranks,
        "mended": mended,
        "verdict": made["verdict"],
        "findings": made["findings"],
        "seconds": seconds,
        "cpu": cpu,
    }


if __name__ == "__main__":
    main()
