import { NcclError, showValue } from '@nccl-ts/core';
import type { TimelineRecorder } from '@nccl-ts/timeline';

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
