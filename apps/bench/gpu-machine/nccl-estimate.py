#!/usr/bin/env python3
"""NCCL's own estimate of its collectives (ncclGroupSimulateEnd), as JSON: python3 nccl-estimate.py [GPUS] > estimate.json

Nothing is launched. Sizes are as in nccl-tests: bytes of the larger buffer of a rank; bf16, out of place.
"""
import ctypes, json, os, re, sys

gpus = int(sys.argv[1]) if len(sys.argv) > 1 else 2
home = os.environ.get("NCCL_HOME")
if home is None:
    import nvidia

    home = list(nvidia.__path__)[0] + "/nccl"
nccl = ctypes.CDLL(home + "/lib/libnccl.so.2")
cuda = ctypes.CDLL("libcudart.so", mode=ctypes.RTLD_GLOBAL) if os.path.exists("/usr/local/cuda/lib64/libcudart.so") is False else ctypes.CDLL("/usr/local/cuda/lib64/libcudart.so")
header = open(home + "/include/nccl.h").read()
magic = int(re.search(r"NCCL_SIM_INFO_INITIALIZER[^}]*?(0x[0-9a-fA-F]+)", header, re.S).group(1), 16)


class SimInfo(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("magic", ctypes.c_uint), ("version", ctypes.c_uint), ("estimatedTime", ctypes.c_float)]


def check(result, what):
    if result != 0:
        raise SystemExit(f"{what}: error {result}")


version = ctypes.c_int()
check(nccl.ncclGetVersion(ctypes.byref(version)), "ncclGetVersion")
comms = (ctypes.c_void_p * gpus)()
check(nccl.ncclCommInitAll(comms, gpus, None), "ncclCommInitAll")
largest = 64 << 20
buffers = []
for gpu in range(gpus):
    check(cuda.cudaSetDevice(gpu), "cudaSetDevice")
    pair = []
    for _ in range(2):
        pointer = ctypes.c_void_p()
        check(cuda.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(largest)), "cudaMalloc")
        pair.append(pointer)
    stream = ctypes.c_void_p()
    check(cuda.cudaStreamCreate(ctypes.byref(stream)), "cudaStreamCreate")
    buffers.append((*pair, stream))
BF16, SUM = 9, 0


def call(program, gpu, nbytes):
    send, recv, stream = buffers[gpu]
    comm = ctypes.c_void_p(comms[gpu])
    whole, part = ctypes.c_size_t(nbytes // 2), ctypes.c_size_t(nbytes // 2 // gpus)
    if program == "all_reduce":
        return nccl.ncclAllReduce(send, recv, whole, BF16, SUM, comm, stream)
    if program == "all_gather":
        return nccl.ncclAllGather(send, recv, part, BF16, comm, stream)
    if program == "reduce_scatter":
        return nccl.ncclReduceScatter(send, recv, part, BF16, SUM, comm, stream)
    return nccl.ncclAlltoAll(send, recv, part, BF16, comm, stream)


rows = []
for program in ["all_reduce", "all_gather", "reduce_scatter"] + (["alltoall"] if hasattr(nccl, "ncclAlltoAll") else []):
    for exponent in range(10, 27):
        info = SimInfo(ctypes.sizeof(SimInfo), magic, version.value, -1.0)
        check(nccl.ncclGroupStart(), "ncclGroupStart")
        for gpu in range(gpus):
            check(cuda.cudaSetDevice(gpu), "cudaSetDevice")
            check(call(program, gpu, 1 << exponent), program)
        result = nccl.ncclGroupSimulateEnd(ctypes.byref(info))
        rows.append({"program": program, "bytes": 1 << exponent, "gpus": gpus, "result": result, "estimatedUs": info.estimatedTime})
print(json.dumps({"nccl": version.value, "rows": rows}, indent=1))
sys.stdout.flush()
os._exit(0)
