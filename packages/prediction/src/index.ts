export {
  predict,
  type BoundName,
  type PredictedBound,
  type Prediction,
  type PredictOptions,
  type PredictProgram,
} from './predict.ts';
export type { PredictedPart } from './critical-path.ts';
export type { PredictedSync, SyncKind } from './sync-costs.ts';
export type { PredictedLaunch, PredictedWait } from './time-use.ts';
export { changeablePlaces, predictWhatIf, RESOLUTION, type WhatIfPrediction } from './what-if/predict-what-if.ts';
export type { ChangeablePlace } from './what-if/changed-program.ts';
export type { MadeChange, WhatIf } from './what-if/what-if.ts';
export type { SourceLine } from './source-places.ts';
