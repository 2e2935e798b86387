import type { ScalarKind } from '@nccl-ts/core';
import type { HandleParam } from '@nccl-ts/kernel';
import type { CallMap } from './call-map.ts';
import type { PtxVariable } from './syntax/module.ts';

/** The options of an entry's translation. */
export interface ImportOptions {
  /**
   * The entry's name as in the text or demangled, whole or a part that only one entry has; or a
   * pattern of either.
   */
  readonly entry: string | RegExp;
  /**
   * Words of the parameters that every launch gives the same value, by byte offset: branches on
   * them are decided.
   */
  readonly known?: ReadonlyMap<number, bigint>;
  /**
   * Words of the parameters, by byte offset, that are addresses of a range in which several
   * allocations lie, such as the base of all multicast memory: an offset from one may lead into any
   * of them.
   */
  readonly ranges?: ReadonlySet<number>;
  /** Bytes of `extern .shared` memory. Default: 0. */
  readonly dynamicShared?: number;
  /**
   * The text of an author's file, so that findings show its lines; `undefined` where it cannot be
   * read.
   */
  readonly source?: (path: string) => string | undefined;
  /** The meaning of functions that the text only declares. */
  readonly calls?: CallMap;
}

/** One word that a launch passes. */
export type ImportedParam =
  /** The bytes from `offset` on of the entry's parameters, as a value of `scalar`. */
  | { readonly kind: 'bytes'; readonly name: string; readonly offset: number; readonly scalar: ScalarKind }
  /** The address (u64) at which the rank has a `.global` variable of the module. */
  | { readonly kind: 'variable'; readonly name: string; readonly variable: PtxVariable }
  /** A handle that functions of the call map need, such as a device communicator. */
  | { readonly kind: 'handle'; readonly name: string; readonly type: HandleParam };
