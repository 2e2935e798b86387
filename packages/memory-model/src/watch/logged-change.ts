import { acquiring } from './orders.ts';
import type { WatchedSite } from './watched-site.ts';
import type { Version, VersionKind } from './word-log.ts';

/** How a word is changed. */
export interface LoggedChange {
  readonly kind: Exclude<VersionKind, 'initial' | 'plain'>;
  /** By which function, where it is one. */
  readonly applies?: string | undefined;
}

export const stores: LoggedChange = Object.freeze({ kind: 'store' });
export const adds: LoggedChange = Object.freeze({ kind: 'add' });
const modifies: LoggedChange = Object.freeze({ kind: 'modify' });

/** What a read-modify-write does. One that adds and acquires learns what came before it. */
export function changeOf({ access, applies, adds: isSum = false }: WatchedSite): LoggedChange {
  if (applies !== undefined) return { kind: 'apply', applies };
  return isSum && access !== undefined && !acquiring[access.order] ? adds : modifies;
}

/** True if a word comes to the same whichever of the two is first. */
export function commute(one: Pick<Version, 'kind' | 'applies'>, other: LoggedChange): boolean {
  if (one.kind !== other.kind) return false;
  return one.kind === 'add' || (one.kind === 'apply' && one.applies === other.applies);
}
