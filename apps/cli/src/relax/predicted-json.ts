import type { PredictedTimes } from '@nccl-ts/relax';

/** The time with one offer, for the JSON of its place. */
export function predictedAlone(times: PredictedTimes | undefined, index: number): object {
  const nanoseconds = times?.alone.get(index);
  return nanoseconds === undefined ? {} : { predicted: { nanoseconds } };
}

/** The times with and without what goes together, for JSON. */
export function predictedJson(times: PredictedTimes | undefined): object {
  if (times === undefined) return {};
  const { machine, ranks, nanoseconds, together } = times;
  const after = together === undefined ? {} : { after: { nanoseconds: together } };
  return { predicted: { machine, ranks, before: { nanoseconds }, ...after } };
}
