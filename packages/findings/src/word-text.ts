import type { GinWord } from '@nccl-ts/devcomm';
import type { LsaInbox } from './lsa-inbox.ts';
import { at } from '@nccl-ts/core';
import { counted } from './ranges.ts';
import type { WordMeaning } from './word-meaning.ts';

export const barrierName: Readonly<Record<LsaInbox['barriers'], string>> = {
  lsaBarrier: 'LSA barrier',
  hybridLsaBarrier: 'hybrid LSA barrier',
};

/**
 * Formats words that differ only in their index, as `signals 0-3` or `issued requests to rank 2`.
 */
export function ginWordText(word: GinWord, alike: readonly GinWord[]): string {
  const numbers = alike.map((one) => ('index' in one ? one.index : one.peer));
  return 'index' in word ? counted(word.kind, numbers) : `${word.kind} requests to ${counted('rank', numbers)}`;
}

/** Names a word of memory, or several that differ only in their index, offset or rank. */
export function wordText(alike: readonly WordMeaning[]): string {
  const meaning = at(alike, 0);
  const offsets = alike.flatMap((word) => ('offset' in word ? [word.offset] : []));
  const copies = alike.flatMap((word) => ('rank' in word ? [word.rank] : []));
  switch (meaning.kind) {
    case 'window':
      return `${meaning.window}, ${counted('byte', offsets)} of ${counted('rank', copies)}'s copy`;
    case 'lsaInbox': {
      const indices = alike.flatMap((word) => (word.kind === 'lsaInbox' ? [word.index] : []));
      return `${counted(barrierName[meaning.barriers], indices)}, inbox of LSA peer ${meaning.peer} (rank ${meaning.peerRank})`;
    }
    case 'gin': {
      const words = alike.flatMap((word) => (word.kind === 'gin' ? [word.word] : []));
      return `${ginWordText(meaning.word, words)} of GIN context ${meaning.word.context} at ${counted('rank', copies)}`;
    }
    case 'array':
      return `a ${meaning.space} array, ${counted('byte', offsets)}`;
    case 'unknown':
      return 'memory that is no longer in any window';
  }
}
