import { PLAIN } from '../scope.ts';
import type { SiteTable } from './accesses.ts';
import type { EpochId, Epochs } from './epochs.ts';

/**
 * The plain store of `who` that a read-modify-write of the same thread and size reads. `writes` are
 * the last writes of the word.
 */
export function ownStore(
  writes: readonly EpochId[],
  who: number,
  bytes: number,
  epochs: Epochs,
  sites: SiteTable,
): EpochId | undefined {
  const [write, ...others] = writes;
  if (write === undefined || others.length > 0 || epochs.who[write] !== who) return undefined;
  const site = epochs.site[write];
  return site !== undefined && sites.widths[site] === PLAIN && sites.bytes[site] === bytes ? write : undefined;
}
