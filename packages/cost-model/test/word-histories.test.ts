import { at } from '@nccl-ts/core';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { viewsOf } from '@nccl-ts/codegen';
import type { TracedMemory } from '../src/index.ts';
import { WordHistories } from '../src/trace/word-histories.ts';

interface Change {
  readonly kind: 'set' | 'add';
  readonly value: bigint;
  readonly time: number;
  readonly rank: number;
  readonly track: number;
}

/** A word as a list of all its changes, which is replayed for each question. */
class SlowWord {
  first = 0n;
  current = 0n;
  changes: readonly Change[] = [];
  readonly bytes: number;

  constructor(bytes: number) {
    this.bytes = bytes;
  }

  get #sorted(): readonly Change[] {
    return this.changes.toSorted((a, b) => a.time - b.time || a.rank - b.rank);
  }

  at(time: number): bigint {
    const led = this.#sorted.filter((change) => change.time <= time);
    return led.reduce((value, change) => this.after(value, change), this.first);
  }

  after(value: bigint, change: Change): bigint {
    return BigInt.asUintN(8 * this.bytes, change.kind === 'set' ? change.value : value + change.value);
  }
}

/** The words: 1, 2, 4, 8 and 16 bytes, one of them at an odd address. */
const places = [
  { offset: 3, bytes: 1 },
  { offset: 8, bytes: 2 },
  { offset: 12, bytes: 4 },
  { offset: 16, bytes: 8 },
  { offset: 32, bytes: 16 },
  { offset: 48, bytes: 8 },
] as const;

const word = fc.nat({ max: places.length - 1 });
const steps = fc.array(
  fc.oneof(
    fc.record({
      what: fc.constant('change' as const),
      word,
      kind: fc.constantFrom('set' as const, 'add' as const),
      value: fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
      time: fc.nat({ max: 40 }),
      rank: fc.nat({ max: 3 }),
    }),
    fc.record({ what: fc.constant('untraced' as const), word, value: fc.bigInt({ min: 0n, max: 255n }) }),
    fc.record({
      what: fc.constant('wait' as const),
      words: fc.array(word, { minLength: 1, maxLength: 3 }),
      clock: fc.nat({ max: 40 }),
    }),
  ),
  { maxLength: 60 },
);

function read(heap: TracedMemory['heap'], address: number, bytes: number): bigint {
  let value = 0n;
  for (let i = bytes - 1; i >= 0; i--) value = (value << 8n) | BigInt(heap.views.u8[address + i] ?? 0);
  return value;
}

function write(heap: TracedMemory['heap'], address: number, bytes: number, value: bigint): void {
  for (let i = 0; i < bytes; i++) heap.views.u8[address + i] = Number((value >> BigInt(8 * i)) & 0xffn);
}

test('the time at which a condition began to hold is the one that a replay of all changes gives', () => {
  fc.assert(
    fc.property(steps, (list) => {
      const heap = { views: viewsOf(new ArrayBuffer(1 << 16)) };
      const base = 1024;
      const words = new WordHistories(heap);
      const slow = places.map(({ bytes }) => new SlowWord(bytes));
      let track = 0;
      for (const step of list) {
        if (step.what === 'wait') {
          const asked = [...new Set(step.words)].map((i) => ({ ...at(places, i), slow: at(slow, i) }));
          // The current values, which are reached at some time.
          const now = asked.map(({ offset, bytes }) => read(heap, base + offset, bytes));
          const holds = (): boolean =>
            asked.every(({ offset, bytes }, i) => read(heap, base + offset, bytes) === now[i]);
          const { time, change } = words.earliest(
            asked.map(({ offset }) => base + offset),
            step.clock,
            holds,
          );
          // A word that was changed without a trace has no history.
          const told = asked.filter((one, i) => one.slow.current === now[i]);
          const times = told.flatMap((one) => one.slow.changes.map((each) => each.time));
          const later = [step.clock, ...times.filter((each) => each > step.clock).toSorted((a, b) => a - b)];
          const since = later.find((each) => told.every((one) => one.slow.at(each) === one.slow.current));
          expect(time).toBe(since ?? later.at(-1));
          expect(change?.time).toBe(time === step.clock ? undefined : time);
          const votes = asked.map(() => true);
          const looks = asked.map(({ offset, bytes }, i) => ({
            addresses: [base + offset],
            again: () => {
              votes[i] = read(heap, base + offset, bytes) === now[i];
            },
          }));
          expect(words.earliestOf(looks, step.clock, () => votes.every(Boolean))).toEqual({ time, change });
          expect(asked.map(({ offset, bytes }) => read(heap, base + offset, bytes))).toEqual(now);
          continue;
        }
        const { offset, bytes } = at(places, step.word);
        const address = base + offset;
        const known = at(slow, step.word);
        if (step.what === 'untraced') {
          write(heap, address, bytes, step.value);
          continue;
        }
        const before = read(heap, address, bytes);
        if (before !== known.current) {
          known.first = before;
          known.changes = [];
        }
        const { time, rank } = step;
        // Only words of up to 8 bytes are added to.
        const change = { kind: bytes > 8 ? 'set' : step.kind, value: step.value, time, rank, track: ++track } as const;
        const opened = words.open(address, bytes);
        known.current = known.after(before, change);
        known.changes = [...known.changes, change];
        write(heap, address, bytes, known.current);
        words.close(opened, change.kind === 'add' ? 'add' : 'store', {
          rank,
          track,
          made: time,
          seen: time,
          name: 'store',
        });
        expect(words.latestAfter(address, -1, -1)?.time).toBe(Math.max(...known.changes.map((each) => each.time)));
      }
    }),
    { seed: 38, numRuns: 300 },
  );
});

test('a word with very many changes keeps its value, and the latest of them', () => {
  const heap = { views: viewsOf(new ArrayBuffer(1 << 16)) };
  const address = 1024;
  const words = new WordHistories(heap);
  // It counts across the 32nd bit.
  const begin = 2n ** 32n - 4980n;
  write(heap, address, 8, begin);
  for (let time = 1; time <= 5000; time++) {
    words.added(address, begin + BigInt(time - 1), 1n, { rank: 0, track: 0, made: time, seen: time, name: 'signal' });
    write(heap, address, 8, begin + BigInt(time));
  }
  for (const [clock, want] of [
    [0, 4900n],
    [4950, 4990n],
    [4999, 5000n],
  ] as const) {
    const { time } = words.earliest([address], clock, () => read(heap, address, 8) >= begin + want);
    expect(time).toBe(Number(want));
  }
  words.forget(address, address + 8);
  expect(words.latestAfter(address, 0, 1)).toBeUndefined();
});
