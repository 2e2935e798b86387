import { at, expectInteger, medianOf, NcclError, showValue, takeOptions, type CollectiveName } from '@nccl-ts/core';
import type { Algorithm } from '../algorithms/algorithm.ts';
import { defaultSelection } from './default-selection.ts';
import { select } from './selection.ts';
import type { SelectionRule } from './selection-rule.ts';

/** The machine on which times were measured. Rules hold only on the same kind of machine. */
export interface TunedMachine {
  readonly backend: string;
  /**
   * The number of ranks, all in one load-store domain. With several domains there is no choice of
   * algorithms.
   */
  readonly nRanks: number;
  /** True if NVLink connects the GPUs of all ranks. Rules then apply only there. @default false */
  readonly nvlink?: boolean;
}

/** The times of one collective with one algorithm and one size. */
export interface TuneMeasurement {
  readonly collective: CollectiveName;
  readonly algorithm: Algorithm;
  /**
   * The bytes of `count` elements, as rules count them: those of one rank's part if the collective
   * has parts.
   */
  readonly bytes: number;
  /**
   * One time for each round, at least one, all in the same unit. Times of the same round were
   * measured side by side.
   */
  readonly times: readonly number[];
}

export interface TuneOptions {
  /**
   * The fraction of its time by which an algorithm must be faster to replace another: 0.05 is 5
   * %.
   *
   * @default TUNE_MARGIN
   */
  readonly margin?: number;
  /** The rules that apply if no tuned rule fits. @default defaultSelection */
  readonly otherwise?: readonly SelectionRule[];
}

/** Times that differ by less than this fraction count as equal. */
export const TUNE_MARGIN = 0.05;

/** The fraction of the rounds in which a faster algorithm must be faster. */
const MOST_ROUNDS = 0.75;

/**
 * Derives rules from measurements, which you pass to `setSelection` before `otherwise`.
 *
 * It starts with the choice of `otherwise`. From size to size it keeps that choice until another
 * algorithm has a median that is lower by `margin`, and is faster in three quarters of the rounds.
 * So it makes no rules if no algorithm is that much faster. It does not guarantee that no rule
 * results from noise. Neighbouring sizes with the same choice become one rule, up to the largest of
 * them. A size between two measured ones belongs to the larger one. The first rule also covers all
 * smaller sizes. There are no rules above the largest size, and none after the last one that
 * differs from `otherwise`.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the margin is not at least 0 and less than 1, a
 *   measurement has no times or a time that is not above 0, or two measurements are for the same
 *   case.
 */
export function tunedRules(
  machine: TunedMachine,
  measurements: readonly TuneMeasurement[],
  options: TuneOptions = {},
): readonly SelectionRule[] {
  const taken = takeOptions('tunedRules', options, { margin: true, otherwise: true });
  const { margin = TUNE_MARGIN, otherwise = defaultSelection } = taken;
  if (!(margin >= 0 && margin < 1)) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `tunedRules: margin must be at least 0 and less than 1; given ${margin}.`,
    );
  }
  const collectives = [...new Set(measurements.map(({ collective }) => collective))];
  return Object.freeze(
    collectives.flatMap((collective) => {
      const choices = choicesOf(machine, collective, sizesOf(collective, measurements), margin, otherwise);
      return rulesOf(machine, collective, choices);
    }),
  );
}

/** All measurements of one size. */
interface SizeMeasurements {
  readonly bytes: number;
  readonly times: ReadonlyMap<Algorithm, readonly number[]>;
}

/** The choice for a size, and whether it needs a rule. */
interface Choice {
  readonly bytes: number;
  readonly algorithm: Algorithm;
  readonly usual: boolean;
}

/** Returns the sizes of a collective in ascending order. */
function sizesOf(collective: CollectiveName, measurements: readonly TuneMeasurement[]): readonly SizeMeasurements[] {
  const sizes = new Map<number, Map<Algorithm, readonly number[]>>();
  for (const { algorithm, bytes, times } of measurements.filter((one) => one.collective === collective)) {
    const what = `tunedRules: ${collective} by ${algorithm}`;
    expectInteger(`${what}: bytes`, bytes, 0);
    if (times.length === 0 || !times.every((time) => time > 0)) {
      throw new NcclError(
        'NCCL_INVALID_ARGUMENT',
        `${what}, ${bytes} bytes: there must be times, and all above 0; given ${showValue(times)}.`,
      );
    }
    const known = sizes.get(bytes) ?? new Map<Algorithm, readonly number[]>();
    if (known.has(algorithm)) {
      throw new NcclError(
        'NCCL_INVALID_ARGUMENT',
        `${what}, ${bytes} bytes: there are two measurements for it: pass all its times in one.`,
      );
    }
    sizes.set(bytes, known.set(algorithm, times));
  }
  return [...sizes].map(([bytes, times]) => ({ bytes, times })).toSorted((a, b) => a.bytes - b.bytes);
}

function choicesOf(
  { backend, nRanks, nvlink = false }: TunedMachine,
  collective: CollectiveName,
  sizes: readonly SizeMeasurements[],
  margin: number,
  otherwise: readonly SelectionRule[],
): readonly Choice[] {
  const choices: Choice[] = [];
  // Undefined for the choice of `otherwise`.
  let holder: Algorithm | undefined;
  for (const { bytes, times } of sizes) {
    const place = { backend, nRanks, lsaSize: nRanks, nvlink } as const;
    const query = { ...place, collective, element: 'u8', count: bytes, op: undefined } as const;
    const usual = select(query, otherwise).algorithm;
    const held = times.get(holder ?? usual);
    const better = [...times].filter(([, each]) => held === undefined || isFaster(each, held, margin));
    const [best] = better.toSorted(([, a], [, b]) => medianOf(a) - medianOf(b)).map(([name]) => name);
    if (best !== undefined) holder = best === usual ? undefined : best;
    choices.push({ bytes, algorithm: holder ?? usual, usual: holder === undefined });
  }
  return choices;
}

/** True if times are lower by the margin, and in enough rounds that chance is unlikely. */
function isFaster(times: readonly number[], than: readonly number[], margin: number): boolean {
  const rounds = Math.min(times.length, than.length);
  const won = times.slice(0, rounds).filter((time, round) => time < at(than, round)).length;
  return medianOf(times) < medianOf(than) * (1 - margin) && won >= rounds * MOST_ROUNDS;
}

function rulesOf(
  { backend, nRanks, nvlink = false }: TunedMachine,
  collective: CollectiveName,
  choices: readonly Choice[],
): readonly SelectionRule[] {
  // A rule has no smallest size, so the sizes before a needed rule need rules too.
  const needed = choices.slice(0, choices.findLastIndex(({ usual }) => !usual) + 1);
  return needed
    .filter(({ algorithm }, i) => needed[i + 1]?.algorithm !== algorithm)
    .map(({ algorithm, bytes }) =>
      Object.freeze({
        collective,
        algorithm,
        backend,
        ...(nvlink && { nvlink }),
        minRanks: nRanks,
        maxRanks: nRanks,
        maxBytes: bytes,
      }),
    );
}
