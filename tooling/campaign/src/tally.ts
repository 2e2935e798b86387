import type { CampaignProgram } from './program.ts';

/** A rule that a program breaks. */
export interface Found {
  readonly seed: number;
  readonly rule: string;
  readonly detail: string;
  /** The smallest known program that breaks the rule. Absent before a search. */
  readonly program?: CampaignProgram;
}

/** The state of a campaign, as JSON. */
export interface Tally {
  readonly seed: number;
  readonly programs: number;
  /** The first seeds of the finished pieces. */
  readonly done: readonly number[];
  readonly judged: number;
  readonly refused: number;
  /** The number of programs that the graph engine explored completely. */
  readonly complete: number;
  /** The number of programs in which some engine found an error. */
  readonly wrong: number;
  /** The number of violations of rules that no engine guarantees. */
  readonly notes: number;
  readonly found: readonly Found[];
}

export function emptyTally(seed: number, programs: number): Tally {
  return { seed, programs, done: [], judged: 0, refused: 0, complete: 0, wrong: 0, notes: 0, found: [] };
}

/**
 * Parses a saved campaign to continue it.
 *
 * @throws TypeError if it belongs to a campaign of other seeds.
 */
export function parseTally(text: string, seed: number, programs: number): Tally {
  const value: unknown = JSON.parse(text);
  if (!isTally(value) || value.seed !== seed || value.programs !== programs) {
    throw new TypeError(
      `The file does not belong to a campaign of ${programs} programs from seed ${seed}: choose another one.`,
    );
  }
  return value;
}

/** A quick check is enough, because only campaigns write these files. */
function isTally(value: unknown): value is Tally {
  return typeof value === 'object' && value !== null && 'done' in value && 'found' in value && 'judged' in value;
}

/** The number of violations of each rule, with the first seeds, the most frequent first. */
export function countsText({ found }: Tally): readonly string[] {
  const seeds = new Map<string, number[]>();
  for (const { rule, seed } of found) seeds.set(rule, [...(seeds.get(rule) ?? []), seed]);
  return [...seeds]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(
      ([rule, all]) => `${rule}: ${all.length} (seeds ${all.slice(0, 8).join(', ')}${all.length > 8 ? ', ...' : ''})`,
    );
}
