import { lettersOf, type Letter, type SubjectRecord } from './record.ts';

/** Numbers of mutants. */
export interface Score {
  /** The number of mutants whose code their programs run. */
  readonly mutants: number;
  readonly killed: number;
  /** No worse than their kernel, proven by another engine than the one that the mutants measure. */
  readonly equivalent: number;
  /** All others. */
  readonly unknown: number;
  /**
   * The number of unknown mutants that the checker itself reports as no worse, because one run
   * represents all runs.
   */
  readonly ownWord: number;
  /**
   * The fraction of killed mutants among all that are not proven equivalent. This part is certain.
   */
  readonly atLeast: number;
  /** The same, but accepts the checker's own proofs too. */
  readonly byOwnWord: number;
}

/**
 * The class of a letter in the score. `undefined` if it does not count, because the program never
 * runs the changed code or the mutant was not tried.
 */
export function standingOf(letter: Letter): 'killed' | 'equivalent' | 'own word' | 'unknown' | undefined {
  switch (letter) {
    case 'k':
    case 'a':
      return 'killed';
    case 'g':
    case 'm':
    case 'e':
      return 'equivalent';
    case 'o':
    case 'l':
      return 'own word';
    case 's':
    case 'u':
    case 't':
      return 'unknown';
    case '-':
    case '.':
      return undefined;
  }
}

/**
 * The combined score of some programs. Those that are not clean without a change have no mutants.
 */
export function scoreOf(records: readonly SubjectRecord[]): Score {
  const counts = { killed: 0, equivalent: 0, 'own word': 0, unknown: 0 };
  for (const kernel of records.flatMap(({ kernels }) => kernels)) {
    for (const letter of lettersOf(kernel)) {
      const standing = standingOf(letter);
      if (standing !== undefined) counts[standing]++;
    }
  }
  const { killed, equivalent, 'own word': ownWord } = counts;
  const unknown = counts.unknown + ownWord;
  const share = (of: number): number => (of === 0 ? 1 : killed / of);
  return {
    mutants: killed + equivalent + unknown,
    killed,
    equivalent,
    unknown,
    ownWord,
    atLeast: share(killed + unknown),
    byOwnWord: share(killed + counts.unknown),
  };
}
