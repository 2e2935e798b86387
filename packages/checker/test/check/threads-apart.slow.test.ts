import { check, type CheckOptions } from '@nccl-ts/checker';
import { World } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';

const params = { comm: devComm, win: window, out: window };
const use = { lsa };
const THREADS = 4;

/**
 * Rank 0 sends to all others. There, one thread waits for the message, and without a barrier all
 * threads record the value that they see.
 */
const ahead = kernel({ name: 'ahead', use, params }, ({ lsa, coopCta, threadIdx, u32 }, { comm, win, out }) => {
  if (comm.rank === 0) {
    for (let peer = 1; peer < comm.lsaSize; peer++) {
      if (threadIdx.x === 0) lsa.pointer(win, u32, 0, peer).store(0, 1, 'release', 'system');
    }
  } else {
    const flag = lsa.localPointer(win, u32, 0);
    coopCta().waitAll(1, (_i) => flag.load(0, 'acquire', 'system') === 1);
    lsa.localPointer(out, u32, 0).store(threadIdx.x, flag.load(0, 'relaxed', 'system'));
  }
});

/**
 * All threads read. Without a barrier, the first asks rank 0 for an answer, which goes to the
 * location that they have read.
 */
const behind = kernel({ name: 'behind', use, params }, ({ lsa, threadIdx, u32, waitUntil }, { comm, win, out }) => {
  const own = lsa.localPointer(win, u32, 0);
  const peer = lsa.pointer(win, u32, 0, 1 - comm.rank);
  if (comm.rank === 0) {
    if (threadIdx.x === 0) {
      waitUntil(() => own.load(1, 'acquire', 'system') === 1);
      peer.store(0, 1, 'release', 'system');
    }
  } else {
    lsa.localPointer(out, u32, 0).store(threadIdx.x, own.load(0, 'relaxed', 'system'));
    if (threadIdx.x === 0) peer.store(1, 1, 'release', 'system');
  }
});

/** Each thread sends several messages in sequence. Its twin on rank 1 waits only for the first. */
const messages = kernel({ name: 'messages', use, params }, ({ lsa, threadIdx, u32, waitUntil }, { comm, win, out }) => {
  if (comm.rank === 0) {
    const peer = lsa.pointer(win, u32, 0, 1).offset(2 * threadIdx.x);
    peer.store(0, 1, 'relaxed', 'system');
    peer.store(1, 1, 'relaxed', 'system');
  } else {
    const own = lsa.localPointer(win, u32, 0).offset(2 * threadIdx.x);
    waitUntil(() => own.load(0, 'relaxed', 'system') === 1);
    lsa.localPointer(out, u32, 0).store(threadIdx.x, own.load(1, 'relaxed', 'system'));
  }
});

/**
 * Returns the values that the threads of rank 1 have seen, run by run. The findings must have that
 * verdict.
 */
async function seen(
  of: typeof ahead,
  options: Omit<CheckOptions, 'ranks'>,
  verdict = 'clean',
): Promise<readonly string[]> {
  const all: string[] = [];
  const report = await check({ ranks: 2, ...options }, async (backend) => {
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      const win = await comm.allocWindow(u32, 2 * THREADS);
      const out = await comm.allocWindow(u32, THREADS);
      await win.write(new Uint32Array(2 * THREADS));
      const dev = await comm.createDevComm({});
      await comm.launch(of, { grid: 1, block: THREADS }, { comm: dev, win, out });
      await comm.synchronize();
      if (comm.rank === 1) all.push([...(await out.read())].join(' '));
    });
  });
  expect(report.verdict).toBe(verdict);
  return all;
}

const schedules = 24;

describe('threads of a CTA without synchronization', () => {
  it('under late, continue while one of them waits', async () => {
    const late = await seen(ahead, { strategy: 'late', schedules });
    expect(late.every((words) => words.startsWith('1'))).toBe(true);
    expect(late.some((words) => words.includes('0'))).toBe(true);
    const others = await seen(ahead, { strategy: 'random', schedules });
    expect(new Set(others)).toEqual(new Set(['1 1 1 1']));
  });

  it('interleave if one run does not represent all, and the program sees the effects', async () => {
    const runs = await seen(ahead, { strategy: 'exhaustive', bound: 0 }, 'incomplete');
    expect(runs.some((words) => words.includes('0'))).toBe(true);
  });

  it('under late, lag behind: one of them reaches statements that the others passed long before', async () => {
    const late = await seen(behind, { strategy: 'late', schedules });
    expect(late.every((words) => words.startsWith('0'))).toBe(true);
    expect(late.some((words) => words.includes('1'))).toBe(true);
    // With the same seed, the same thread lags behind.
    expect(await seen(behind, { strategy: 'late', schedules })).toEqual(late);
  });

  it('under late, are interrupted between two stores that other threads read', async () => {
    const late = await seen(messages, { strategy: 'late', schedules });
    expect(late.some((words) => words.includes('0'))).toBe(true);
    expect(late.some((words) => words === '1 1 1 1')).toBe(true);
    const others = await seen(messages, { strategy: 'random', schedules });
    expect(new Set(others)).toEqual(new Set(['1 1 1 1']));
  });
});
