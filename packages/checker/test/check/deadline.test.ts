import { emptyScope, type CheckReport, type Finding } from '@nccl-ts/findings';
import { describe, expect, it } from 'vitest';
import type { CheckClock } from '../../src/check/check-clock.ts';
import { Deadline } from '../../src/check/deadline.ts';
import { FirstPart } from '../../src/check/first-part.ts';

/** A clock that moves only when a test says so. */
class ManualClock implements CheckClock {
  time = 1000;
  readonly #timers = new Map<() => void, number>();

  now(): number {
    return this.time;
  }

  after(milliseconds: number, callback: () => void): () => void {
    this.#timers.set(callback, this.time + milliseconds);
    return () => void this.#timers.delete(callback);
  }

  get waiting(): number {
    return this.#timers.size;
  }

  /** Moves the clock, and calls the timers that are due only with `calls`. */
  moves(milliseconds: number, calls: boolean): void {
    this.time += milliseconds;
    for (const [callback, at] of calls ? [...this.#timers] : []) {
      if (at > this.time) continue;
      this.#timers.delete(callback);
      callback();
    }
  }
}

describe('the deadline of a check', () => {
  it('is over when its time has passed, even if no timer could run', () => {
    const clock = new ManualClock();
    const deadline = new Deadline(120, undefined, clock);
    clock.moves(119_999, false);
    expect([deadline.isOver, deadline.left]).toEqual([false, 1]);
    clock.moves(1, false);
    expect([deadline.isOver, deadline.left]).toEqual([true, 0]);
  });

  it('names its limit and a remedy', () => {
    const deadline = new Deadline(1.25, undefined, new ManualClock());
    expect(deadline.bound).toBe(
      'the time limit of 1.3 s was reached; check fewer ranks, CTAs or rounds, or allow more time',
    );
  });

  it('is over by its timer, and no timer is left after it was disposed of', () => {
    const clock = new ManualClock();
    const one = new Deadline(2, undefined, clock);
    const other = new Deadline(2, undefined, clock);
    other.dispose();
    expect(clock.waiting).toBe(1);
    clock.moves(2000, true);
    clock.time = 0;
    expect([one.isOver, other.isOver]).toEqual([true, false]);
  });

  it('never ends without a limit', () => {
    const clock = new ManualClock();
    const deadline = new Deadline(Infinity, undefined, clock);
    clock.moves(1e12, true);
    expect([deadline.isOver, deadline.left, clock.waiting]).toEqual([false, undefined, 0]);
  });

  it('ends with its signal, and says so', () => {
    const stop = new AbortController();
    const deadline = new Deadline(Infinity, stop.signal, new ManualClock());
    stop.abort();
    expect([deadline.isOver, deadline.bound]).toEqual([true, 'the check was stopped']);
  });
});

describe('the first part of a check', () => {
  const wrong: Finding = {
    kind: 'race',
    severity: 'error',
    message: 'two stores are not ordered',
    labels: [],
    missing: [],
    certainty: 'this schedule',
    schedule: { strategy: 'random', seed: 1 },
  };

  /** Lets the given time pass, and returns if the world was stopped and the part is over. */
  function after(milliseconds: number, findings: readonly Finding[]): readonly [boolean, boolean] {
    const clock = new ManualClock();
    const part = new FirstPart(new Deadline(100, undefined, clock), clock);
    let isStopped = false;
    const report: CheckReport = {
      verdict: findings.length === 0 ? 'clean' : 'race',
      findings,
      seen: findings.map(() => 1),
      spread: [],
      accesses: 1,
      approximations: [],
      scope: emptyScope,
      proves: { kind: 'all schedules', count: 1 },
    };
    part.opened({ abort: () => void (isStopped = true), report: () => report });
    clock.moves(milliseconds, true);
    return [isStopped, part.isOver];
  }

  it('ends after half of the time if it has shown an error', () => {
    expect(after(49_999, [wrong])).toEqual([false, false]);
    expect(after(50_000, [wrong])).toEqual([true, true]);
  });

  it('goes on to the end of the time without one', () => {
    expect(after(99_999, [])).toEqual([false, false]);
    expect(after(100_000, [])).toEqual([true, true]);
  });
});
