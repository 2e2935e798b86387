export {
  predict,
  type BoundName,
  type PredictedBound,
  type Prediction,
  type PredictOptions,
  type PredictProgram,
} from './predict.ts';
export type { PredictedPart } from './critical-path.ts';
export type { PredictedLaunch, PredictedWait } from './time-use.ts';
