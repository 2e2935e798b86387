import { ginState, type DevCommPlan } from '@nccl-ts/devcomm';
import { lsaInbox } from './lsa-inbox.ts';
import type { WaitedWord } from './waiting.ts';
import type { WindowByte } from './window-byte.ts';
import type { WordMeaning } from './word-meaning.ts';

/** The window byte at which the word begins. */
export interface LocatedWord extends WindowByte {
  /** The plan of a device communicator, if this is its resource window. */
  readonly plan?: DevCommPlan | undefined;
  /** True if it is the window of the words that the network writes. @default false */
  readonly isGinState?: boolean;
  /** The world ranks, by rank in the window's communicator. By default they are the same. */
  readonly members?: readonly number[];
}

/**
 * Describes the word that a stuck condition reads. `locate` is called for words in global memory.
 * It returns `undefined` if they are not, or no longer, in a window.
 */
export function describeWord(word: WaitedWord, locate: (word: WaitedWord) => LocatedWord | undefined): WordMeaning {
  if (word.space !== 'global') return { kind: 'array', space: word.space, offset: word.address };
  const at = locate(word);
  if (at === undefined) return { kind: 'unknown', address: word.address };
  const place = { window: at.window.name, rank: at.rank, offset: at.offset };
  const { plan } = at;
  const gin = plan !== undefined && at.isGinState === true ? ginState(plan).wordAt(at.offset) : undefined;
  if (gin !== undefined) return { kind: 'gin', ...place, word: gin };
  const inbox = plan === undefined || at.isGinState === true ? undefined : lsaInbox(plan, at.offset);
  if (plan === undefined || inbox === undefined) return { kind: 'window', ...place };
  const { lsaSize } = plan.topology;
  const own = at.members?.indexOf(at.rank) ?? at.rank;
  const peer = own - (own % lsaSize) + inbox.peer;
  return { kind: 'lsaInbox', ...place, ...inbox, peerRank: at.members?.[peer] ?? peer };
}
