import type { ScalarKind } from '@nccl-ts/core';
import type { Span } from '@nccl-ts/ir';

/** A version of NCCL in the form of `NCCL_VERSION_CODE`: 22809 is 2.28.9. */
export type NcclVersionCode = number;

export interface EmitCudaOptions {
  /**
   * The version of the headers against which the text will be compiled. Features that they lack are
   * emitted as the portable body.
   */
  readonly ncclVersion: NcclVersionCode;
  /**
   * True if waits also poll a word of host memory, so that a launch can be ended. Portable barriers
   * then replace NCCL's own.
   */
  readonly abortable?: boolean;
}

/** A kernel as CUDA C++. */
export interface CudaSource {
  /** One translation unit: includes, helpers, and one `extern "C" __global__` function. */
  readonly text: string;
  /** The name of that function, which is derived from the kernel's name. */
  readonly entry: string;
  /**
   * NCCL's headers that the text includes, such as `nccl_device/impl/lsa_barrier__funcs.h`. Empty
   * if it needs none.
   */
  readonly ncclIncludes: readonly string[];
  /**
   * For each line of `text` (from 0), its span in the kernel, if there is one. Compiler messages
   * use it.
   */
  readonly lines: readonly (Span | undefined)[];
  /**
   * One for each module parameter, in order. If the kernel prints or asserts, `printer` follows. If
   * it is abortable, `abort` (a pointer to a u32 of host memory) comes last.
   */
  readonly params: readonly CudaParam[];
  /**
   * True if, on devices that support it, the kernel starts with a wait for earlier work on its
   * stream. It may then be set up while that work still runs.
   *
   * @default false
   */
  readonly waitsForEarlier?: boolean;
  /** True if a CTA may wait for another CTA, of the same rank or of another. @default true */
  readonly waitsForOthers?: boolean;
}

/**
 * The representation of a parameter: the C++ type, and its size and alignment unless they depend on
 * NCCL.
 */
export type CudaParam =
  | { readonly kind: 'value'; readonly bytes: number; readonly align: number }
  /** `ncclWindow_t`, which is a device pointer. */
  | { readonly kind: 'window' }
  /** `ncclDevComm` by value. Only the compiler knows its size. */
  | { readonly kind: 'devComm' }
  /**
   * The destination of printed lines, and the parts of each print statement. The text numbers the
   * statements from 0.
   */
  | { readonly kind: 'printer'; readonly sites: readonly PrintSite[] }
  | { readonly kind: 'abort' };

/** A print statement of a kernel. The kernel passes only the bits of its values. */
export interface PrintSite {
  /** `assert` for the line of a failed assertion. */
  readonly kind: 'print' | 'assert';
  readonly parts: readonly PrintPart[];
}

/** A part of a line: text, or a value of a scalar type. */
export type PrintPart = { readonly text: string } | { readonly scalar: ScalarKind };
