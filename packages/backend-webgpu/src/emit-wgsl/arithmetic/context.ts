import { NcclError, type ScalarKind } from '@nccl-ts/core';
import type { LibraryFunction } from '../library/library-function.ts';

/** Says that a library function is used. */
export type Use = (fn: LibraryFunction) => void;

/** The options for computing floats. */
export interface ArithmeticOptions {
  /**
   * True if every f32 result is correctly rounded and functions are within 1 ULP; otherwise WGSL's
   * own `/`, `sqrt`, `fma`, `exp` ... are used.
   */
  readonly exact: boolean;
}

/** The context of an operation's text besides its operands. */
export interface ArithmeticContext extends ArithmeticOptions {
  readonly use: Use;
  /** WGSL text of type u32: the number of the source location for faults. */
  readonly site: string;
}

/** A call of a library function. */
export function call(c: ArithmeticContext, fn: LibraryFunction, ...args: readonly string[]): string {
  c.use(fn);
  return `${fn.name}(${args.join(', ')})`;
}

/** The error for an operation that validation should have refused. */
export function unsupported(what: string, kind: ScalarKind): NcclError {
  return new NcclError(
    'NCCL_INTERNAL_ERROR',
    `Cannot write ${what} of ${kind} in WGSL, because WGSL has no such operation.`,
  );
}
