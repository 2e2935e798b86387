import { acquiring } from './orders.ts';
import type { WatchedSite } from './watched-site.ts';
import type { Version, VersionKind } from './word-log.ts';

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

/** True if a word has the same value in both orders. */
export function commute(one: Pick<Version, 'kind' | 'applies'>, other: LoggedChange): boolean {
  if (one.kind !== other.kind) return false;
  return one.kind === 'add' || (one.kind === 'apply' && one.applies === other.applies);
}
