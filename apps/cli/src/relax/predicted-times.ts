import { isNcclError } from '@nccl-ts/core';
import type { SimTraceOptions } from '@nccl-ts/cost-model';
import { harnessProgram, ranksToCheck, translate, type Harness } from '@nccl-ts/harness';
import { predict } from '@nccl-ts/prediction';
import { edited, type RelaxReport } from '@nccl-ts/relax';
import type { PtxText } from '../module/read-ptx.ts';

/** The predicted times of a kernel's launches, with the host program of its harness. */
export interface PredictedTimes {
  readonly machine: string;
  readonly ranks: number;
  /** Of the kernel as it is. */
  readonly nanoseconds: number;
  /** With each offer alone, by index of `places`. */
  readonly alone: ReadonlyMap<number, number>;
  /** With all offers that go together. Absent if there are none. */
  readonly together?: number;
}

/**
 * Predicts the time with and without what can go. `undefined` if there are no offers, or if the
 * launches cannot be predicted.
 */
export async function predictedTimes(
  harness: Harness,
  { name, text, source }: PtxText,
  { places, joint, text: relaxed }: RelaxReport,
  machine: { readonly name: string; readonly costs: SimTraceOptions },
  onProgress: (doing: string) => void,
): Promise<PredictedTimes | undefined> {
  if (places.every(({ weakening }) => weakening === undefined)) return undefined;
  const [ranks] = ranksToCheck(harness);
  const timeOf = async (of: string): Promise<number> => {
    const program = harnessProgram(harness, translate(harness, of, { name, ranks, source }));
    const { nanoseconds } = await predict({ ranks, machine: machine.costs, bounds: false }, program);
    return nanoseconds;
  };
  try {
    onProgress(`predicting on ${machine.name}`);
    const nanoseconds = await timeOf(text);
    const alone = new Map<number, number>();
    for (const [i, { place, weakening }] of places.entries()) {
      if (weakening === undefined) continue;
      onProgress(`predicting on ${machine.name}, without ${place.instruction}`);
      alone.set(i, await timeOf(edited(text, [{ span: place.span, with: weakening.text }])));
    }
    const together = joint.length === 0 ? {} : { together: await timeOf(relaxed) };
    return { machine: machine.name, ranks, nanoseconds, alone, ...together };
  } catch (error) {
    // A program that a check understands may have no predicted time, such as one with unknown
    // values.
    if (!isNcclError(error)) throw error;
    return undefined;
  }
}
