import type { ScalarKind } from '@nccl-ts/core';
import type { Span } from '@nccl-ts/ir';

/** A version of NCCL as `NCCL_VERSION_CODE` counts: 22809 is 2.28.9. */
export type NcclVersionCode = number;

export interface EmitCudaOptions {
  /**
   * The headers that the text will be compiled against: features that they lack are written as the
   * portable body.
   */
  readonly ncclVersion: NcclVersionCode;
  /**
   * Waits also read a word of host memory, so that a launch can be ended; portable barriers replace
   * native ones.
   */
  readonly abortable?: boolean;
}

/** A kernel as CUDA C++. */
export interface CudaSource {
  /** One translation unit: includes, helpers, one `extern "C" __global__` function. */
  readonly text: string;
  /** The name of that function, an identifier made from the kernel's name. */
  readonly entry: string;
  /**
   * NCCL's headers that the text includes, such as `nccl_device/impl/lsa_barrier__funcs.h`; empty:
   * it needs none.
   */
  readonly ncclIncludes: readonly string[];
  /**
   * For each line of `text` (0-based) its span in the kernel, if there is one: for a compiler's
   * messages.
   */
  readonly lines: readonly (Span | undefined)[];
  /**
   * One for each module parameter, in order; then `printer` if the kernel prints or asserts; then
   * `abort` (a pointer to a u32 of host memory) if abortable.
   */
  readonly params: readonly CudaParam[];
  /**
   * On devices that support it, the kernel begins with a wait for earlier work on its stream, so it
   * may be set up while that still runs. @default false
   */
  readonly waitsForEarlier?: boolean;
  /** A CTA of it may wait for another CTA, of this rank or of another. @default true */
  readonly waitsForOthers?: boolean;
}

/**
 * The representation of a parameter: the C++ type, and its size and alignment if they do not depend
 * on NCCL.
 */
export type CudaParam =
  | { readonly kind: 'value'; readonly bytes: number; readonly align: number }
  /** `ncclWindow_t`, a device pointer. */
  | { readonly kind: 'window' }
  /** `ncclDevComm` by value; only the compiler knows its size. */
  | { readonly kind: 'devComm' }
  /**
   * The destination of printed lines, and the parts of each print statement; the text numbers them
   * from 0.
   */
  | { readonly kind: 'printer'; readonly sites: readonly PrintSite[] }
  | { readonly kind: 'abort' };

/** A print statement of a kernel: the kernel passes only the values' bits. */
export interface PrintSite {
  /** `assert`: the line of an assertion that failed. */
  readonly kind: 'print' | 'assert';
  readonly parts: readonly PrintPart[];
}

/** A part of a line: text, or a value of a scalar type. */
export type PrintPart = { readonly text: string } | { readonly scalar: ScalarKind };
