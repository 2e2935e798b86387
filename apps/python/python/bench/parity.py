"""Compares launches in Python with their harnesses in TypeScript: python parity.py [options].

``--reproductions FOLDER`` has the kernels of tests/reproductions.py, with their harnesses beside them
(NAME.cu and NAME.launch.ts); nvcc is needed. ``--acceptance FOLDER`` has the PTX of the launches in
apps/examples/acceptance/launches.py. Ends with 1 if a verdict or a line differs.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ACCEPTANCE = HERE.parents[2] / "examples" / "acceptance"
sys.path[:0] = [str(HERE.parent / "tests"), str(ACCEPTANCE)]

import nccl_ts  # noqa: E402
from launch_reports import found, of_launch  # noqa: E402
from launches import LAUNCHES  # noqa: E402
from reproductions import REPRODUCTIONS  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reproductions", type=Path)
    parser.add_argument("--acceptance", type=Path)
    given = parser.parse_args()
    differences = 0
    # A harness finds its packages in the bundle of the command, from any folder.
    with tempfile.TemporaryDirectory() as copy:
        if given.reproductions:
            for name, launch in REPRODUCTIONS.items():
                for suffix in (".cu", ".launch.ts"):
                    shutil.copy(given.reproductions / f"{name}{suffix}", copy)
                for entry in ("buggy", "fixed"):
                    report = nccl_ts.check(Path(copy, f"{name}.cu"), entry=entry, launches=1, **launch)
                    harness = of_launch(copy, f"{name}.cu", "--harness", f"{name}.launch.ts", ENTRY=entry)
                    differences += differs(f"{name} {entry}", report, harness)
        if given.acceptance:
            for name, (file, launch) in LAUNCHES.items():
                report = nccl_ts.check(given.acceptance / file, **launch)
                harness = of_launch(given.acceptance, file, "--harness", str(harness_of(name, copy)))
                differences += differs(name, report, harness)
    print(f"{differences} differences")
    return differences > 0


#: What makes a harness one for the instance of the kernel that the launch in Python has.
INSTANCES = {
    "vllm-1stage": [("<float, 2>", "<__nv_bfloat16, 2>"), ("f32", "bf16")],
    "vllm-2stage-2": [("<__half, 2>", "<__nv_bfloat16, 2>"), ("f16", "bf16")],
    "flashinfer-twoshot": [("f16", "bf16")],
    "flashinfer-oneshot-lamport": [("ranks: 4", "ranks: 2"), ("* 4 * count", "* 2 * count")],
}


def harness_of(name, folder):
    """The harness, for the instance of its kernel that the launch in Python has."""
    text = (ACCEPTANCE / f"{name}.launch.ts").read_text("utf8")
    for old, new in INSTANCES.get(name, []):
        assert old in text, f"{name} has no {old}"
        text = text.replace(old, new)
    for params in ACCEPTANCE.glob("*-params.ts"):
        shutil.copy(params, folder)
    file = Path(folder, f"{name}.launch.ts")
    file.write_text(text, "utf8")
    return file


def differs(name, report, harness):
    ours, theirs = found(report.json), found(harness)
    print(f"{name}: {ours[0]}, {len(ours[1])} findings{'' if ours == theirs else f', BUT TYPESCRIPT HAS {theirs}, AND PYTHON {ours}'}", flush=True)
    return ours != theirs


if __name__ == "__main__":
    sys.exit(main())
