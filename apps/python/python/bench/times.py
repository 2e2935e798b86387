"""Measures what the package costs: python times.py --json FILE [--wheel FILE --wheels FOLDER] [--kraken FOLDER].

``--wheels`` has our dependencies and pytest, downloaded by ``pip download``. With them, a fresh
environment is made and used. With ``--kraken``, a checkout, torch must be installed here.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
MUSEUM = ROOT / "apps" / "examples" / "museum" / "no-end-barrier"
ROUNDS = 7

TESTS = f"""
import sys
sys.path.insert(0, {str(HERE.parent / "tests")!r})
from museum import EXHIBITS

def test_broken(nccl_check):
    nccl_check({str(MUSEUM / "broken.ptx")!r}, **EXHIBITS["no-end-barrier"])

def test_mended(nccl_check):
    nccl_check({str(MUSEUM / "mended.ptx")!r}, **EXHIBITS["no-end-barrier"])
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", required=True)
    parser.add_argument("--wheel")
    parser.add_argument("--wheels")
    parser.add_argument("--kraken")
    given = parser.parse_args()
    before = machine()
    rows = [*wheel(given), *imports(), *warm()]
    if given.kraken:
        sys.path.insert(0, str(HERE))
        rows += [*kraken(given.kraken), *mutants(given.kraken)]
    results = {**provenance(), "machine": before, "rows": rows}
    Path(given.json).write_text(json.dumps(results, indent=1) + "\n")


def machine():
    return f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"


def git(folder, *words):
    return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def provenance():
    dirty = "-dirty" if git(ROOT, "status", "--porcelain", "--untracked-files=no") else ""
    words = [Path(one).name if os.path.isabs(one) else one for one in sys.argv[1:]]
    return {
        "commit": git(ROOT, "rev-parse", "HEAD") + dirty,
        "command": " ".join(["python", os.path.relpath(sys.argv[0], ROOT), *words]),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }


def row(what, times, bar, **more):
    """A row of seconds: wall time and processor time, of Python and of Node."""
    made = {"what": what, "bar": bar, **more}
    for name, all_of in zip(("seconds", "cpu"), zip(*times)):
        made[name] = {"median": round(statistics.median(all_of), 4), "all": [round(one, 4) for one in all_of]}
    print(f"{what}: {made['seconds']['median']} s, processor {made['cpu']['median']} s, at most {bar} {more or ''}", flush=True)
    return made


def child(script, *words, **variables):
    """What a script prints as JSON, in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parent / "tests")]), **variables}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", MEASURE + script, *words], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


#: The processor time of a check, and its wall time, are those of this process and of its Node.
MEASURE = """
import json, os, sys, time
import nccl_ts
from nccl_ts import _node

def of_node():
    if _node._commands is None:
        return 0.0
    try:
        with open(f"/proc/{_node._commands._process.pid}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
    except FileNotFoundError:
        return 0.0  # The check was stopped, which is its error.
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

def measured(run):
    start, cpu = time.perf_counter(), time.process_time() + of_node()
    made = run()
    return made, (time.perf_counter() - start, time.process_time() + of_node() - cpu)
"""


def wheel(given):
    if not given.wheel or not given.wheels:
        return []
    size = Path(given.wheel).stat().st_size
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder, "environment/bin/python")
        tests = Path(folder, "test_fresh.py")
        tests.write_text(TESTS)
        # No node is on this PATH, and no file of the user's is read.
        variables = {"PATH": folder, "HOME": folder}
        offline = ["--quiet", "--no-index", "--find-links", given.wheels]
        before = os.times()
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "venv", folder + "/environment"], check=True)
        subprocess.run([python, "-m", "pip", "install", *offline, given.wheel, "pytest"], env=variables, check=True)
        done = subprocess.run([python, "-m", "pytest", "-q", tests], env=variables, capture_output=True, text=True)
        took, after = time.perf_counter() - start, os.times()
    if "1 failed, 1 passed" not in done.stdout or "broken.cu:34:5" not in done.stdout:
        raise SystemExit(done.stdout + done.stderr)
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return [row("a fresh environment: made, installed, one red and one green test", [(took, cpu)], 20, wheelBytes=size)]


def imports():
    bare = """
import json, time
start, cpu = time.perf_counter(), time.process_time()
import nccl_ts
print(json.dumps((time.perf_counter() - start, time.process_time() - cpu)))
"""
    times = []
    for _ in range(ROUNDS):
        done = subprocess.run([sys.executable, "-c", bare], capture_output=True, text=True, check=True)
        times.append(json.loads(done.stdout))
    return [row("import nccl_ts", times, 0.05)]


def warm():
    """A whole test whose check is next to nothing, after the first: more than what a test adds to its check."""
    script = f"""
from museum import EXHIBITS
run = lambda: nccl_ts.check({str(MUSEUM / "mended.ptx")!r}, **EXHIBITS["no-end-barrier"])
for _ in range(3):
    run()
print(json.dumps([measured(run)[1] for _ in range({ROUNDS})]))
"""
    return [row("a warm test of a small kernel, its check included", child(script), 0.25)]


RECORD = """
sys.path.insert(0, sys.argv[1])
import importlib
launches = importlib.import_module(sys.argv[6])

rank_count, rounds = int(sys.argv[3]), int(sys.argv[4])
launcher = getattr(launches, sys.argv[2])
in_check, real = [0.0, 0.0], _node.run

def timed(*given):
    answer, took = measured(lambda: real(*given))
    in_check[:] = [one + more for one, more in zip(in_check, took)]
    return answer

import nccl_ts._report
nccl_ts._report.run = timed
if sys.argv[5]:
    nccl_ts.record(getattr(launches, sys.argv[5]), ranks=rank_count)
times, added = [], []
for _ in range(rounds):
    in_check[:] = 0.0, 0.0
    report, took = measured(lambda: nccl_ts.record(launcher, ranks=rank_count))
    times.append(took)
    added.append([one - less for one, less in zip(took, in_check)])
findings = [[one.severity, one.kind, [[os.path.basename(file), line] for file, line in one.places]] for one in report.findings]
print(json.dumps({"verdict": report.verdict, "findings": findings, "times": times, "added": added}))
"""


def recorded(folder, launcher, ranks, cache, rounds=1, before="", module="kraken_launchers"):
    """Records a launcher, after another one if there is one ``before``, so that Triton and Node are there."""
    return child(RECORD, str(folder), launcher, str(ranks), str(rounds), before, module, XDG_CACHE_HOME=str(cache))


def kraken(folder):
    with tempfile.TemporaryDirectory() as cache:
        # The first compiles the kernels, and the rounds after it are what the bars are about.
        eight = recorded(folder, "one_shot", 8, cache, 1 + ROUNDS)
        two = recorded(folder, "one_shot", 2, cache, 1 + ROUNDS)
    return [
        row("Kraken's one-shot on 8 ranks, the first in a process", eight["times"][:1], 4),
        row("Kraken's one-shot on 8 ranks, warm", eight["times"][1:], 4),
        row("Kraken's one-shot on 2 ranks, warm: what a test adds to its check", two["added"][1:], 0.25),
    ]


def copy_changed(folder, copy, file, old, new):
    """Copies a checkout to an existing folder, with ``new`` for each ``old`` in one of its files."""
    shutil.copytree(folder, copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git"))
    text = Path(copy, file).read_text("utf8")
    if old not in text:
        raise SystemExit(f"{file} of this checkout lacks {old!r}")
    Path(copy, file).write_text(text.replace(old, new), "utf8")


def mutants(folder):
    from kraken_launchers import MUTANTS, TWICE

    return [
        mutant(folder, name, launcher.__name__, other.__name__, what, *change)
        for (name, launcher), other in zip(TWICE.items(), reversed(TWICE.values()))
        for what, change in MUTANTS.items()
    ]


def mutant(folder, name, launcher, before, what, old, new):
    """A launcher with a barrier that lacks something, compiled anew, after another one in the same process."""
    with tempfile.TemporaryDirectory() as copy:
        copy_changed(folder, copy, "kraken/_ptx_utils/symm_mem_barrier.py", old, new)
        made = recorded(copy, launcher, 2, Path(copy, "cache"), before=before)
    found = made["findings"][0] if made["findings"] else None
    return row(f"{name}, mutant: {what}", made["times"], 2, verdict=made["verdict"], found=found)


if __name__ == "__main__":
    main()
