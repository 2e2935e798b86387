/**
 * The integers of the driver API that are used here.
 *
 * @see cuda.h
 */
export const cuDeviceAttribute: Readonly<
  Record<
    | 'multiprocessorCount'
    | 'pciBusId'
    | 'pciDeviceId'
    | 'pciDomainId'
    | 'computeCapabilityMajor'
    | 'computeCapabilityMinor'
    | 'cooperativeLaunch'
    | 'maxSharedMemoryPerBlockOptin'
    | 'virtualMemoryManagementSupported'
    | 'memSyncDomainCount',
    number
  >
> = {
  multiprocessorCount: 16,
  pciBusId: 33,
  pciDeviceId: 34,
  pciDomainId: 50,
  computeCapabilityMajor: 75,
  computeCapabilityMinor: 76,
  cooperativeLaunch: 95,
  maxSharedMemoryPerBlockOptin: 97,
  virtualMemoryManagementSupported: 102,
  memSyncDomainCount: 126,
};

export const cuLaunchAttribute: Readonly<
  Record<'cooperative' | 'programmaticStreamSerialization' | 'memSyncDomainMap' | 'memSyncDomain', number>
> = {
  cooperative: 2,
  programmaticStreamSerialization: 6,
  memSyncDomainMap: 9,
  memSyncDomain: 10,
};

export const cuMemSyncDomain: Readonly<Record<'default' | 'remote', number>> = { default: 0, remote: 1 };

/** `CUdevice_P2PAttribute` */
export const cuP2PAttribute: Readonly<Record<'nativeAtomicSupported', number>> = { nativeAtomicSupported: 3 };

/** `CUpointer_attribute` */
export const cuPointerAttribute: Readonly<Record<'memoryType' | 'deviceOrdinal' | 'rangeStart' | 'rangeSize', number>> =
  { memoryType: 2, deviceOrdinal: 9, rangeStart: 11, rangeSize: 12 };

/** `CUmemorytype` */
export const cuMemoryType: Readonly<Record<'device', number>> = { device: 2 };

export const CU_STREAM_NON_BLOCKING: number = 1;
export const CU_EVENT_DEFAULT: number = 0;
export const CU_EVENT_DISABLE_TIMING: number = 2;
export const CU_STREAM_CAPTURE_MODE_RELAXED: number = 2;
export const CU_MEMHOSTALLOC_PORTABLE: number = 1;
export const CU_MEMHOSTALLOC_DEVICEMAP: number = 2;
export const CU_LAUNCH_PARAM_END: number = 0;
export const CU_LAUNCH_PARAM_BUFFER_POINTER: number = 1;
export const CU_LAUNCH_PARAM_BUFFER_SIZE: number = 2;

/** The `CUresult`s that are handled here. */
export const cuResult: Readonly<
  Record<'success' | 'invalidValue' | 'outOfMemory' | 'noDevice' | 'notReady' | 'illegalAddress' | 'notFound', number>
> = {
  success: 0,
  invalidValue: 1,
  outOfMemory: 2,
  noDevice: 100,
  notReady: 600,
  illegalAddress: 700,
  notFound: 500,
};

/**
 * The results after which a context, and every handle that was created in it, is lost.
 *
 * @see cudaGetLastError
 */
export const stickyResults: ReadonlySet<number> = new Set([
  214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 911, 999,
]);
