import { ResultCode } from './result-code.ts';

/**
 * The reason for a failed call, which is the stable part of an `NcclError`. `NCCL_*` are NCCL's own
 * results. `NCCLTS_*` are ours and have no counterpart in NCCL.
 */
export type ErrorCode =
  | 'NCCL_UNHANDLED_CUDA_ERROR'
  | 'NCCL_SYSTEM_ERROR'
  | 'NCCL_INTERNAL_ERROR'
  | 'NCCL_INVALID_ARGUMENT'
  | 'NCCL_INVALID_USAGE'
  | 'NCCL_REMOTE_ERROR'
  | 'NCCL_TIMEOUT'
  | 'NCCLTS_NOT_SUPPORTED'
  | 'NCCLTS_COMPILE'
  | 'NCCLTS_DEADLOCK'
  | 'NCCLTS_FAULT'
  | 'NCCLTS_OUT_OF_BOUNDS'
  | 'NCCLTS_MISALIGNED'
  | 'NCCLTS_MISUSE'
  | 'NCCLTS_INCOMPLETE'
  | 'NCCLTS_NO_LAUNCH'
  | 'NCCLTS_TODO'
  | 'NCCLTS_PROGRAM'
  | 'NCCLTS_CUDA_NO_DRIVER'
  | 'NCCLTS_CUDA_DRIVER_TOO_OLD'
  | 'NCCLTS_CUDA_NO_DEVICE'
  | 'NCCLTS_CUDA_NO_P2P'
  | 'NCCLTS_CUDA_NO_TOOLKIT'
  | 'NCCLTS_NCCL_NOT_FOUND'
  | 'NCCLTS_NCCL_MISMATCH'
  | 'NCCLTS_NCCL_TOO_OLD'
  | 'NCCLTS_KOFFI_MISSING'
  | 'NCCLTS_WEBGPU_MISSING'
  | 'NCCLTS_WEBGPU_UNAVAILABLE'
  | 'NCCLTS_WEBGPU_NO_ADAPTER'
  | 'NCCLTS_WEBGPU_NO_DEVICE'
  | 'NCCLTS_WEBGPU_DEVICE_LOST'
  | 'NCCLTS_OUT_OF_MEMORY'
  | 'NCCLTS_ABORTED'
  | 'NCCLTS_CLOSED';

export interface ErrorCodeInfo {
  /** A description in one sentence. */
  readonly description: string;
  /** NCCL's result code, if the code is NCCL's. */
  readonly result: ResultCode | undefined;
}

/** Every error code. Codes are part of the API; the descriptions are not. */
export const errorCodes: Readonly<Record<ErrorCode, ErrorCodeInfo>> = Object.freeze({
  NCCL_UNHANDLED_CUDA_ERROR: { description: 'A call to CUDA failed.', result: ResultCode.UnhandledCudaError },
  NCCL_SYSTEM_ERROR: { description: 'A call to the operating system failed.', result: ResultCode.SystemError },
  NCCL_INTERNAL_ERROR: { description: 'The library broke one of its own rules.', result: ResultCode.InternalError },
  NCCL_INVALID_ARGUMENT: {
    description: 'An argument has a value that is not allowed.',
    result: ResultCode.InvalidArgument,
  },
  NCCL_INVALID_USAGE: {
    description: 'The call is not allowed in this state or on this machine.',
    result: ResultCode.InvalidUsage,
  },
  NCCL_REMOTE_ERROR: { description: 'Another rank failed or cannot be reached.', result: ResultCode.RemoteError },
  NCCL_TIMEOUT: { description: 'A wait reached its time limit.', result: ResultCode.Timeout },
  NCCLTS_NOT_SUPPORTED: { description: 'The backend or the host does not support the request.', result: undefined },
  NCCLTS_COMPILE: { description: 'A kernel has mistakes; its diagnostics say which.', result: undefined },
  NCCLTS_DEADLOCK: { description: 'No kernel can continue, and no host program can change that.', result: undefined },
  NCCLTS_FAULT: {
    description: 'A kernel did something undefined, such as an integer division by zero, or an assertion failed.',
    result: undefined,
  },
  NCCLTS_OUT_OF_BOUNDS: {
    description: 'A kernel accessed memory out of bounds.',
    result: undefined,
  },
  NCCLTS_MISALIGNED: {
    description: 'A kernel accessed an address that is not a multiple of the accessed size.',
    result: undefined,
  },
  NCCLTS_MISUSE: {
    description: 'A kernel broke a rule of the device API that NCCL does not check.',
    result: undefined,
  },
  NCCLTS_INCOMPLETE: { description: 'A kernel exceeded its limit on steps before it ended.', result: undefined },
  NCCLTS_NO_LAUNCH: { description: 'A program that was to be checked launched no kernel.', result: undefined },
  NCCLTS_TODO: { description: 'A harness has a value that is still to be filled in.', result: undefined },
  NCCLTS_PROGRAM: { description: 'A program in JSON is not what it must be.', result: undefined },
  NCCLTS_CUDA_NO_DRIVER: { description: 'No NVIDIA driver can be loaded.', result: undefined },
  NCCLTS_CUDA_DRIVER_TOO_OLD: {
    description: 'The NVIDIA driver is older than the CUDA toolkit, or this package, requires.',
    result: undefined,
  },
  NCCLTS_CUDA_NO_DEVICE: { description: 'There is no NVIDIA GPU, or the requested one is missing.', result: undefined },
  NCCLTS_CUDA_NO_P2P: { description: "Two GPUs cannot access each other's memory.", result: undefined },
  NCCLTS_CUDA_NO_TOOLKIT: { description: 'There is no CUDA toolkit to compile kernels with.', result: undefined },
  NCCLTS_NCCL_NOT_FOUND: { description: 'No folder contains both NCCL and its headers.', result: undefined },
  NCCLTS_NCCL_MISMATCH: {
    description: 'The headers and the library of NCCL have different versions.',
    result: undefined,
  },
  NCCLTS_NCCL_TOO_OLD: {
    description: 'NCCL is older than 2.28.3, the first version with a device API.',
    result: undefined,
  },
  NCCLTS_KOFFI_MISSING: {
    description: 'The package koffi, which calls native libraries, cannot be loaded.',
    result: undefined,
  },
  NCCLTS_WEBGPU_MISSING: {
    description: 'The package webgpu, which brings WebGPU to Node, cannot be loaded.',
    result: undefined,
  },
  NCCLTS_WEBGPU_UNAVAILABLE: {
    description: 'The browser has no WebGPU, or disables it on this page.',
    result: undefined,
  },
  NCCLTS_WEBGPU_NO_ADAPTER: { description: 'WebGPU finds no GPU, or the requested one is missing.', result: undefined },
  NCCLTS_WEBGPU_NO_DEVICE: {
    description: 'The GPU cannot create a device with the limits that it reports.',
    result: undefined,
  },
  NCCLTS_WEBGPU_DEVICE_LOST: { description: 'The GPU device was lost, with all its contents.', result: undefined },
  NCCLTS_OUT_OF_MEMORY: { description: 'There is not enough memory for an allocation.', result: undefined },
  NCCLTS_ABORTED: { description: 'The work was cancelled before it ended.', result: undefined },
  NCCLTS_CLOSED: { description: 'The object was closed before the call.', result: undefined },
});

/** True if `value` is one of the codes in `errorCodes`. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(errorCodes, value);
}
