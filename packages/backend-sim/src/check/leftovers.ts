import type { DevCommPlan } from '@nccl-ts/devcomm';
import type { Finding, FindingLabel, ScheduleId } from '@nccl-ts/findings';
import { resourceOffset } from '@nccl-ts/window';

/**
 * A message about a source location. `place` is equal for the same line, so that each line is
 * reported once.
 */
export interface LeftoverReport {
  readonly key: string;
  readonly make: (schedule: ScheduleId) => Finding;
}

function leftoverReport(
  kind: 'leftover' | 'misuse',
  severity: 'error' | 'note',
  message: string,
  label: FindingLabel,
): LeftoverReport {
  const at = label.place?.span;
  return {
    key: [kind, message, label.kernel, label.rank, at?.source, at?.start, at?.inlinedAt?.start].join(),
    make: (schedule) =>
      Object.freeze({
        kind,
        severity,
        message,
        labels: Object.freeze([label]),
        missing: Object.freeze([]),
        certainty: 'this schedule',
        schedule,
      } satisfies Finding),
  };
}

/**
 * With `gaveUp`, some wait has timed out there. Posted operations are then out of step, as the
 * caller expects after a time-out.
 */
export function operationLeft(label: FindingLabel, gaveUp: boolean): LeftoverReport {
  if (gaveUp) return leftoverReport('leftover', 'note', 'a network operation is still pending after a time-out', label);
  return leftoverReport(
    'leftover',
    'error',
    'no thread waited for a network operation: no flush, counter or signal shows that it is complete',
    label,
  );
}

export function signalLeft(label: FindingLabel): LeftoverReport {
  return leftoverReport(
    'leftover',
    'note',
    'no thread waited for a signal: the next wait finds it already there',
    label,
  );
}

export function arrivalLeft(label: FindingLabel, gaveUp: boolean): LeftoverReport {
  if (gaveUp) return leftoverReport('leftover', 'note', 'an arrival at a barrier is left over from a time-out', label);
  return leftoverReport(
    'leftover',
    'error',
    'no thread waited for an arrival at a barrier: the saved epoch does not count it',
    label,
  );
}

export function windowEnds(label: FindingLabel): LeftoverReport {
  return leftoverReport(
    'misuse',
    'error',
    'a window is deregistered while an operation on it may be pending: before the kernel ends, flush or wait for its signal or counter',
    label,
  );
}

/**
 * The words of a rank's copy of the resource window that receive arrivals at LSA barriers, by
 * offset: the counters of the multimem mode, and an inbox for each peer.
 */
export function arrivalWords({ lsaBarrier, hybridLsaBarrier, topology }: DevCommPlan): readonly number[] {
  return [lsaBarrier, hybridLsaBarrier].flatMap(({ bufHandle, nBarriers }) => {
    const words = nBarriers * (1 + topology.lsaSize);
    return Array.from({ length: words }, (_, i) => resourceOffset(bufHandle) + 4 * (2 * nBarriers + i));
  });
}
