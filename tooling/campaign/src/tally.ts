import { kinds, type Kind } from './kinds.ts';
import type { AnyProgram } from './subject.ts';

/** A rule that a program breaks. */
export interface Found {
  readonly seed: number;
  readonly rule: string;
  readonly detail: string;
  /** The smallest known program that breaks the rule. Absent before a search. */
  readonly program?: AnyProgram;
}

/** The number of programs of each kind, and of those that the graph engine explored completely. */
export type KindCounts = Readonly<Partial<Record<Kind, { readonly tried: number; readonly compared: number }>>>;

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
  readonly kinds: KindCounts;
  readonly found: readonly Found[];
}

export function emptyTally(seed: number, programs: number): Tally {
  return { seed, programs, done: [], judged: 0, refused: 0, complete: 0, wrong: 0, notes: 0, kinds: {}, found: [] };
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

/** The counts with those of more programs. */
export function withKinds(
  counts: KindCounts,
  more: readonly { readonly kind: Kind; readonly compared: boolean }[],
): KindCounts {
  const all: Partial<Record<Kind, { readonly tried: number; readonly compared: number }>> = { ...counts };
  for (const { kind, compared } of more) {
    const known = all[kind] ?? { tried: 0, compared: 0 };
    all[kind] = { tried: known.tried + 1, compared: known.compared + Number(compared) };
  }
  return all;
}

/** The number of programs of each kind that a program of these themes had. */
export function kindsText({ kinds: counts }: Tally): readonly string[] {
  return kinds.flatMap((kind) => {
    const count = counts[kind];
    return count === undefined ? [] : [`${kind}: ${count.tried} tried, ${count.compared} compared with all executions`];
  });
}
