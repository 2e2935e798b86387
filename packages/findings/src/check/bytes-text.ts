import type { WordPlace } from '../word-place.ts';
import { barrierName, ginWordText } from '../word-text.ts';
import type { FindingBytes } from './finding.ts';

/** `4 bytes at byte 64 of window 0, rank 1's copy`. */
export function bytesText({ place, bytes }: FindingBytes): string {
  return `${bytes === 1 ? '1 byte' : `${bytes} bytes`} ${placeText(place)}`;
}

function placeText(place: WordPlace): string {
  switch (place.kind) {
    case 'window':
      return `at byte ${place.offset} of ${place.window}, rank ${place.rank}'s copy`;
    case 'lsaInbox':
      return (
        `of ${barrierName[place.barriers]} ${place.index}, the inbox of LSA peer ${place.peer} (rank ${place.peerRank}), ` +
        `rank ${place.rank}'s copy`
      );
    case 'gin':
      return `of ${ginWordText(place.word, [place.word])} of GIN context ${place.word.context} at rank ${place.rank}`;
    case 'array':
      return `at byte ${place.offset} of a ${place.space} array`;
    case 'unknown':
      return 'in memory that is no longer in any window';
  }
}
