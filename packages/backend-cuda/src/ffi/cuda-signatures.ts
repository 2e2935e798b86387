import type { NativeType } from './koffi.ts';

const handle = 'uint64_t';
const address = 'uint64_t';
const out = 'void *';
const size = 'size_t';
const flags = 'uint32_t';
const int = 'int';

/** The functions that are called. */
export type CudaFunction =
  | 'cuInit'
  | 'cuDriverGetVersion'
  | 'cuGetErrorName'
  | 'cuGetErrorString'
  | 'cuDeviceGetCount'
  | 'cuDeviceGet'
  | 'cuDeviceGetName'
  | 'cuDeviceGetAttribute'
  | 'cuDeviceTotalMem_v2'
  | 'cuDeviceCanAccessPeer'
  | 'cuDeviceGetP2PAttribute'
  | 'cuDevicePrimaryCtxRetain'
  | 'cuDevicePrimaryCtxRelease_v2'
  | 'cuDevicePrimaryCtxReset_v2'
  | 'cuCtxSetCurrent'
  | 'cuCtxGetCurrent'
  | 'cuMemGetInfo_v2'
  | 'cuPointerGetAttribute'
  | 'cuMemAlloc_v2'
  | 'cuMemFree_v2'
  | 'cuMemHostAlloc'
  | 'cuMemFreeHost'
  | 'cuMemHostGetDevicePointer_v2'
  | 'cuMemsetD8Async'
  | 'cuMemcpyHtoDAsync_v2'
  | 'cuMemcpyDtoHAsync_v2'
  | 'cuMemcpyDtoDAsync_v2'
  | 'cuStreamCreate'
  | 'cuStreamDestroy_v2'
  | 'cuStreamQuery'
  | 'cuStreamWaitEvent'
  | 'cuStreamSetAttribute'
  | 'cuStreamGetAttribute'
  | 'cuStreamBeginCapture_v2'
  | 'cuStreamEndCapture'
  | 'cuStreamIsCapturing'
  | 'cuEventCreate'
  | 'cuEventDestroy_v2'
  | 'cuEventRecord'
  | 'cuEventQuery'
  | 'cuEventSynchronize'
  | 'cuEventElapsedTime'
  | 'cuModuleLoadData'
  | 'cuModuleUnload'
  | 'cuModuleGetFunction'
  | 'cuModuleGetGlobal_v2'
  | 'cuFuncLoad'
  | 'cuFuncGetAttribute'
  | 'cuFuncGetParamInfo'
  | 'cuFuncSetAttribute'
  | 'cuOccupancyMaxActiveBlocksPerMultiprocessor'
  | 'cuLaunchKernelEx'
  | 'cuGraphInstantiateWithFlags'
  | 'cuGraphLaunch'
  | 'cuGraphUpload'
  | 'cuGraphExecDestroy'
  | 'cuGraphDestroy'
  | 'cuGraphGetNodes'
  | 'cuGraphNodeGetType'
  | 'cuGraphKernelNodeGetAttribute';

/**
 * The driver's functions that are called, with their parameters. Each returns a `CUresult`. The
 * names are those of the library, which versions some names of `cuda.h`.
 */
export const cudaSignatures: Readonly<Record<CudaFunction, readonly NativeType[]>> = {
  cuInit: [flags],
  cuDriverGetVersion: [out],
  cuGetErrorName: [int, out],
  cuGetErrorString: [int, out],
  cuDeviceGetCount: [out],
  cuDeviceGet: [out, int],
  cuDeviceGetName: [out, int, int],
  cuDeviceGetAttribute: [out, int, int],
  cuDeviceTotalMem_v2: [out, int],
  cuDeviceCanAccessPeer: [out, int, int],
  cuDeviceGetP2PAttribute: [out, int, int, int],
  cuDevicePrimaryCtxRetain: [out, int],
  cuDevicePrimaryCtxRelease_v2: [int],
  cuDevicePrimaryCtxReset_v2: [int],
  cuCtxSetCurrent: [handle],
  cuCtxGetCurrent: [out],
  cuMemGetInfo_v2: [out, out],
  cuPointerGetAttribute: [out, int, address],
  cuMemAlloc_v2: [out, size],
  cuMemFree_v2: [address],
  cuMemHostAlloc: [out, size, flags],
  cuMemFreeHost: [address],
  cuMemHostGetDevicePointer_v2: [out, address, flags],
  cuMemsetD8Async: [address, flags, size, handle],
  cuMemcpyHtoDAsync_v2: [address, address, size, handle],
  cuMemcpyDtoHAsync_v2: [address, address, size, handle],
  cuMemcpyDtoDAsync_v2: [address, address, size, handle],
  cuStreamCreate: [out, flags],
  cuStreamDestroy_v2: [handle],
  cuStreamQuery: [handle],
  cuStreamWaitEvent: [handle, handle, flags],
  cuStreamSetAttribute: [handle, int, out],
  cuStreamGetAttribute: [handle, int, out],
  cuStreamBeginCapture_v2: [handle, int],
  cuStreamEndCapture: [handle, out],
  cuStreamIsCapturing: [handle, out],
  cuEventCreate: [out, flags],
  cuEventDestroy_v2: [handle],
  cuEventRecord: [handle, handle],
  cuEventQuery: [handle],
  cuEventSynchronize: [handle],
  cuEventElapsedTime: [out, handle, handle],
  cuModuleLoadData: [out, out],
  cuModuleUnload: [handle],
  cuModuleGetFunction: [out, handle, out],
  cuModuleGetGlobal_v2: [out, out, handle, out],
  cuFuncLoad: [handle],
  cuFuncGetAttribute: [out, int, handle],
  cuFuncGetParamInfo: [handle, size, out, out],
  cuFuncSetAttribute: [handle, int, int],
  cuOccupancyMaxActiveBlocksPerMultiprocessor: [out, handle, int, size],
  cuLaunchKernelEx: [address, handle, address, address],
  cuGraphInstantiateWithFlags: [out, handle, 'uint64_t'],
  cuGraphLaunch: [handle, handle],
  cuGraphUpload: [handle, handle],
  cuGraphExecDestroy: [handle],
  cuGraphDestroy: [handle],
  cuGraphGetNodes: [handle, out, out],
  cuGraphNodeGetType: [handle, out],
  cuGraphKernelNodeGetAttribute: [handle, int, out],
};
