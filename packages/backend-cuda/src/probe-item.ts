import type { ErrorCode } from '@nccl-ts/core';

/** Something that the CUDA backend needs: what was found, or why it was not. */
export type ProbeItem =
  | { readonly name: ProbeName; readonly ok: true; readonly found: string }
  | { readonly name: ProbeName; readonly ok: false; readonly code: ErrorCode | undefined; readonly problem: string }
  /** It cannot be checked, or is not needed, because of another item. */
  | { readonly name: ProbeName; readonly ok: undefined; readonly because: string };

export type ProbeName =
  | 'koffi'
  | 'driver'
  | 'GPUs'
  | 'peer access'
  | 'toolkit'
  | 'NVRTC'
  | 'NCCL'
  | 'NCCL library'
  | 'versions'
  | 'cache';
