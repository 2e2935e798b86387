import { createTimelineRecorder } from '@nccl-ts/timeline';
import {
  changeablePlaces,
  predict,
  predictWhatIf,
  type Prediction,
  type PredictOptions,
  type PredictProgram,
  type WhatIf,
  type WhatIfPrediction,
} from '@nccl-ts/prediction';
import type { WhatIfChoice } from './what-if-option.ts';

/** The predicted effect of what a what-if asks for. */
export type WhatIfRow = WhatIfPrediction & {
  /** As on the command line. */
  readonly whatIf: string;
};

/** A prediction, with the effects of changes. */
export interface WithWhatIfs extends Prediction {
  readonly whatIfs?: readonly WhatIfRow[];
}

/** The programs to predict. */
export interface PredictedPrograms {
  readonly asItIs: PredictProgram;
  /** The same without checks of its own results, which may differ after a change. */
  readonly unchecked: PredictProgram;
}

/** Predicts a program, then once more with each of the changes. */
export async function predictWithWhatIfs(
  options: PredictOptions,
  { asItIs, unchecked }: PredictedPrograms,
  choices: readonly WhatIfChoice[],
  onProgress: (doing: string) => void,
): Promise<WithWhatIfs> {
  if (choices.length === 0) return predict(options, asItIs);
  const { prediction, places } = await changeablePlaces(options, asItIs);
  const whatIfs: WhatIfRow[] = [];
  const each = places.flatMap(({ at, changes }) =>
    changes.flatMap((to): readonly (readonly [string, readonly WhatIf[]])[] => {
      const [, file, line] = /^(.+):(\d+)$/u.exec(at) ?? [];
      if (file === undefined || (to !== 'removed' && to !== 'weaker')) return [];
      return [[`${at}=${to}`, [{ kind: 'sync', at: { file, line: Number(line) }, to }]]];
    }),
  );
  const all = choices.flatMap(({ text, changes }) => (changes === 'each' ? each : [[text, changes] as const]));
  const { recorder, ...again } = options;
  for (const [whatIf, changes] of all) {
    onProgress(whatIf);
    const row = await predictWhatIf(
      { ...again, ...(recorder === undefined ? {} : { recorder: createTimelineRecorder() }), bounds: false },
      unchecked,
      changes,
      prediction.nanoseconds,
    );
    whatIfs.push({ whatIf, ...row });
  }
  return { ...prediction, whatIfs };
}
