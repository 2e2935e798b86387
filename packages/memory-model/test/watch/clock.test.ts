import { describe, expect, test } from 'vitest';

import { agentOf, Clock, threadOf } from '../../src/index.ts';

/** Thread `thread` of agent `agent`. */
const who = (agent: number, thread: number): number => agent * 1024 + thread;

describe('a clock', () => {
  test('names threads by agent and thread number', () => {
    expect([agentOf(who(5, 7)), threadOf(who(5, 7))]).toEqual([5, 7]);
    expect([agentOf(who(2 ** 22 - 1, 1023)), threadOf(who(2 ** 22 - 1, 1023))]).toEqual([2 ** 22 - 1, 1023]);
  });

  test("covers an agent's accesses up to a stamp, and no later ones", () => {
    const clock = new Clock(2);
    expect(clock.covers(who(1, 0), 0)).toBe(false);
    clock.raise(1, 4);
    expect([3, 4].map((stamp) => clock.covers(who(1, 9), stamp))).toEqual([true, false]);
    expect(clock.covers(who(0, 9), 0)).toBe(false);
    clock.raise(1, 2);
    expect(clock.covers(who(1, 9), 3)).toBe(true);
  });

  test('may cover more of one thread than of the rest of its agent', () => {
    const clock = new Clock(2);
    clock.raise(1, 2);
    clock.raisePart(who(1, 3), 5);
    expect([4, 5].map((stamp) => clock.covers(who(1, 3), stamp))).toEqual([true, false]);
    expect([1, 2].map((stamp) => clock.covers(who(1, 4), stamp))).toEqual([true, false]);
    clock.raisePart(who(1, 3), 4);
    expect(clock.covers(who(1, 3), 4)).toBe(true);
    clock.raisePart(who(1, 5), 2);
    expect(clock.parts.size).toBe(1);
  });

  test('covers single stamps', () => {
    const clock = new Clock(2);
    clock.raise(1, 2);
    clock.raiseOne(1, 1);
    expect(clock.ones.size).toBe(0);
    clock.raiseOne(1, 7);
    expect([6, 7, 8].map((stamp) => clock.covers(who(1, 0), stamp))).toEqual([false, true, false]);
    expect(clock.covers(who(0, 0), 7)).toBe(false);
  });

  test('covers after a join everything that both clocks covered', () => {
    const one = new Clock(2);
    one.raise(0, 3);
    one.raisePart(who(1, 1), 6);
    const other = new Clock(2);
    other.raise(0, 2);
    other.raise(1, 4);
    other.raisePart(who(0, 2), 9);
    other.raisePart(who(1, 1), 5);
    other.raiseOne(1, 20);
    one.join(other);
    expect([2, 3].map((stamp) => one.covers(who(0, 0), stamp))).toEqual([true, false]);
    expect([8, 9].map((stamp) => one.covers(who(0, 2), stamp))).toEqual([true, false]);
    expect([3, 4].map((stamp) => one.covers(who(1, 0), stamp))).toEqual([true, false]);
    expect([5, 6].map((stamp) => one.covers(who(1, 1), stamp))).toEqual([true, false]);
    expect([19, 20, 21].map((stamp) => one.covers(who(1, 0), stamp))).toEqual([false, true, false]);
    one.join(one);
    expect(one.covers(who(0, 2), 8)).toBe(true);
  });

  test('drops parts and single stamps that its agents already cover', () => {
    const clock = new Clock(2);
    clock.raisePart(who(1, 1), 5);
    clock.raisePart(who(1, 2), 8);
    clock.raiseOne(1, 5);
    clock.raiseOne(1, 6);
    clock.raise(1, 6);
    clock.prune();
    expect([...clock.parts.entries().keys()]).toEqual([who(1, 2)]);
    expect(clock.ones.size).toBe(1);
    expect(clock.covers(who(1, 0), 6)).toBe(true);
  });

  test('grows to a fixed length, whichever clocks are joined', () => {
    const clocks = Array.from({ length: 50 }, (_, agent) => {
      const clock = new Clock(0);
      clock.raise(agent, 1);
      return clock;
    });
    for (let round = 0; round < 3; round++) for (const one of clocks) for (const other of clocks) one.join(other);
    const lengths = new Set(clocks.map(({ whole }) => whole.length));
    expect(lengths).toEqual(new Set([64]));
    const [first, second] = clocks;
    if (first === undefined || second === undefined) throw new Error('no clocks');
    const { whole } = first;
    for (let round = 0; round < 10; round++) {
      first.join(second);
      second.join(first);
    }
    expect(first.whole).toBe(whole);
  });

  test('stays unchanged if its clone changes', () => {
    const clock = new Clock(2);
    clock.raise(1, 2);
    clock.raisePart(who(1, 1), 5);
    clock.raiseOne(1, 9);
    clock.shared = true;
    const copy = clock.clone();
    expect(copy.shared).toBe(false);
    copy.raise(1, 4);
    copy.raisePart(who(1, 1), 7);
    copy.raiseOne(1, 11);
    expect(clock.covers(who(1, 0), 3)).toBe(false);
    expect(clock.covers(who(1, 1), 6)).toBe(false);
    expect(clock.covers(who(1, 0), 11)).toBe(false);
    expect([copy.covers(who(1, 1), 4), copy.covers(who(1, 0), 9)]).toEqual([true, true]);
  });
});
