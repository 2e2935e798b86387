import { at } from '@nccl-ts/core';
import type { Who } from './clock.ts';
import type { Want } from './want.ts';
import type { PassedRead, Version, WordLog } from './word-log.ts';

/** The largest number of combinations that are tested. */
const MOST_COMBINATIONS = 1024;

/** The additions that a wait for a sum has read in every run. */
interface LeastParts {
  readonly parts: readonly Version[];
  /** True if the wait may end with these parts alone. */
  readonly isExact: boolean;
  /** True if no further addition ends a state in which the wait is satisfied. */
  readonly lasts: boolean;
}

/*
 * Each thread adds to the word in its own order, so a run has added some first parts of each
 * thread's list. Every combination of such first parts is tested, also those that no run reaches.
 * If a wait is satisfied only by combinations with the first two parts of a thread, it has read
 * both.
 *
 * An example is a barrier in which each rank adds one and its peer subtracts one again. The wait
 * for a sum of at most zero has read the peer's part, even if the peer subtracts once more.
 */

/**
 * The parts that a wait has read, if it waits for a sum that amounts may also make smaller, or that
 * is enough when it is small. `undefined` for other waits.
 */
export function partsOf(
  log: WordLog,
  beside: readonly Version[],
  want: Want,
): Pick<PassedRead, 'taken' | 'needed' | 'start'> | undefined {
  const latest = log.latest?.value;
  if (want.accepts === undefined || latest === undefined) return undefined;
  const amounts = beside.every(({ kind }) => kind === 'add') ? amountsOf(log, beside) : undefined;
  if (amounts === undefined) return undefined;
  const all = [...amounts.values()];
  if (want.least !== undefined && all.every((amount) => amount > 0n)) return undefined;
  const start = latest - all.reduce((sum, amount) => sum + amount, 0n);
  const least = leastParts((sum) => isHeld(log, want, sum), start, amounts);
  return least === undefined ? undefined : { taken: least.parts, needed: 0n, start };
}

/**
 * Examines a wait that has read such parts, with all additions known. It is sure if the wait has
 * read these parts in every run and ends in every run.
 */
export function settledParts(
  log: WordLog,
  { taken, want }: PassedRead,
  others: readonly Version[],
  start: bigint,
): { readonly isSure: boolean; readonly isExact: boolean } {
  // Changes by the network need not come in the order of the requests.
  const isOrdered = others.every(({ request }) => request === undefined);
  const amounts = isOrdered ? amountsOf(log, others) : undefined;
  const least = amounts === undefined ? undefined : leastParts((sum) => isHeld(log, want, sum), start, amounts);
  if (least?.lasts !== true) return { isSure: false, isExact: false };
  return { isSure: taken.every((one) => least.parts.includes(one)), isExact: least.isExact };
}

/** The amount that each version adds to the word. `undefined` if that of one is unknown. */
function amountsOf(log: WordLog, versions: readonly Version[]): ReadonlyMap<Version, bigint> | undefined {
  const amounts = new Map<Version, bigint>();
  for (const one of versions) {
    const amount = log.amountOf(one);
    if (amount === undefined) return undefined;
    amounts.set(one, amount);
  }
  return amounts;
}

/** True if a sum, which may be too large for the word, satisfies a wait. */
function isHeld(log: WordLog, want: Want, sum: bigint): boolean {
  return log.holds(want, BigInt.asUintN(8 * log.bytes, sum)) === true;
}

/**
 * Finds the parts that a wait has read in every run. `start` is the value of the word without
 * `amounts`, which may be negative and are in the order of the run. Returns `undefined` if there
 * are too many combinations, or if none satisfies the wait.
 */
function leastParts(
  isSatisfied: (value: bigint) => boolean,
  start: bigint,
  amounts: ReadonlyMap<Version, bigint>,
): LeastParts | undefined {
  const writers = writersOf(amounts);
  const count = writers.reduce((product, { parts }) => product * (parts.length + 1), 1);
  if (count > MOST_COMBINATIONS) return undefined;
  const satisfied: boolean[] = [];
  for (let combination = 0; combination < count; combination++) {
    const sum = writers.reduce((all, writer) => all + at(writer.sums, partsIn(combination, writer)), start);
    satisfied.push(isSatisfied(sum));
  }
  const least = writers.map(({ parts }) => parts.length);
  let lasts = true;
  for (const [combination, holds] of satisfied.entries()) {
    if (!holds) continue;
    for (const [index, writer] of writers.entries()) {
      const used = partsIn(combination, writer);
      least[index] = Math.min(at(least, index), used);
      if (used < writer.parts.length && !at(satisfied, combination + writer.stride)) lasts = false;
    }
  }
  if (!satisfied.includes(true)) return undefined;
  const combination = writers.reduce((sum, { stride }, index) => sum + stride * at(least, index), 0);
  return {
    parts: writers.flatMap(({ parts }, index) => parts.slice(0, at(least, index))),
    isExact: at(satisfied, combination),
    lasts,
  };
}

/** A thread that adds to the word. */
interface PartWriter {
  readonly parts: readonly Version[];
  /** The sums of the first parts: of none, of one, and so on. */
  readonly sums: readonly bigint[];
  /** The distance of two combinations that differ in one part of this thread. */
  readonly stride: number;
}

function writersOf(amounts: ReadonlyMap<Version, bigint>): readonly PartWriter[] {
  const lists = new Map<Who, { parts: Version[]; sums: bigint[] }>();
  for (const [part, amount] of amounts) {
    const list = lists.get(part.who) ?? { parts: [], sums: [0n] };
    lists.set(part.who, list);
    list.parts.push(part);
    list.sums.push(at(list.sums, list.sums.length - 1) + amount);
  }
  let stride = 1;
  return [...lists.values()].map((list) => {
    const writer = { ...list, stride };
    stride *= list.parts.length + 1;
    return writer;
  });
}

/** The number of first parts of a thread in a combination. */
function partsIn(combination: number, { stride, parts }: PartWriter): number {
  return Math.floor(combination / stride) % (parts.length + 1);
}
