import { isNcclError } from '@nccl-ts/core';
import { predict, type Prediction, type PredictOptions, type PredictProgram } from '../predict.ts';
import { ChangedProgram, type ChangeablePlace } from './changed-program.ts';
import type { MadeChange, WhatIf } from './what-if.ts';

/**
 * The smallest part of a time that counts as a difference. The model prices fences and releases by
 * their scope. Orders of fences cost the same on GPUs, and an acquire costs what a relaxed load
 * does, so that weaker forms of these differ only where they wait for something.
 */
export const RESOLUTION = 0.01;

/** The predicted effect of changes. */
export type WhatIfPrediction =
  | {
      readonly changes: readonly MadeChange[];
      /** The predicted time with the changes. */
      readonly nanoseconds: number;
      /** By how much shorter that is; negative if it is longer. */
      readonly saved: number;
      /** True if the difference is too small for the model. */
      readonly isBelowResolution: boolean;
      readonly prediction: Prediction;
    }
  /** The changes cannot be made, or the changed program has no predicted time. */
  | { readonly changes: readonly MadeChange[]; readonly why: string };

/**
 * Predicts a program with changes. The changed program may be wrong on GPUs: this is about its time
 * alone. Results that the program checks itself may differ, so leave such checks out.
 *
 * @param before the predicted nanoseconds of the program as it is, on the same machine
 */
export async function predictWhatIf(
  options: PredictOptions,
  program: PredictProgram,
  whatIfs: readonly WhatIf[],
  before: number,
): Promise<WhatIfPrediction> {
  const changed = new ChangedProgram(whatIfs);
  try {
    const prediction = await predict(options, async (backend, measure) => program(changed.backend(backend), measure));
    const { unmade, places, made: changes } = changed;
    if (unmade !== undefined) return Object.freeze({ changes, why: whyNot(unmade, places) });
    const { nanoseconds } = prediction;
    const saved = before - nanoseconds;
    const isBelowResolution = Math.abs(saved) < RESOLUTION * before;
    return Object.freeze({ changes, nanoseconds, saved, isBelowResolution, prediction });
  } catch (error) {
    if (!isNcclError(error)) throw error;
    return Object.freeze({ changes: changed.made, why: error.message.split('\n', 1)[0] ?? error.code });
  }
}

/** The synchronizations of a program's kernels, with the changes that they allow. */
export async function changeablePlaces(
  options: PredictOptions,
  program: PredictProgram,
): Promise<{ readonly prediction: Prediction; readonly places: readonly ChangeablePlace[] }> {
  const unchanged = new ChangedProgram([]);
  const prediction = await predict(options, async (backend, measure) => program(unchanged.backend(backend), measure));
  return { prediction, places: unchanged.places };
}

function whyNot(whatIf: WhatIf, places: readonly ChangeablePlace[]): string {
  switch (whatIf.kind) {
    case 'ctas':
      return 'no launch would have another number of CTAs';
    case 'stores':
      return 'no thread stores values to neighbouring places, one right after the other';
    case 'sync': {
      const { at, to } = whatIf;
      const line = `${at.file === undefined ? 'line ' : `${at.file}:`}${at.line}`;
      const here = places.find((place) => place.at.endsWith(`:${at.line}`) && place.at.startsWith(at.file ?? ''));
      if (here !== undefined)
        return `${here.names.join(', ')} in ${line} cannot be ${to}; it can be ${here.changes.join(', ')}`;
      if (places.length === 0) return 'the kernels have no synchronization';
      return `there is no synchronization in ${line}; there is in ${places.map((place) => place.at).join(', ')}`;
    }
  }
}
