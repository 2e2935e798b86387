import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { pctScheduler } from '../../src/schedule/pct-scheduler.ts';
import { randomScheduler } from '../../src/schedule/random-scheduler.ts';
import { Xoshiro128 } from '../../src/schedule/xoshiro128.ts';
import { barrier, StubWorld, windowArg, windowValue, type StubKernel } from './stub.ts';

describe('residency', () => {
  it('starts CTAs of a large grid as others end, in the order of the grid', async () => {
    const stub = new StubWorld({ ranks: 2, residentCtas: 132 });
    const streams = await stub.streams();
    const now = [0, 0];
    const most = [0, 0];
    const started: number[] = [];
    const kernel: StubKernel = {
      name: 'large',
      *body({ cta }) {
        if (cta.rank === 0) started.push(cta.blockIdx.x);
        now[cta.rank] = (now[cta.rank] ?? 0) + 1;
        most[cta.rank] = Math.max(most[cta.rank] ?? 0, now[cta.rank] ?? 0);
        yield 'yield';
        yield 'yield';
        now[cta.rank] = (now[cta.rank] ?? 0) - 1;
      },
    };
    for (const stream of streams) await stub.launch(kernel, stream, { grid: 300 });
    for (const stream of streams) await stub.world.synchronize(stream);
    expect(most).toEqual([132, 132]);
    expect(started.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, i) => i));
    expect(started.slice(0, 132).every((index) => index < 132)).toBe(true);
  });

  it('counts all launches of a rank together', async () => {
    const stub = new StubWorld({ ranks: 1, residentCtas: 4 });
    let now = 0;
    let most = 0;
    const kernel: StubKernel = {
      name: 'counts',
      *body() {
        most = Math.max(most, ++now);
        yield 'yield';
        now--;
      },
    };
    const streams = [await stub.world.createStream(0), await stub.world.createStream(0)];
    for (const stream of streams) await stub.launch(kernel, stream, { grid: 7 });
    for (const stream of streams) await stub.world.synchronize(stream);
    expect(most).toBe(4);
  });
});

describe('rounds', () => {
  it('give every runnable CTA one slice each', async () => {
    const stub = new StubWorld({ ranks: 1 });
    const stream = await stub.world.createStream(0);
    const turns: number[] = Array.from({ length: 16 }, () => 0);
    let widest = 0;
    const kernel: StubKernel = {
      name: 'fair',
      *body({ cta }) {
        for (let i = 0; i < 50; i++) {
          turns[cta.blockIdx.x] = i + 1;
          widest = Math.max(widest, Math.max(...turns) - Math.min(...turns));
          yield 'yield';
        }
      },
    };
    await stub.launch(kernel, stream, { grid: 16 });
    await stub.world.synchronize(stream);
    expect(widest).toBe(1);
  });

  it('have an order that only the seed determines', async () => {
    const hashes = new Map<number, number>();
    for (const seed of [1, 2, 3, 1, 2, 3]) {
      const stub = new StubWorld({ ranks: 4, seed });
      const streams = await stub.streams();
      const { window } = await stub.window(4096);
      const kernel: StubKernel = {
        name: 'meets',
        *body(thread) {
          for (let i = 0; i < 4; i++) yield* barrier(thread, windowValue(thread.args));
        },
      };
      for (const stream of streams) await stub.launch(kernel, stream, { args: [windowArg(window)] });
      for (const stream of streams) await stub.world.synchronize(stream);
      const hash = stub.world.eventHash;
      expect(hashes.get(seed) ?? hash).toBe(hash);
      hashes.set(seed, hash);
    }
    expect(new Set(hashes.values()).size).toBe(3);
  });
});

describe('64 ranks of 8 CTAs', () => {
  it('synchronize many times', async () => {
    const ranks = 64;
    const stub = new StubWorld({ ranks });
    const streams = await stub.streams();
    const ctas = 8;
    const { window } = await stub.window(ranks * ctas * 4);
    const kernel: StubKernel = {
      name: 'meets',
      *body(thread) {
        const value = windowValue(thread.args);
        const offset = thread.cta.blockIdx.x * ranks * 4;
        const own = { ...value, bases: value.bases.map((base) => base + offset) };
        for (let i = 0; i < 10; i++) yield* barrier(thread, own);
      },
    };
    for (const stream of streams) await stub.launch(kernel, stream, { grid: ctas, args: [windowArg(window)] });
    const reports = await Promise.all(streams.map((stream) => stub.world.synchronize(stream)));
    expect(reports.every((report) => report.launches === 1)).toBe(true);
    // Each CTA has one turn to arrive and few to see the others, because a further check costs no
    // turn.
    expect(stub.world.turns).toBeLessThan(ranks * ctas * 10 * 3);
  });
});

describe('random numbers', () => {
  it('are those of xoshiro128**', () => {
    const random = new Xoshiro128(1, 2, 3, 4);
    expect(Array.from({ length: 10 }, () => random.nextU32())).toEqual([
      11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804,
    ]);
  });

  it('differ from seed to seed, beyond 32 bits too', () => {
    const firsts = [0, 1, 2, 2 ** 32, 2 ** 32 + 1, 2 ** 52].map((seed) => Xoshiro128.seeded(seed).nextU64());
    expect(new Set(firsts).size).toBe(6);
    expect(Xoshiro128.seeded(2 ** 52).nextU64()).toBe(firsts[5]);
  });

  it('stay in range', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 5000 }), (seed, length) => {
        const scheduler = randomScheduler(seed);
        const round = Array.from({ length }, (_, cta) => ({ launch: 0, rank: 0, cta, yields: 0 }));
        const first = Math.floor(length / 2);
        const choice = scheduler.nextTask(round, first);
        return choice >= first && choice < length;
      }),
      { seed: 7 },
    );
  });
});

describe('pct', () => {
  it('runs a CTA that has yielded once, while two others only yield', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const scheduler = pctScheduler(seed, 3);
      const yields = [1, 0, 0];
      let left = 0;
      for (; left < 256 && yields[0] === 1; left++) {
        // The CTA in question is last, so it had the lowest priority in each turn.
        const round = [1, 2, 0].map((cta) => ({ launch: 0, rank: 0, cta, yields: yields[cta] ?? 0 }));
        const chosen = round[scheduler.nextTask(round, 0)]?.cta ?? 0;
        yields[chosen] = (yields[chosen] ?? 0) + 1;
      }
      expect(left).toBeLessThan(256);
    }
  });
});
