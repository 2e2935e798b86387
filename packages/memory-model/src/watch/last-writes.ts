import { seenAt } from './explain.ts';
import type { Epochs } from './epochs.ts';
import type { SeenAccess } from './race.ts';
import type { Shadow } from './shadow.ts';

/**
 * The last writers of the word at `address`. There are several if nothing orders them, and none if
 * the word has its initial contents.
 */
export function lastWrites(
  { shadow, epochs }: { readonly shadow: Shadow; readonly epochs: Epochs },
  address: number,
): readonly SeenAccess[] {
  // Agent 0 holds the initial contents.
  return shadow.writesAt(address).flatMap((id) => (epochs.who[id] === 0 ? [] : [seenAt(id, epochs)]));
}
