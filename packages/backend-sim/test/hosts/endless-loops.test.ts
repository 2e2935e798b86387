import { sim, type SimOptions } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, inject, it } from 'vitest';

import { endsSoon } from '../support/host-time.ts';

/** The quick tests have the first. */
const isNow = (_: unknown, i: number): boolean => (i === 0) !== inject('slow');

/** `n` is 4,000,000,000, which is also the number of rounds of loops that end. */
const params = { win: window, n: u32 };

const whileTrue = kernel({ name: 'whileTrue', use: { lsa }, params }, ({ lsa, u32, threadIdx }, { win, n }) => {
  let x = u32(threadIdx.x);
  while (true) {
    x = x * 1664525 + 1013904223;
    if (x === n && x === n + 1) break;
  }
  lsa.localPointer(win, u32, 0).store(threadIdx.x, x);
});

const forShared = kernel({ name: 'forShared', use: { lsa }, params }, ({ lsa, u32 }, { win, n }) => {
  let x = u32(1);
  for (;;) {
    x = x * 1664525 + 1013904223;
    if (x === n && x === n + 1) break;
  }
  lsa.localPointer(win, u32, 0).store(0, x);
});

const countsShared = kernel({ name: 'countsShared', use: { lsa }, params }, ({ lsa, u32 }, { win, n }) => {
  let x = u32(1);
  for (let i = u32(0); i < n; i++) x = (x ^ i) * 1664525;
  lsa.localPointer(win, u32, 0).store(0, x);
});

const counts = kernel({ name: 'counts', use: { lsa }, params }, ({ lsa, u32, threadIdx }, { win, n }) => {
  let x = u32(threadIdx.x);
  for (let i = u32(0); i < n; i++) x = (x ^ i) * 1664525;
  lsa.localPointer(win, u32, 0).store(threadIdx.x, x);
});

const countsWide = kernel({ name: 'countsWide', use: { lsa }, params }, ({ lsa, u32, u64, threadIdx }, { win, n }) => {
  let x = u64(threadIdx.x);
  for (let i = u64(0); i < u64(n); i++) x = x ^ i;
  lsa.localPointer(win, u32, 0).store(threadIdx.x, u32(x));
});

const countsFloat = kernel(
  { name: 'countsFloat', use: { lsa }, params },
  ({ lsa, u32, f32, threadIdx }, { win, n }) => {
    let x = u32(threadIdx.x);
    for (let i = f32(0); i < f32(n); i += 1) x = x * 1664525 + 1013904223;
    lsa.localPointer(win, u32, 0).store(threadIdx.x, x);
  },
);

const strided = kernel({ name: 'strided', use: { lsa }, params }, ({ lsa, u32, threadIdx }, { win, n }) => {
  let x = u32(threadIdx.x);
  for (let o = threadIdx.x; o < n; o += 64) x = (x ^ o) * 1664525;
  lsa.localPointer(win, u32, 0).store(threadIdx.x, x);
});

/** Every thread has a program counter. */
const apart = kernel({ name: 'apart', use: { lsa }, params }, ({ lsa, u32, threadIdx, coopWarp }, { win, n }) => {
  let x = u32(threadIdx.x);
  if (threadIdx.x < 32) coopWarp().sync();
  while (true) {
    x = x * 1664525 + 1013904223;
    if (x === n && x === n + 1) break;
  }
  lsa.localPointer(win, u32, 0).store(threadIdx.x, x);
});

const countsApart = kernel(
  { name: 'countsApart', use: { lsa }, params },
  ({ lsa, u32, threadIdx, coopWarp }, { win, n }) => {
    let x = u32(threadIdx.x);
    if (threadIdx.x < 32) {
      coopWarp().sync();
      for (let k = u32(0); k < 1000; k++) for (let i = u32(0); i < n; i++) x = (x ^ i) * 1664525;
    }
    lsa.localPointer(win, u32, 0).store(threadIdx.x, x);
  },
);

const meetsApart = kernel(
  { name: 'meetsApart', use: { lsa }, params },
  ({ lsa, u32, threadIdx, coopWarp }, { win, n }) => {
    let x = u32(threadIdx.x);
    if (threadIdx.x < 32) {
      for (let i = u32(0); i < n; i++) {
        x = (x ^ i) * 1664525;
        if (x === i) coopWarp().sync();
      }
    }
    lsa.localPointer(win, u32, 0).store(threadIdx.x, x);
  },
);

const kernels = [
  strided,
  whileTrue,
  forShared,
  countsShared,
  counts,
  countsWide,
  countsFloat,
  apart,
  countsApart,
  meetsApart,
];

/** Collections of garbage and compilations count too, so a slow machine gets more tries. */
const tries = { retry: 4 };

const fuel = 2 ** 31;
const ways: readonly SimOptions[] = [
  { ranks: 1, fuel },
  { ranks: 1, fuel, engine: 'wasm' },
  { ranks: 1, fuel, mode: 'check' },
  { ranks: 1, fuel, engine: 'wasm', workers: 2 },
];

describe.each(ways)('with %o', (options) => {
  const threads = 1 + (options.workers ?? 0);

  it.each(kernels.filter(isNow))('a signal ends the endless loop $name', tries, async (endless) => {
    await using world = await World.open({ backend: sim(options) });
    const abort = new AbortController();
    const running = world.run(async (comm) => {
      const win = await comm.allocWindow(u32, 64);
      await comm.launch(endless, { grid: 1, block: 64, signal: abort.signal }, { win, n: 4_000_000_000 });
      await endsSoon(comm.synchronize(), threads, () => abort.abort());
    });
    await expect(running).rejects.toMatchObject({ code: 'NCCLTS_ABORTED' });
  });

  it.each(kernels.filter(isNow))('close ends the endless loop $name', tries, async (endless) => {
    const world = await World.open({ backend: sim(options) });
    const running = world.run(async (comm) => {
      const win = await comm.allocWindow(u32, 64);
      await comm.launch(endless, { grid: 1, block: 64 }, { win, n: 4_000_000_000 });
      await endsSoon(comm.synchronize(), threads, () => void world.close());
    });
    await expect(running).rejects.toMatchObject({ code: 'NCCLTS_CLOSED' });
    await world.close();
  });
});
