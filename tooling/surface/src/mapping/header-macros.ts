import { leftOut, type SurfaceEntry } from '../entry.ts';

/** nccl_device/utility.h: the macros of its other headers. */
export const headerMacros: readonly SurfaceEntry[] = leftOut(
  'cLanguage',
  `NCCL_DEVICE_LOADCONST_USE_LDG NCCL_DEVICE_INLINE NCCL_HOST_DEVICE_INLINE NCCL_IF_CONSTEXPR NCCL_EXTERN_C NCCL_IR_EXTERN_C
   DO_PRAGMA NVCC_PRAGMA_UNROLL NVCC_PRAGMA_UNROLL_AUTO NVCC_PRAGMA_UNROLL_DISABLED`,
);
