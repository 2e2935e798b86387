#!/usr/bin/env python3
"""Runs the exported fixtures on the GPU that is there and compares every byte that they leave.

    python3 run-on-gpu.py FOLDER [NAME...]

FOLDER is what export-fixtures.ts has written. Nothing but the driver's libcuda.so.1 is needed. A driver that is older than
the PTX version of a text gets the same text with its highest version instead; the report says so. The exit code is 1 where
anything differs.
"""
import ctypes
import json
import pathlib
import re
import struct
import sys

cuda = ctypes.CDLL("libcuda.so.1")
UNSUPPORTED_PTX_VERSION = 222
OLDER = ["9.3", "9.2", "9.1", "9.0", "8.8", "8.7", "8.6", "8.5", "8.4", "8.3", "8.2", "8.1", "8.0", "7.8"]


class CudaError(Exception):
    def __init__(self, call, code, log=""):
        name = ctypes.c_char_p()
        cuda.cuGetErrorName(code, ctypes.byref(name))
        super().__init__(f"{call}: {(name.value or b'?').decode()} ({code}) {log}".strip())
        self.code = code


def call(name, *args):
    code = getattr(cuda, name)(*args)
    if code != 0:
        raise CudaError(name, code)


def load_text(text):
    """The module, as cuModuleLoadData makes it; on failure, once more for the compiler's own words."""
    module = ctypes.c_void_p()
    code = cuda.cuModuleLoadData(ctypes.byref(module), ctypes.c_char_p(text.encode()))
    if code == 0:
        return module
    log = ctypes.create_string_buffer(4096)
    # CU_JIT_ERROR_LOG_BUFFER and its size.
    options = (ctypes.c_int * 2)(5, 6)
    values = (ctypes.c_void_p * 2)(ctypes.cast(log, ctypes.c_void_p), ctypes.c_void_p(4096))
    again = cuda.cuModuleLoadDataEx(ctypes.byref(module), ctypes.c_char_p(text.encode()), 2, options, values)
    if again == 0:
        return module
    raise CudaError("cuModuleLoadData", code, log.value.decode(errors="replace").strip())


def load(text):
    """The module, and the version that took the place of the text's own, if one did."""
    try:
        return load_text(text), None
    except CudaError as error:
        if error.code != UNSUPPORTED_PTX_VERSION:
            raise
    for version in OLDER:
        try:
            return load_text(re.sub(r"^\.version .*$", f".version {version}", text, count=1, flags=re.M)), version
        except CudaError as error:
            if error.code != UNSUPPORTED_PTX_VERSION:
                raise
    raise CudaError("cuModuleLoadData", UNSUPPORTED_PTX_VERSION)


class Unlike(Exception):
    pass


def difference(index, got, wanted, tolerance):
    """The first word that differs; f32 words may differ by the part `tolerance` of the wanted one."""
    for at in range(0, len(wanted), 4):
        a, b = got[at : at + 4], wanted[at : at + 4]
        if a == b:
            continue
        if tolerance:
            (x,), (y,) = struct.unpack("<f", a), struct.unpack("<f", b)
            if abs(x - y) <= tolerance * max(abs(y), 1.0):
                continue
        raise Unlike(f"argument {index}, byte {at}: the GPU has {a.hex()}, the reference {b.hex()}")


def run(folder, launch):
    text = (folder / f"{launch['name']}.ptx").read_text()
    module, version = load(text)
    function = ctypes.c_void_p()
    call("cuModuleGetFunction", ctypes.byref(function), module, launch["entry"].encode())
    dynamic = launch["dynamicShared"]
    params, memories = [], []
    for index, arg in enumerate(launch["args"]):
        if "value" in arg:
            params.append(ctypes.create_string_buffer(bytes.fromhex(arg["value"])))
            continue
        data = bytes.fromhex(arg["memory"])
        address = ctypes.c_uint64()
        call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(16, len(data))))
        call("cuMemcpyHtoD_v2", address, data, ctypes.c_size_t(len(data)))
        params.append(address)
        memories.append((index, address, arg))
    pointers = (ctypes.c_void_p * max(1, len(params)))(*[ctypes.addressof(one) for one in params])
    call("cuLaunchKernel", function, launch["grid"], 1, 1, launch["block"], 1, 1, dynamic, None, pointers, None)
    call("cuCtxSynchronize")
    compared = 0
    for index, address, arg in memories:
        wanted = bytes.fromhex(arg["after"])
        got = ctypes.create_string_buffer(len(wanted))
        call("cuMemcpyDtoH_v2", got, address, ctypes.c_size_t(len(wanted)))
        call("cuMemFree_v2", address)
        difference(index, got.raw, wanted, arg.get("tolerance"))
        compared += len(wanted)
    call("cuModuleUnload", module)
    return compared, version


def main():
    folder = pathlib.Path(sys.argv[1])
    wanted = set(sys.argv[2:])
    launches = [one for one in json.loads((folder / "launches.json").read_text()) if not wanted or one["name"] in wanted]
    call("cuInit", 0)
    device, version, major, minor = (ctypes.c_int() for _ in range(4))
    call("cuDeviceGet", ctypes.byref(device), 0)
    name = ctypes.create_string_buffer(100)
    call("cuDeviceGetName", name, 100, device)
    call("cuDriverGetVersion", ctypes.byref(version))
    call("cuDeviceGetAttribute", ctypes.byref(major), 75, device)
    call("cuDeviceGetAttribute", ctypes.byref(minor), 76, device)
    print(f"{name.value.decode()}, sm_{major.value}{minor.value}, the driver knows CUDA {version.value / 1000}")
    call("cuDevicePrimaryCtxReset_v2", device)
    same, failures, skipped = 0, 0, 0
    for launch in launches:
        if launch["target"] > 10 * major.value + minor.value:
            print(f"skipped  {launch['name']}: it is for sm_{launch['target']}")
            skipped += 1
            continue
        context = ctypes.c_void_p()
        call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        call("cuCtxSetCurrent", context)
        try:
            compared, older = run(folder, launch)
            note = f" (as PTX {older})" if older else ""
            print(f"same     {launch['name']}: {compared} bytes{note}")
            same += 1
        except (CudaError, Unlike) as error:
            print(f"DIFFERS  {launch['name']}: {error}")
            failures += 1
            # A fault leaves the context useless for what comes next.
            cuda.cuDevicePrimaryCtxReset_v2(device)
        finally:
            cuda.cuDevicePrimaryCtxRelease_v2(device)
    print(f"{same} of {len(launches) - skipped} agree with the GPU, byte for byte")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
