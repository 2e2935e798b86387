import type { WorldMemory } from '../memory/world-memory.ts';
import type { WaitedWord } from '../program.ts';
import { lsaInbox } from './lsa-inbox.ts';
import type { WordPlace } from './word-place.ts';

/** What the word is that a stuck condition reads. */
export function describeWord(word: WaitedWord, memory: WorldMemory): WordPlace {
  if (word.space !== 'global') return { kind: 'array', space: word.space, offset: word.address };
  const at = memory.space.locate(word);
  if (at === undefined) return { kind: 'unknown', address: word.address };
  const place = { window: at.window.name, rank: at.rank, offset: at.offset };
  const plan = memory.devCommOf(at.window)?.plan;
  const inbox = plan === undefined ? undefined : lsaInbox(plan, at.offset);
  if (plan === undefined || inbox === undefined) return { kind: 'window', ...place };
  const { lsaSize } = plan.topology;
  return { kind: 'lsaInbox', ...place, ...inbox, peerRank: at.rank - (at.rank % lsaSize) + inbox.peer };
}
