import { sim, type SimOptions } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, inject, it } from 'vitest';

import { simWith } from '../../src/world/sim-backend.ts';
import { resolveSimOptions } from '../../src/world/sim-options.ts';

/** The quick tests have one of 12. */
const isNow = (_: unknown, i: number): boolean => (i % 12 === 0) !== inject('slow');

const params = { win: window, n: u32 };

/** These loops end for no value of `x`. */
const endlessForAll = kernel({ name: 'endlessForAll', use: { lsa }, params }, ({ lsa, u32 }, { win, n }) => {
  let x = u32(1);
  while (true) {
    x = x * 1664525 + 1013904223;
    if (x === n && x === n + 1) break;
  }
  lsa.localPointer(win, u32, 0).store(0, x);
});

const endlessForEach = kernel(
  { name: 'endlessForEach', use: { lsa }, params },
  ({ lsa, u32, threadIdx }, { win, n }) => {
    let x = u32(threadIdx.x);
    if (threadIdx.x > 1) {
      while (true) {
        x = x * 1664525 + 1013904223;
        if (x === n && x === n + 1) break;
      }
    }
    lsa.localPointer(win, u32, 0).store(threadIdx.x, x);
  },
);

/** Each loop ends, but all of them together take too long to wait for. */
const nested = kernel({ name: 'nested', use: { lsa }, params }, ({ lsa, u32, threadIdx }, { win, n }) => {
  let x = u32(threadIdx.x);
  for (let i = u32(0); i < n * 100_000; i++) for (let k = u32(0); k < n * 20_000; k++) x = (x ^ k) * 3;
  lsa.localPointer(win, u32, 0).store(threadIdx.x, x);
});

/** The endless loop of each thread is inside loops and branches that all threads share. */
const inShared = kernel({ name: 'inShared', use: { lsa }, params }, ({ lsa, u32, threadIdx, coopCta }, { win, n }) => {
  const p = lsa.localPointer(win, u32, 0);
  let x = u32(threadIdx.x);
  for (let i = u32(0); i < n; i++) {
    for (let o = threadIdx.x; o < 64; o += 64) p.store(o, x + i);
    if (i > 1) {
      coopCta().sync();
      let k = x;
      while (k !== n || k !== n + 1) k = k * 1664525 + 1013904223;
      x += k;
    }
    coopCta().sync();
  }
  p.store(threadIdx.x, x);
});

/** Like `inShared`, for a loop that all threads share. */
const sharedInShared = kernel(
  { name: 'sharedInShared', use: { lsa }, params },
  ({ lsa, u32, threadIdx, coopCta }, { win, n }) => {
    const p = lsa.localPointer(win, u32, 0);
    let x = u32(1);
    for (let i = u32(0); i < n; i++) {
      p.store(threadIdx.x, x);
      coopCta().sync();
      while (x !== n || x !== n + 1) x = x * 1664525 + 1013904223;
    }
  },
);

/** The loop occurs four times, because the surrounding loop is unrolled. */
const inFourPlaces = kernel({ name: 'inFourPlaces', use: { lsa }, params }, ({ lsa, u32, threadIdx }, { win, n }) => {
  let x = u32(threadIdx.x);
  for (let i = u32(0); i < 4; i++) while (x !== n || x !== n + 1) x = x * 1664525 + 1013904223;
  lsa.localPointer(win, u32, 0).store(threadIdx.x, x);
});

/** Never used up: on a busy machine a worker may get far before the thread with the signal runs. */
const fuel = 2 ** 45;

const ways: readonly SimOptions[] = [
  { ranks: 1, fuel },
  { ranks: 1, engine: 'wasm', fuel },
  { ranks: 1, mode: 'check', fuel },
  { ranks: 1, engine: 'wasm', workers: 2, fuel },
];

describe('a turn that does not end', () => {
  describe.each(ways)('of %o', (options) => {
    it.each(
      ([endlessForAll, endlessForEach, nested, inShared, sharedInShared, inFourPlaces] as const).filter(
        (_, i) => (i % 3 === 0) !== inject('slow'),
      ),
    )('is ended by a signal: $name', async (long) => {
      await using world = await World.open({ backend: sim(options) });
      const abort = new AbortController();
      const running = world.run(async (comm) => {
        const win = await comm.allocWindow(u32, 64);
        await comm.launch(long, { grid: 1, block: 64, signal: abort.signal }, { win, n: 5 });
        setTimeout(() => abort.abort(), 1);
        await comm.synchronize();
      });
      await expect(running).rejects.toMatchObject({ code: 'NCCLTS_ABORTED' });
    });

    it('is ended by close', async () => {
      const world = await World.open({ backend: sim(options) });
      const running = world.run(async (comm) => {
        const win = await comm.allocWindow(u32, 64);
        await comm.launch(endlessForEach, { grid: 1, block: 64 }, { win, n: 5 });
        setTimeout(() => void world.close(), 1);
        await comm.synchronize();
      });
      await expect(running).rejects.toMatchObject({ code: 'NCCLTS_CLOSED' });
      await world.close();
    });
  });
});

/** Loops in loops, branches and blocks, with values of all kinds around them. */
const mixes = kernel(
  { name: 'mixes', use: { lsa }, params },
  ({ lsa, u32, i32, i64, f32, lane, vec, threadIdx }, { win, n }) => {
    const p = lsa.localPointer(win, u32, 0);
    const t = threadIdx.x;
    let sum = u32(0);
    let wide = i64(t);
    let real = f32(0.5);
    let odd = t > 100;
    let four = vec(u32, 4)(t, u32(1), u32(2), u32(3));
    let shared = u32(7);
    for (let k = u32(0); k < 3; k++) shared = shared * 5 + n;
    let i = u32(0);
    while (i < n + t) {
      const before = sum;
      if ((i & 3) === (t & 3)) {
        let j = u32(0);
        while (j * j < (i & 1023)) {
          if (j === 29) break;
          j++;
          wide = wide + i64(j);
          real = real * 0.75 + f32(j & 7);
        }
        sum += j;
      } else if ((i & 3) === 1) {
        for (let k = u32(0); k < (i & 15); k++) {
          if (k === 9) continue;
          let m = u32(0);
          while (m < (k & 3)) m++;
          four = vec(u32, 4)(lane(four, 1), lane(four, 2), lane(four, 3), lane(four, 0) + m);
        }
      } else {
        odd = !odd;
      }
      i++;
      if (sum < before || i > 1_000_000) return;
      p.store(64 + t, i);
    }
    p.store(
      t,
      sum +
        u32(wide) +
        u32(real) +
        lane(four, 0) * 3 +
        lane(four, 1) * 5 +
        lane(four, 2) * 7 +
        lane(four, 3) +
        (odd ? 1 : 0) +
        shared,
    );
    let rounds = u32(t);
    for (let k = u32(t); k < n * 3 + t; k++) {
      if ((k & 255) === t) continue;
      if (k > 30_000 + t * 7) break;
      rounds = rounds * 3 + k;
    }
    for (let k = i32(0) - 9000; k < i32(n); k++) rounds = rounds * 5 + u32(k);
    for (let k = i64(0) - i64(9000); k < i64(n) - i64(t); k++) wide = wide * i64(3) + k;
    p.store(192 + t, rounds + u32(wide));
    let far = u32(t);
    for (let o = t; o < n * 10; o += 8) far = (far ^ o) * 3;
    p.store(200 + t, far);
    for (let o = t; o < 64; o += 8) p.store(128 + o, p.load(64 + (o & 7)));
  },
);

/** The same with a program counter for each thread. */
const apart = kernel({ name: 'apart', use: { lsa }, params }, ({ lsa, u32, i64, threadIdx }, { win, n }) => {
  const p = lsa.localPointer(win, u32, 0);
  const t = threadIdx.x;
  let sum = u32(t);
  let wide = i64(t);
  if (t < 4) while (p.load(64, 'acquire') !== 0);
  for (let k = u32(0); k < n + t; k++) sum = sum * 3 + k;
  let i = u32(0);
  while (i < n) {
    i++;
    if ((i & 1) === 0) continue;
    for (let k = u32(0); k < (i & 7); k++) {
      if (k > 4 + t) break;
      wide = wide * i64(3) + i64(k);
    }
    if ((i & 4095) === t) while (p.load(64, 'acquire') !== 0);
    if (i > 11_000 + t) break;
  }
  for (let k = i; k < n * 2; k++) {
    let j = u32(0);
    while (j * j < (k & 7)) j++;
    sum += j;
    if (t === 5 && k > 20_000) return;
  }
  p.store(t, sum + u32(wide));
});

/** A loop whose counters all threads share, after a loop in which each thread may pause. */
const begun = kernel({ name: 'begun', use: { lsa }, params }, ({ lsa, u32, threadIdx }, { win, n }) => {
  const t = threadIdx.x;
  let sum = u32(0);
  let k = u32(0);
  while (k < n * (t + 1) * 2) {
    sum = sum * 3 + k;
    k += 3;
  }
  for (let a = u32(0), b = u32(10); a < b; a++, b--) sum += b - a;
  lsa.localPointer(win, u32, 0).store(t, sum);
});

/**
 * Pause points of all kinds inside loops and branches that all threads share: loops of threads,
 * turned inside out or not, loops that all threads share, and one that occurs three times.
 */
const within = kernel({ name: 'within', use: { lsa }, params }, ({ lsa, u32, coopCta, threadIdx }, { win, n }) => {
  const p = lsa.localPointer(win, u32, 0);
  const t = threadIdx.x;
  let sum = u32(t);
  let all = u32(1);
  for (let i = u32(0); i < n / 500; i++) {
    all = all * 3 + i;
    for (let o = t; o < 64; o += 8) p.store(64 + o, sum + o);
    coopCta().sync();
    if ((i & 1) === 0) {
      for (let k = u32(0); k * k < all % 9000; k++) all = all * 5 + k;
      if (all % 7 === 3) continue;
      let k = u32(0);
      while (k < 3000 + t * 100) {
        if (k === 2999 + i) break;
        sum = sum * 3 + k;
        k++;
      }
    } else {
      for (let u = u32(0); u < 3; u++) {
        let k = sum & 1023;
        while (k < 1500) k++;
        sum += k;
      }
      coopCta().sync();
    }
    for (let o = t; o < n / 10; o += 8) {
      sum ^= p.load(64 + (o & 63)) * all;
      for (let k = u32(0); k < (sum & 15); k++) sum += k * t;
    }
    coopCta().sync();
    if (i === 21) break;
  }
  p.store(t, sum + all);
});

/**
 * Returns the words that `long` leaves, and the number of clock checks, one every `rounds` rounds.
 */
async function wordsOf(long: typeof mixes, options: SimOptions, rounds?: number): Promise<readonly unknown[]> {
  let count = 0;
  const looks = rounds === undefined ? {} : { looks: { rounds, isLate: () => (count++, true) } };
  await using world = await World.open({ backend: simWith(resolveSimOptions(options), undefined, looks) });
  const words = await world.run(async (comm) => {
    const win = await comm.allocWindow(u32, 208);
    await comm.launch(long, { grid: 1, block: 8 }, { win, n: 12_000 });
    return [...(await win.read())];
  });
  return [words.flat(), count];
}

describe('pauses of a turn', () => {
  const cases = [mixes, apart, begun, within].flatMap((long) => ways.slice(0, 3).map((options) => ({ long, options })));
  it.each(cases.filter(isNow))('do not change what $long.name does: $options', async ({ long, options }) => {
    const [without] = await wordsOf(long, { ranks: 1 });
    const [paused, looks] = await wordsOf(long, options, 4096);
    expect(looks).toBeGreaterThan(20);
    expect(paused).toEqual(without);
  });
});
