import { NcclError, type ScalarKind } from '@nccl-ts/core';
import type { LibraryFunction } from '../library/library-function.ts';

/** Says that a library function is used. */
export type Use = (fn: LibraryFunction) => void;

/** How floats are computed. */
export interface ArithmeticOptions {
  /**
   * Every f32 result is correctly rounded and functions are within 1 ULP; else WGSL's own `/`,
   * `sqrt`, `fma`, `exp` ...
   */
  readonly exact: boolean;
}

/** What the text of an operation depends on besides its operands. */
export interface ArithmeticContext extends ArithmeticOptions {
  readonly use: Use;
  /** WGSL text of type u32: the number of the place that faults are charged to. */
  readonly site: string;
}

/** A call of a library function. */
export function call(c: ArithmeticContext, fn: LibraryFunction, ...args: readonly string[]): string {
  c.use(fn);
  return `${fn.name}(${args.join(', ')})`;
}

/** The error for what validation should have refused. */
export function unsupported(what: string, kind: ScalarKind): NcclError {
  return new NcclError('NCCL_INTERNAL_ERROR', `Cannot write ${what} of ${kind} in WGSL: there is no such operation.`);
}
