import { isNcclError } from '@nccl-ts/core';
import type { SimTraceOptions } from '@nccl-ts/cost-model';
import { predict, type PredictProgram } from '@nccl-ts/prediction';

/** A machine whose times are predicted. */
export interface NamedMachine {
  readonly name: string;
  readonly costs: SimTraceOptions;
}

/** A program with some of its offers made. */
export interface OfferedProgram {
  readonly ranks: number;
  readonly lsaSize?: number;
  /** The offers, by their index in the report, with what each changes. */
  readonly offers: ReadonlyMap<number, string>;
  /** Those that go together. */
  readonly joint: readonly number[];
  /** Returns the program with these offers. */
  readonly withOffers: (chosen: readonly number[]) => PredictProgram;
}

/** The predicted times of a program's launches. */
export interface PredictedTimes {
  readonly machine: string;
  readonly ranks: number;
  /** Of the program as it is. */
  readonly nanoseconds: number;
  /** With each offer alone, by its index in the report. */
  readonly alone: ReadonlyMap<number, number>;
  /** With all offers that go together. Absent if there are none. */
  readonly together?: number;
}

/**
 * Predicts the time with and without what can go. `undefined` if there are no offers, or if the
 * launches cannot be predicted.
 */
export async function predictedTimes(
  { ranks, lsaSize, offers, joint, withOffers }: OfferedProgram,
  machine: NamedMachine,
  onProgress: (doing: string) => void,
): Promise<PredictedTimes | undefined> {
  if (offers.size === 0) return undefined;
  const options = { ranks, machine: machine.costs, bounds: false, ...(lsaSize === undefined ? {} : { lsaSize }) };
  const timeOf = async (chosen: readonly number[]): Promise<number> => {
    const { nanoseconds } = await predict(options, withOffers(chosen));
    return nanoseconds;
  };
  try {
    onProgress(`predicting on ${machine.name}`);
    const nanoseconds = await timeOf([]);
    const alone = new Map<number, number>();
    for (const [index, name] of offers) {
      onProgress(`predicting on ${machine.name}, without ${name}`);
      alone.set(index, await timeOf([index]));
    }
    const together = joint.length === 0 ? {} : { together: await timeOf(joint) };
    return { machine: machine.name, ranks, nanoseconds, alone, ...together };
  } catch (error) {
    // A program that a check understands may have no predicted time, such as one with unknown
    // values.
    if (!isNcclError(error)) throw error;
    return undefined;
  }
}
