import { NcclError, showValue, type TimelineRecorder } from '@nccl-ts/core';

/** @throws NcclError `NCCL_INVALID_ARGUMENT` if untyped code does not pass a recorder. */
export function expectRecorder(recorder: TimelineRecorder): void {
  const given: unknown = recorder;
  if (typeof given === 'object' && given !== null && typeof Reflect.get(given, 'build') === 'function') return;
  throw new NcclError(
    'NCCL_INVALID_ARGUMENT',
    `timeline(recorder): the recorder must be what createTimelineRecorder() of @nccl-ts/timeline makes; given ${showValue(given)}.`,
    { details: { what: 'recorder', given } },
  );
}
