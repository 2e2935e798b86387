import { acquiring } from './orders.ts';
import type { WatchedSite } from './watched-site.ts';

/**
 * The origin of a word's contents. It is contents found by the log, a strong store, a
 * read-modify-write, or plain writes, which the log does not see. Additions and applied functions
 * whose old value is ignored are separate kinds.
 */
export type VersionKind = 'initial' | 'store' | 'add' | 'apply' | 'modify' | 'plain';

/** Describes how a word is changed. */
export interface LoggedChange {
  readonly kind: Exclude<VersionKind, 'initial' | 'plain'>;
  /** The name of the function, if it is one. */
  readonly applies?: string | undefined;
}

export const stores: LoggedChange = Object.freeze({ kind: 'store' });
export const adds: LoggedChange = Object.freeze({ kind: 'add' });
const modifies: LoggedChange = Object.freeze({ kind: 'modify' });

/**
 * The change that a read-modify-write makes. If it adds and acquires, it learns the events before
 * it.
 */
export function changeOf({ access, applies, adds: isSum = false }: WatchedSite): LoggedChange {
  if (applies !== undefined) return { kind: 'apply', applies };
  return isSum && access !== undefined && !acquiring[access.order] ? adds : modifies;
}

/** True if changes of this kind, by the same function, give a word the same value in any order. */
export function commutes({ kind }: LoggedChange): boolean {
  return kind === 'add' || kind === 'apply';
}
