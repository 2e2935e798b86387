import type { WordMeaning } from '../word-meaning.ts';
import { barrierName, ginWordText } from '../word-text.ts';
import type { FindingBytes } from './finding.ts';

/** `4 bytes at byte 64 of window 0, rank 1's copy`. */
export function bytesText({ place: meaning, bytes }: FindingBytes): string {
  return `${bytes === 1 ? '1 byte' : `${bytes} bytes`} ${meaningText(meaning)}`;
}

function meaningText(meaning: WordMeaning): string {
  switch (meaning.kind) {
    case 'window':
      return `at byte ${meaning.offset} of ${meaning.window}, rank ${meaning.rank}'s copy`;
    case 'lsaInbox':
      return (
        `of ${barrierName[meaning.barriers]} ${meaning.index}, the inbox of LSA peer ${meaning.peer} (rank ${meaning.peerRank}), ` +
        `rank ${meaning.rank}'s copy`
      );
    case 'gin':
      return `of ${ginWordText(meaning.word, [meaning.word])} of GIN context ${meaning.word.context} at rank ${meaning.rank}`;
    case 'array':
      return `at byte ${meaning.offset} of a ${meaning.space} array`;
    case 'unknown':
      return 'in memory that is no longer in any window';
  }
}
