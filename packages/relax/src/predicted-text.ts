import { RESOLUTION } from '@nccl-ts/prediction';
import type { PredictedTimes } from './predicted-times.ts';

/** The time that an offer saves alone, after its reason. Empty if none is predicted. */
export function savedAlone(times: PredictedTimes | undefined, index: number): string {
  const alone = times?.alone.get(index);
  return times === undefined || alone === undefined ? '' : `; ${savedText(times.nanoseconds, alone)}`;
}

/** The times with and without what goes together. Empty if nothing does, or none is predicted. */
export function timesText(times: PredictedTimes | undefined): string {
  if (times?.together === undefined) return '';
  const { machine, ranks, nanoseconds, together } = times;
  const saved = savedText(nanoseconds, together);
  return `all launches predicted on ${ranks} ranks of ${machine}: ${microseconds(nanoseconds)} us before, ${microseconds(together)} us after (${saved})`;
}

/** The part of a time that a change saves. */
function savedText(before: number, after: number): string {
  if (Math.abs(before - after) < RESOLUTION * before) return "below the model's resolution";
  const sign = after < before ? '-' : '+';
  return `${sign}${microseconds(Math.abs(before - after))} us`;
}

function microseconds(nanoseconds: number): string {
  return (nanoseconds / 1000).toFixed(2);
}
