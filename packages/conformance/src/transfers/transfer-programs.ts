import { mixedGroups } from './mixed-groups.ts';
import { countedSignals, putToAll } from './one-sided.ts';
import { exchangeWithAll, fillLinks, takeTurns } from './point-to-point.ts';
import type { RankProgram } from './rank-program.ts';

export const transferPrograms = [
  'exchangeWithAll',
  'fillLinks',
  'takeTurns',
  'putToAll',
  'countedSignals',
  'mixedGroups',
] as const;
export type TransferProgram = (typeof transferPrograms)[number];

/** The programs by name. */
export const rankPrograms: Readonly<Record<TransferProgram, RankProgram>> = Object.freeze({
  exchangeWithAll,
  fillLinks,
  takeTurns,
  putToAll,
  countedSignals,
  mixedGroups,
});
