import type { SimTraceOptions } from '@nccl-ts/cost-model';
import { devComm, resourceLocalPointer, window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { tracksOf } from '@nccl-ts/timeline';
import { expect, it } from 'vitest';
import { tracedRun } from './support/traced-run.ts';

const FAST = 1e9;
const THREADS = 64;
/** Bytes that the first kernel loads: a word of 16 bytes for each thread. */
const BYTES = 16 * THREADS;
const [CACHED, COLD] = [100, 300];

const machine = (cacheBytes: number): SimTraceOptions => ({
  launchLatency: 0,
  stepTime: 0,
  syncTime: 0,
  ctaBandwidth: FAST,
  memory: { latency: COLD, cachedLatency: CACHED, bandwidth: FAST, ctaBandwidth: FAST, cacheBytes },
});

const loadsWindow = kernel(
  { name: 'loadsWindow', use: { lsa }, params: { comm: devComm, win: window } },
  ({ lsa, lane, threadIdx, u32, vec, assert }, { win }) => {
    assert(lane(lsa.localPointer(win, vec(u32, 4), 0).load(threadIdx.x), 0) === 0, 'the window holds 0');
  },
);

const loadsResources = kernel(
  { name: 'loadsResources', use: { resourceLocalPointer }, params: { comm: devComm, win: window } },
  ({ resourceLocalPointer, lane, threadIdx, u32, vec, assert }, { comm }) => {
    assert(lane(resourceLocalPointer(comm, vec(u32, 4), 0).load(threadIdx.x), 0) === 0, 'the memory holds 0');
  },
);

it.each([
  ['half of the cache comes from there', loadsWindow, 2 * BYTES, CACHED],
  ['three quarters of it comes from there by half', loadsWindow, (4 * BYTES) / 3, (CACHED + COLD) / 2],
  ['all of it is gone', loadsWindow, BYTES, COLD],
  ['nothing, in memory of a device communicator, comes from there', loadsResources, 1, CACHED],
  ['nothing, on a machine without a cache, is gone', loadsResources, 0, COLD],
])('what a launch has loaded before and takes %s', async (_title, loads, cacheBytes, time) => {
  const { timeline } = await tracedRun({ ranks: 1, trace: machine(cacheBytes) }, async (comm) => {
    const win = await comm.allocWindow('u32', BYTES / 4);
    const dev = await comm.createDevComm({ resourceRequirementsList: [{ bufferSize: BYTES, bufferAlign: 16 }] });
    for (let launch = 0; launch < 2; launch++) {
      await comm.launch(loads, { grid: 1, block: THREADS }, { comm: dev, win });
    }
    await comm.synchronize();
  });
  const [first, second] = tracksOf(timeline).flatMap(({ slices }) =>
    slices.filter(({ category }) => category === 'launch').map(({ start, end }) => end - start),
  );
  expect(first).toBeCloseTo(COLD, 3);
  expect(second).toBeCloseTo(time, 3);
});
