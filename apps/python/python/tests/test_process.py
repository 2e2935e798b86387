"""The process of Node that runs the checks of a process of Python."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time

import nccl_ts
import pytest
from nccl_ts import _node

STORE = """.version 8.5
.target sm_90
.address_size 64
.visible .entry store(.param .u64 at)
{
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [at];
  st.global.u32 [%rd1], 7;
  ret;
}
"""


def store(kernel=STORE, **given):
    """Both ranks store to the memory of rank 0, which is a race of equal values."""
    made = {"ranks": 2, "grid": 1, "block": 1, "launches": 1, "args": lambda rank, mem: [mem.zeros("data", 1, "uint32").at(0)]}
    return nccl_ts.check(kernel, **{**made, **given})


def number():
    """The number of the process that runs checks now."""
    return _node._commands._process.pid


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ends(pid):
    """Waits until a process has ended."""
    for _ in range(200):
        if not is_running(pid):
            return True
        time.sleep(0.1)
    return False


def python(script, **given):
    """Starts a script that can use ``store``."""
    text = f"import os, sys\nsys.path.insert(0, {os.path.dirname(__file__)!r})\nfrom test_process import *\n{textwrap.dedent(script)}"
    return subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True, **given)


on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is of Linux")


def test_checks_share_a_process_and_find_the_same():
    first = store()
    pid = number()
    second = store()
    assert number() == pid
    assert json.dumps(first.json["findings"]) == json.dumps(second.json["findings"])
    _node.end_commands()
    assert json.dumps(store().json["findings"]) == json.dumps(first.json["findings"])
    assert number() != pid


def test_a_check_after_an_error_has_its_own_answer():
    with pytest.raises(nccl_ts.NcclTsError, match="has no entry none"):
        store(entry="none")
    assert store().verdict == "clean"
    with pytest.raises(nccl_ts.NcclTsError, match="unknown option"):
        store(options=["--none"])
    assert store().verdict == "clean"


def test_a_check_runs_in_the_folder_and_with_the_variables_of_its_time(tmp_path, monkeypatch):
    store()
    (tmp_path / "kernel.cu").write_text("__global__ void k() {}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NCCLTS_NVCC", str(tmp_path / "no-nvcc"))
    with pytest.raises(nccl_ts.NcclTsError, match="no-nvcc"):
        store("kernel.cu")
    store(options=["--sarif", "found.sarif"])
    assert (tmp_path / "found.sarif").is_file()


def test_a_process_that_is_killed_between_checks_is_started_again():
    store()
    before = number()
    os.kill(before, signal.SIGKILL)
    _node._commands._process.wait()
    assert store().verdict == "clean"
    assert number() != before


def test_a_process_that_is_killed_during_a_check_is_an_error(monkeypatch):
    store()
    pid = number()
    real = _node._Commands._told

    def killed(self):
        os.kill(pid, signal.SIGSTOP)
        subprocess.Popen(["/bin/sh", "-c", f"sleep 0.2; kill -9 {pid}"])
        return real(self)

    with monkeypatch.context() as patched:
        patched.setattr(_node._Commands, "_told", killed)
        with pytest.raises(nccl_ts.NcclTsError, match="the command was ended by signal 9, without a report"):
            store()
    assert store().verdict == "clean"


def test_a_check_that_is_interrupted_leaves_nothing_running(monkeypatch):
    store()
    pid = number()

    class Interrupted:
        def readline(self):
            raise KeyboardInterrupt

        def close(self):
            pass

    monkeypatch.setattr(_node._commands._process, "stdout", Interrupted())
    with pytest.raises(KeyboardInterrupt):
        store()
    assert not is_running(pid)
    assert store().verdict == "clean"


def test_a_disk_that_is_full_does_not_matter_for_checks(monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    _node.end_commands()
    with monkeypatch.context() as patched:
        patched.setattr("tempfile.TemporaryFile", full)
        assert store().verdict == "clean"
        with pytest.raises(nccl_ts.NcclTsError, match="has no entry none"):
            store(entry="none")
    _node.end_commands()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_report_is_not_saved_to_a_full_disk():
    with pytest.raises(nccl_ts.NcclTsError, match="could not be saved to /dev/full: .*No space left") as caught:
        store().save("/dev/full")
    assert caught.value.code == "NCCL_SYSTEM_ERROR"


@on_linux
def test_the_process_ends_with_python():
    with python("store(); print(number())") as script:
        pid = int(script.stdout.readline())
    assert ends(pid)


@on_linux
def test_the_process_ends_when_python_is_killed_even_during_a_check():
    with python("store(); print(number(), flush=True); os.kill(number(), signal.SIGSTOP); store()") as script:
        pid = int(script.stdout.readline())
        script.kill()
    os.kill(pid, signal.SIGCONT)
    assert ends(pid)


@on_linux
def test_processes_of_python_check_side_by_side():
    scripts = [python("print(store().verdict); print(number())") for _ in range(2)]
    told = [script.communicate()[0].split() for script in scripts]
    assert [verdict for verdict, _ in told] == ["clean", "clean"]
    assert told[0][1] != told[1][1]
    assert all(ends(int(pid)) for _, pid in told)


@on_linux
def test_a_forked_process_has_a_process_of_its_own():
    script = """
        store()
        before = number()
        child = os.fork()
        if child == 0:
            store()
            print("child", number() != before, flush=True)
            _node.end_commands()
            os._exit(0)
        os.waitpid(child, 0)
        store()
        print("parent", number() == before)
    """
    with python(script) as forked:
        assert forked.stdout.read().split() == ["child", "True", "parent", "True"]
