import { NcclError, type ScalarKind } from '@nccl-ts/core';
import type { LibraryFunction } from '../library/library-function.ts';

/** Records that a library function is used. */
export type UseLibrary = (fn: LibraryFunction) => void;

/** The options for floating-point arithmetic. */
export interface ArithmeticOptions {
  /**
   * True if every f32 result must be correctly rounded and functions within 1 ULP. Otherwise WGSL's
   * own `/`, `sqrt`, `fma`, `exp` ... are used.
   */
  readonly exact: boolean;
}

/** The context of an operation's text, in addition to its operands. */
export interface ArithmeticContext extends ArithmeticOptions {
  readonly use: UseLibrary;
  /** WGSL text of type u32: the number of the source location for faults. */
  readonly site: string;
}

/** Returns a call of a library function. */
export function call(c: ArithmeticContext, fn: LibraryFunction, ...args: readonly string[]): string {
  c.use(fn);
  return `${fn.name}(${args.join(', ')})`;
}

/** The error for an operation that validation should have rejected. */
export function unsupported(what: string, kind: ScalarKind): NcclError {
  return new NcclError(
    'NCCL_INTERNAL_ERROR',
    `Cannot write ${what} of ${kind} in WGSL, because WGSL has no such operation.`,
  );
}
