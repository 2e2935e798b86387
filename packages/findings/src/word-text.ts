import type { GinWord } from '@nccl-ts/devcomm';
import type { LsaInbox } from './lsa-inbox.ts';
import { counted } from './ranges.ts';

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
