import type { SimTraceOptions } from '@nccl-ts/cost-model';
import { devComm, window, type DevCommArg, type WindowArg } from '@nccl-ts/devcomm';
import { kernel, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { tracksOf } from '@nccl-ts/timeline';
import { describe, expect, it } from 'vitest';
import { tracedRun } from './support/traced-run.ts';

/*
 * The simulator runs the lanes of a warp one after the other, and a lane may pass a wait before the
 * others come to it. Times must not depend on that.
 */

const THREADS = 64;
/** Bytes of a word of 16 bytes of each thread. */
const BYTES = 16 * THREADS;

const instant: SimTraceOptions = {
  launchLatency: 0,
  stepTime: 0,
  syncTime: 0,
  fenceTime: 0,
  ctaBandwidth: 1e9,
  memory: { latency: 1, cachedLatency: 1, bandwidth: 1e9, ctaBandwidth: 1e9 },
  nvlink: { latency: 0, loadLatency: 0, bandwidth: 1e9, storeBandwidth: 1e9 },
};

const slowLink: SimTraceOptions = { ...instant, nvlink: { latency: 0, loadLatency: 0, storeBandwidth: 1 } };

type Exchange = Kernel<{ readonly comm: DevCommArg; readonly win: WindowArg }>;

/** Nanoseconds until the launch of both ranks is over, or that of one. */
async function timeOf(exchange: Exchange, trace: SimTraceOptions, rank?: number): Promise<number> {
  const { timeline } = await tracedRun({ ranks: 2, trace }, async (comm) => {
    const win = await comm.allocWindow('u32', 4096);
    const args = { comm: await comm.createDevComm({}), win };
    await comm.launch(exchange, { grid: 1, block: THREADS }, args);
    await comm.synchronize();
  });
  const ends = tracksOf(timeline)
    .filter((track) => rank === undefined || track.rank === rank)
    .flatMap(({ slices }) => slices.map(({ end }) => end));
  return Math.max(...ends);
}

/** Every thread sends a word to the other rank in each turn, and waits for the one from there. */
const turns = (number: number) =>
  kernel(
    { name: `turns${number}`, use: { lsa, TURNS: number, THREADS }, params: { comm: devComm, win: window } },
    ({ lsa, TURNS, THREADS, lane, threadIdx, u32, unroll, vec, waitUntil }, { comm, win }) => {
      const V = vec(u32, 4);
      const mine = lsa.pointer(win, V, 0, comm.lsaRank);
      const theirs = lsa.pointer(win, V, 0, 1 - comm.lsaRank);
      for (const turn of unroll(TURNS)) {
        const place = turn * THREADS + threadIdx.x;
        theirs.store(place, V(1, 1, 1, 1), 'relaxed', 'system');
        waitUntil(() => lane(mine.load(place, 'relaxed', 'system'), 3) === 1);
      }
    },
  );

it('each turn of an exchange takes the time of its own bytes, on either rank', async () => {
  for (const number of [1, 2, 4]) {
    const time = await timeOf(turns(number), slowLink);
    expect(time).toBeGreaterThan((number - 0.1) * BYTES);
    expect(time).toBeLessThan((number + 0.1) * BYTES);
  }
});

describe('the lanes of a warp that meet', () => {
  it('do not wait for what they have stored, so memory and a link are busy at once', async () => {
    const meeting = kernel(
      { name: 'meeting', use: { lsa }, params: { comm: devComm, win: window } },
      ({ lsa, coopWarp, lane, threadIdx, u32, vec, waitUntil }, { comm, win }) => {
        const V = vec(u32, 4);
        const word = V(1, 1, 1, 1);
        const mine = lsa.pointer(win, V, 0, comm.lsaRank);
        mine.store(512 + threadIdx.x, word);
        coopWarp().sync();
        lsa.pointer(win, V, 0, 1 - comm.lsaRank).store(threadIdx.x, word, 'relaxed', 'system');
        waitUntil(() => lane(mine.load(threadIdx.x, 'relaxed', 'system'), 3) === 1);
      },
    );
    const both = { ...slowLink, memory: { ...instant.memory, bandwidth: 1 } };
    expect(await timeOf(meeting, both)).toBeLessThan(1.1 * BYTES);
  });

  /**
   * Every lane sends two words to rank 1, which waits for the second one. Before that, lanes from
   * `first` on load one word more than the others.
   */
  const sending = (first: number) =>
    kernel(
      { name: `sending${first}`, use: { lsa, FIRST: first, THREADS }, params: { comm: devComm, win: window } },
      ({ lsa, FIRST, THREADS, coopWarp, lane, threadIdx, u32, vec, waitUntil }, { comm, win }) => {
        const V = vec(u32, 4);
        const inbox = lsa.pointer(win, V, 8192, 1);
        if (comm.lsaRank === 0) {
          const mine = lsa.pointer(win, u32, 0, 0);
          let value = mine.load(threadIdx.x);
          if (threadIdx.x % 32 >= FIRST) value += mine.load(64 + threadIdx.x);
          coopWarp().sync();
          inbox.store(threadIdx.x, V(value, 1, 1, 1), 'relaxed', 'system');
          inbox.store(THREADS + threadIdx.x, V(value, 1, 1, 1), 'relaxed', 'system');
        } else {
          waitUntil(() => lane(inbox.load(THREADS + threadIdx.x, 'relaxed', 'system'), 3) === 1);
        }
      },
    );

  it.each([0, 4, 28, 31])('send their words together if lanes from %i on have loaded more', async (first) => {
    // If each lane had its own time, its instructions would come behind those of the lane before.
    const time = await timeOf(sending(first), { ...slowLink, issueTime: 2 }, 1);
    expect(time).toBeGreaterThan(1.8 * BYTES);
    expect(time).toBeLessThan(2.2 * BYTES);
  });
});

describe('lanes that part', () => {
  /** Lanes from `first` on copy their words to the peer one by one, and the others together. */
  const copies = (first: number) =>
    kernel(
      { name: `copies${first}`, use: { lsa, FIRST: first }, params: { comm: devComm, win: window } },
      ({ lsa, FIRST, coopCta, threadIdx, u32, unroll, waitUntil }, { comm, win }) => {
        const mine = lsa.pointer(win, u32, 0, comm.lsaRank);
        const theirs = lsa.pointer(win, u32, 8192, 1 - comm.lsaRank);
        const t = threadIdx.x;
        if (t % 32 < FIRST) {
          const a = mine.load(t);
          const b = mine.load(64 + t);
          theirs.store(t, a);
          theirs.store(64 + t, b);
        } else {
          for (const i of unroll(2)) theirs.store(64 * i + t, mine.load(64 * i + t));
        }
        coopCta().sync();
        if (t === 0) {
          theirs.store(1024, 1, 'relaxed', 'system');
          const inbox = lsa.pointer(win, u32, 8192, comm.lsaRank);
          waitUntil(() => inbox.load(1024, 'relaxed', 'system') === 1);
        }
      },
    );

  it('make their accesses together with those that part alike', async () => {
    const far = { ...instant, memory: { ...instant.memory, latency: 100, cachedLatency: 100 } };
    const [alike, parted] = [await timeOf(copies(0), far), await timeOf(copies(1), far)];
    // One lane for itself, and then the others.
    expect(parted).toBeGreaterThan(alike);
    expect(parted).toBeLessThan(alike + 110);
  });
});
