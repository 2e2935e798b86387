import type { ScalarKind } from '@nccl-ts/core';
import type { ClusterSize } from '@nccl-ts/ir';
import type { HandleParam } from '@nccl-ts/kernel';
import type { CallMap } from './call-map.ts';
import type { PtxVariable } from './syntax/module.ts';

/** The options of an entry's translation. */
export interface ImportOptions {
  /**
   * The entry's name, as in the text or demangled. It may be a part of the name that only one entry
   * has, or a regular expression.
   */
  readonly entry: string | RegExp;
  /**
   * Words of the parameters that have the same value in every launch, by byte offset. Branches on
   * them are decided at translation.
   */
  readonly known?: ReadonlyMap<number, bigint>;
  /**
   * Words of the parameters, by byte offset, that are addresses of a range with several
   * allocations, such as the base of all multicast memory. Such an address plus an offset may point
   * into any of these allocations.
   */
  readonly ranges?: ReadonlySet<number>;
  /**
   * True if launches pass multicast addresses, in parameters or in memory. Stores that are not
   * `multimem.st` then reach every copy behind such an address, as on GPUs. A check reports them.
   * Otherwise they are misuse, which ends the launch.
   *
   * @default false
   */
  readonly multicast?: boolean;
  /** The size of `extern .shared` memory in bytes. @default 0 */
  readonly dynamicShared?: number;
  /**
   * The CTAs of a cluster, if the launch sets them. An entry may also have them in its directives.
   *
   * @default those of `.reqnctapercluster`, or else one CTA
   */
  readonly cluster?: ClusterSize;
  /**
   * Returns the text of an author's file, so that findings show its lines. Returns `undefined` if
   * the file cannot be read.
   */
  readonly source?: (path: string) => string | undefined;
  /** The meaning of functions that the text only declares. */
  readonly calls?: CallMap;
}

/** A word that a launch passes. */
export type ImportedParam =
  /** The bytes of the entry's parameters from `offset` on, as a value of `scalar`. */
  | { readonly kind: 'bytes'; readonly name: string; readonly offset: number; readonly scalar: ScalarKind }
  /** The address (u64) at which the rank has a `.global` variable of the module. */
  | { readonly kind: 'variable'; readonly name: string; readonly variable: PtxVariable }
  /** A handle that functions of the call map need, such as a device communicator. */
  | { readonly kind: 'handle'; readonly name: string; readonly type: HandleParam };
