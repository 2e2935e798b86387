import { InvalidArgumentError } from 'commander';
import { countArguments } from './count-arguments.ts';

export const sequenceNames = ['once', 'repeat', 'sizes', 'streams'] as const;

export type SequenceName = (typeof sequenceNames)[number];

/** One launch of a sequence. */
export interface SequenceLaunch {
  /** The index of its stream, from 0. Each stream has its own windows. */
  readonly stream: number;
  /** The values of integer parameters that differ from the command line's. */
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * The launches of one kernel that each rank makes. A rank's host waits only after the last launch.
 */
export interface LaunchSequence {
  readonly name: SequenceName;
  /** A description, such as `3 consecutive launches on one stream`. */
  readonly what: string;
  readonly launches: readonly SequenceLaunch[];
}

/**
 * The number of launches of `repeat`. If memory alternates, the third launch finds the first one's
 * state.
 */
const REPEATS = 3;

/**
 * Returns the sequence of that name for a kernel with these values of `--arg`; `undefined` for
 * `sizes` if no value is a count.
 *
 * `sizes` launches with the given counts, then with half of them, and then with the given counts
 * again. A half stays a multiple of the number of ranks if the count is one.
 */
export function launchSequence(
  name: SequenceName,
  values: ReadonlyMap<string, string>,
  ranks: number,
): LaunchSequence | undefined {
  const plain: SequenceLaunch = { stream: 0, counts: {} };
  switch (name) {
    case 'once':
      return { name, what: 'one launch', launches: [plain] };
    case 'repeat':
      return {
        name,
        what: `${REPEATS} consecutive launches on one stream`,
        launches: Array.from({ length: REPEATS }, () => plain),
      };
    case 'sizes': {
      const counts = countArguments(values);
      const names = Object.keys(counts);
      if (names.length === 0) return undefined;
      const half = Object.fromEntries(names.map((count) => [count, halfOf(counts[count], ranks)]));
      const reported = names
        .map((count) => `${count} ${counts[count]}, ${half[count]}, ${counts[count]}`)
        .join(' and ');
      return {
        name,
        what: `3 consecutive launches on one stream, with ${reported}`,
        launches: [plain, { stream: 0, counts: half }, plain],
      };
    }
    case 'streams':
      return {
        name,
        what: '2 concurrent launches, on two streams with one device communicator',
        launches: [plain, { stream: 1, counts: {} }],
      };
  }
}

/** Returns the name of the sequence for a finding. */
export function sequenceText({ name, what }: Pick<LaunchSequence, 'name' | 'what'>): string {
  return `${name}: ${what}`;
}

function halfOf(count = 1, ranks: number): number {
  const half = Math.max(1, Math.floor(count / 2));
  const shared = half - (half % ranks);
  return count % ranks === 0 && shared > 0 ? shared : half;
}

/** Parses `--sequence once,repeat`, which may be repeated. */
export function sequenceList(text: string, before: readonly SequenceName[] = []): readonly SequenceName[] {
  const names = text.split(',').map((word) => {
    const name = sequenceNames.find((one) => one === word.trim());
    if (name === undefined) {
      throw new InvalidArgumentError(
        `There is no sequence ${JSON.stringify(word)}; there are ${sequenceNames.join(', ')}.`,
      );
    }
    return name;
  });
  return [...new Set([...before, ...names])];
}
