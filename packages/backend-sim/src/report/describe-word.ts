import type { WorldMemory } from '../memory/world-memory.ts';
import type { WaitedWord } from '../program.ts';
import { lsaInbox } from './lsa-inbox.ts';
import type { WordPlace } from './word-place.ts';

/** What the word is that a stuck condition reads. */
export function describeWord(word: WaitedWord, memory: WorldMemory): WordPlace {
  if (word.space !== 'global') return { kind: 'array', space: word.space, offset: word.address };
  const at = memory.space.locate(word);
  if (at === undefined) return { kind: 'unknown', address: word.address };
  const { window, rank, offset } = at;
  const devComm = memory.devCommOf(window);
  const inbox = devComm === undefined ? undefined : lsaInbox(devComm.plan, rank, offset);
  return { kind: 'window', window: window.name, rank, offset };
}
