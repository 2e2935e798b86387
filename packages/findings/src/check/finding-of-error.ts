import { DeadlockError } from '../deadlock-error.ts';
import { FaultError } from '../fault-error.ts';
import type { FaultReport, FaultyAccess } from '../fault-report.ts';
import type { FaultKind } from '../fault.ts';
import { WrongResultError, type WrongResult } from '../wrong-result-error.ts';
import { faultHeadline } from '../render-fault.ts';
import { deepFreeze } from './deep-freeze.ts';
import type { FindingKind } from './finding-kinds.ts';
import type { Finding, FindingBytes, ScheduleId } from './finding.ts';

/**
 * Converts an error that ended a run to a finding: a deadlock, a fault or a wrong result. It may be
 * the cause of the error, or one of several errors. Returns `undefined` for any other error,
 * because kernels did not cause it.
 */
export function findingOfError(error: unknown, schedule: ScheduleId): Finding | undefined {
  if (error instanceof DeadlockError) return ofDeadlock(error, schedule);
  if (error instanceof FaultError) return ofFault(error.report, schedule);
  if (error instanceof WrongResultError) return ofResult(error.wrong, schedule);
  if (!(error instanceof Error)) return undefined;
  const inner: readonly unknown[] = error instanceof AggregateError ? error.errors : [error.cause];
  for (const one of inner) {
    const finding = findingOfError(one, schedule);
    if (finding !== undefined) return finding;
  }
  return undefined;
}

/**
 * If a rank fails, others wait for it. So the finding is the failure, and the deadlock follows from
 * it.
 */
function ofDeadlock({ report }: DeadlockError, schedule: ScheduleId): Finding {
  for (const { failure } of report.missing) {
    const cause = failure === undefined ? undefined : findingOfError(failure, schedule);
    if (cause !== undefined) return cause;
  }
  return deepFreeze({
    kind: 'deadlock',
    severity: 'error',
    message:
      report.livelock === true
        ? 'livelock: threads repeat a loop forever, because the same state recurs'
        : 'threads wait for an event that can no longer happen',
    labels: [],
    missing: [],
    certainty: 'this schedule',
    schedule,
    deadlock: report,
  });
}

const kinds: Readonly<Record<FaultKind, FindingKind>> = {
  outOfBounds: 'out-of-bounds',
  misaligned: 'out-of-bounds',
  divideByZero: 'fault',
  overflow: 'fault',
  assert: 'fault',
  misuse: 'misuse',
  addressRange: 'out-of-bounds',
  lane: 'fault',
  fuel: 'incomplete',
};

function ofFault(fault: FaultReport, schedule: ScheduleId): Finding {
  const { kind, kernel, launch, rank, blockIdx, thread, what, place: location, access, origin } = fault;
  const bytes = access === undefined ? undefined : bytesOf(access);
  const who = { agent: 'thread', rank, kernel, launch, blockIdx, thread } as const;
  return deepFreeze({
    kind: kinds[kind],
    severity: 'error',
    message: headline(fault),
    labels: [
      { ...who, does: what === 'requires' ? 'call' : what, ...(location === undefined ? {} : { place: location }) },
      ...(origin === undefined ? [] : [{ ...who, ...origin }]),
    ],
    ...(bytes === undefined ? {} : { bytes }),
    missing: [],
    certainty: 'this schedule',
    schedule,
    fault,
  });
}

function ofResult({ rank, window, offset, bytes, message, isUnknown }: WrongResult, schedule: ScheduleId): Finding {
  return deepFreeze({
    kind: isUnknown === true ? 'incomplete' : 'fault',
    severity: 'error',
    message,
    labels: [{ agent: 'host', does: `host reads ${window} and compares it`, rank }],
    bytes: { place: { kind: 'window', window, rank, offset }, bytes },
    missing: [],
    certainty: 'this schedule',
    schedule,
  });
}

/**
 * The first line of the fault's own headline, because the finding itself states that it is a
 * misuse.
 */
function headline(fault: FaultReport): string {
  const [line = ''] = faultHeadline(fault).split('\n', 1);
  return line.replace(/^misuse: /, '');
}

function bytesOf({ space, offset, bytes, window }: FaultyAccess): FindingBytes | undefined {
  if (space !== 'global') return { place: { kind: 'array', space, offset }, bytes };
  if (window === undefined) return undefined;
  return { place: { kind: 'window', window: window.name, rank: window.rank, offset }, bytes };
}
