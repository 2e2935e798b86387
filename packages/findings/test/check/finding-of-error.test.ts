import { NcclError } from '@nccl-ts/core';
import {
  DeadlockError,
  FaultError,
  findingOfError,
  type FaultKind,
  type FaultReport,
  type FindingKind,
} from '@nccl-ts/findings';
import { describe, expect, it } from 'vitest';
import { place, schedule, store } from './sample.ts';
import { samples } from './samples.ts';

const astray = samples['out-of-bounds'].fault;
const stuck = samples.deadlock.deadlock;
if (astray === undefined || stuck === undefined) throw new Error('the samples lack their reports');

function fault(parts: Partial<FaultReport>): FaultError {
  const report: FaultReport = {
    kind: 'assert',
    kernel: 'shift',
    launch: 2,
    rank: 1,
    blockIdx: { x: 3, y: 0, z: 0 },
    thread: 4,
    what: 'assert',
    place: place(store),
    ...parts,
  };
  return new FaultError(report, []);
}

describe('an error as a finding', () => {
  it('has the thread, line and bytes of an access out of bounds', () => {
    expect(findingOfError(new FaultError(astray, []), schedule)).toMatchObject({
      kind: 'out-of-bounds',
      severity: 'error',
      message: "store of 4 bytes out of bounds: byte 4096 of window 0 (4096 bytes), rank 1's copy",
      labels: [{ agent: 'thread', does: 'store', rank: 0, kernel: 'shift', launch: 0, blockIdx: { x: 1, y: 2 } }],
      bytes: { place: { kind: 'window', window: 'window 0', rank: 1, offset: 4096 }, bytes: 4 },
      certainty: 'this schedule',
      schedule,
      fault: astray,
    });
  });

  it.for<readonly [FaultKind, FindingKind]>([
    ['outOfBounds', 'out-of-bounds'],
    ['misaligned', 'out-of-bounds'],
    ['addressRange', 'out-of-bounds'],
    ['divideByZero', 'fault'],
    ['overflow', 'fault'],
    ['assert', 'fault'],
    ['lane', 'fault'],
    ['misuse', 'misuse'],
    ['fuel', 'incomplete'],
  ])('converts %s to %s', ([kind, expected]) => {
    expect(findingOfError(fault({ kind, message: 'because' }), schedule)?.kind).toBe(expected);
  });

  it('names the rule that was broken', () => {
    expect(findingOfError(fault({ kind: 'misuse', message: 'index past the end' }), schedule)?.message).toBe(
      'index past the end',
    );
  });

  it('has the known bytes of accesses to arrays and to invalid pointers', () => {
    const access = { bytes: 2, offset: 8 } as const;
    const shared = fault({ kind: 'misaligned', access: { ...access, space: 'shared' } });
    expect(findingOfError(shared, schedule)?.bytes).toEqual({
      place: { kind: 'array', space: 'shared', offset: 8 },
      bytes: 2,
    });
    const nowhere = fault({ kind: 'outOfBounds', access: { ...access, space: 'global' } });
    expect(findingOfError(nowhere, schedule)?.bytes).toBeUndefined();
  });

  it('has the report of a deadlock', () => {
    const error = new DeadlockError({ ...stuck, missing: [] }, []);
    expect(findingOfError(error, schedule)).toMatchObject({ kind: 'deadlock', labels: [], deadlock: error.report });
  });

  it('of a deadlock is the fault that led to it', () => {
    const missing = {
      rank: 1,
      reason: 'failed',
      host: 'done',
      awaitedBy: [0],
      failure: fault({ message: 'no' }),
    } as const;
    const error = new DeadlockError({ ...stuck, missing: [missing] }, []);
    expect(findingOfError(error, schedule)).toMatchObject({ kind: 'fault', message: 'assertion failed: no' });
  });

  it("is found in an error's cause, or among several errors", () => {
    const aborted = new NcclError('NCCLTS_ABORTED', 'the world was aborted', { cause: fault({}) });
    expect(findingOfError(aborted, schedule)?.kind).toBe('fault');
    expect(findingOfError(new AggregateError([new Error('first'), aborted]), schedule)?.kind).toBe('fault');
  });

  it('is undefined for any other error', () => {
    for (const error of [new Error('mine'), new NcclError('NCCLTS_CLOSED', 'closed'), 'text', undefined]) {
      expect(findingOfError(error, schedule)).toBeUndefined();
    }
  });

  it('is frozen', () => {
    const finding = findingOfError(fault({}), schedule);
    expect(Object.isFrozen(finding)).toBe(true);
    expect(Object.isFrozen(finding?.labels[0])).toBe(true);
  });
});
