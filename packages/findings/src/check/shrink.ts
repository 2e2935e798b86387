import { findingKey } from './finding-key.ts';
import type { Finding } from './finding.ts';
import { shrinkList } from './shrink-list.ts';
import { shrinkNumber } from './shrink-number.ts';

/** The parts of a check that can be made smaller. The caller knows the other parts of an input. */
export interface ShrinkInput {
  readonly ranks: number;
  /** The number of CTAs of each rank. */
  readonly grid: number;
  /** The number of threads of each CTA. */
  readonly block: number;
  /** Numbers of elements, rounds and the like, by name. */
  readonly counts: Readonly<Record<string, number>>;
  /** The choices of the schedule. 0 is the default choice, which is also used past the end. */
  readonly choices?: readonly number[];
}

export interface ShrinkOptions {
  /**
   * The largest number of runs. If it is reached, the result is smaller than the input, but may not
   * be the smallest.
   * @default 500
   */
  readonly runs?: number;
  /** The smallest allowed value of parameters, if it is above 1: `{ ranks: 2, count: 32 }`. */
  readonly least?: Readonly<Record<string, number>>;
}

/** The smallest input that was found. */
export interface Shrunk {
  readonly input: ShrinkInput;
  /** The finding as the smallest input shows it. */
  readonly finding: Finding;
  /** The number of runs that were needed. */
  readonly runs: number;
  /** True if no single step makes it smaller. False if the limit of runs was reached. */
  readonly smallest: boolean;
}

/**
 * Reduces an input while it still shows the same finding: the same kind at the same source
 * locations. It reduces the ranks first, then CTAs, threads, counts in their order, and the choices
 * of the schedule. The passes repeat, because a smaller input may allow further reductions. `run`
 * runs an input and returns all its findings, or none if the input is impossible. If `run` is
 * deterministic, so is this function.
 *
 * Returns `undefined` if `input` does not show `target`.
 */
export async function shrink(
  input: ShrinkInput,
  target: Finding,
  run: (input: ShrinkInput) => Promise<readonly Finding[]>,
  { runs: most = 500, least = {} }: ShrinkOptions = {},
): Promise<Shrunk | undefined> {
  const key = keyOf(target);
  const failed = new Set<string>();
  let runs = 0;
  let best: { readonly input: ShrinkInput; readonly finding: Finding } | undefined;

  const shows = async (candidate: ShrinkInput): Promise<boolean> => {
    const name = JSON.stringify(candidate);
    if (failed.has(name) || runs >= most) return false;
    runs++;
    const finding = (await run(candidate)).find((found) => keyOf(found) === key);
    if (finding === undefined) failed.add(name);
    else best = { input: candidate, finding };
    return finding !== undefined;
  };

  if (!(await shows(input)) || best === undefined) return undefined;
  for (;;) {
    const before = best.input;
    await pass(before, least, shows);
    if (best.input === before || runs >= most) break;
  }
  return Object.freeze({ ...best, runs, smallest: runs < most });
}

/** Makes one pass over all parameters. `shows` remembers the smaller input. */
async function pass(
  input: ShrinkInput,
  least: Readonly<Record<string, number>>,
  shows: (candidate: ShrinkInput) => Promise<boolean>,
): Promise<void> {
  let current = input;
  const take = async (candidate: ShrinkInput): Promise<boolean> => {
    if (!(await shows(candidate))) return false;
    current = candidate;
    return true;
  };
  for (const size of ['ranks', 'grid', 'block'] as const) {
    await shrinkNumber(current[size], least[size] ?? 1, async (value) => take({ ...current, [size]: value }));
  }
  for (const [name, count] of Object.entries(input.counts)) {
    await shrinkNumber(count, least[name] ?? 1, async (value) =>
      take({ ...current, counts: { ...current.counts, [name]: value } }),
    );
  }
  if (current.choices !== undefined) {
    await shrinkList(current.choices, async (choices) => take({ ...current, choices }));
  }
}

/** The message of a finding may contain sizes. */
function keyOf(finding: Finding): string {
  return findingKey({ ...finding, message: '' });
}
