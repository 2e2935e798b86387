import { World } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { NewSlice, Timeline, TimelineRecorder } from '@nccl-ts/core';
import { expect, test } from 'vitest';

import { simWith } from '../../src/world/sim-backend.ts';
import { resolveSimOptions } from '../../src/world/sim-options.ts';
import type { SimWorld } from '../../src/world/sim-world.ts';

const [ranks, words] = [3, 700];

/** Loads from all ranks, arrays of threads, stores to all ranks, and barriers. */
const pushAndPull = kernel(
  { name: 'pushAndPull', use: { lsa }, params: { comm: devComm, win: window, words: u32 } },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, localArray, u32 }, { comm, win, words }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'acquire');
    const kept = localArray(u32, 4);
    const step = blockDim.x * gridDim.x;
    for (let i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += step) {
      let sum = u32(0);
      for (let peer = u32(0); peer < comm.lsaSize; peer++) sum += lsa.pointer(win, u32, 0, peer).load(i);
      kept.store(i % 4, sum);
      if (i % 3 === 0) {
        for (let peer = u32(0); peer < comm.lsaSize; peer++) {
          lsa.pointer(win, u32, 0, peer).store(words * (1 + comm.lsaRank) + i, kept.load(i % 4));
        }
      }
    }
    bar.sync(coopCta(), 'release');
  },
);

/** The calls of a recorder. Tests of this package do not depend on how a timeline is drawn. */
class Calls implements TimelineRecorder {
  readonly slices: (NewSlice & { readonly track: number })[] = [];
  readonly others: unknown[] = [];
  #tracks = 0;
  #flows = 0;

  openProcess(...args: readonly unknown[]): void {
    this.others.push(args);
  }

  openTrack(...args: readonly unknown[]): number {
    this.others.push(args);
    return this.#tracks++;
  }

  slice(track: number, slice: NewSlice): void {
    this.slices.push({ track, ...slice });
  }

  begin(...args: readonly unknown[]): void {
    this.others.push(['begin', ...args]);
  }

  end(...args: readonly unknown[]): void {
    this.others.push(['end', ...args]);
  }

  flow(...args: readonly unknown[]): number {
    this.others.push(args);
    return this.#flows++;
  }

  finish(...args: readonly unknown[]): void {
    this.others.push(['finish', ...args]);
  }

  drop(...args: readonly unknown[]): void {
    this.others.push(['drop', ...args]);
  }

  cut(...args: readonly unknown[]): void {
    this.others.push(['cut', ...args]);
  }

  build(): Timeline {
    return { processes: [], flows: [], start: 0, end: 0 };
  }
}

async function traced(engine: 'js' | 'wasm'): Promise<{ readonly calls: Calls; readonly sums: unknown }> {
  const backend = simWith(resolveSimOptions({ ranks, engine, trace: true }), undefined, { compiles: 'all' });
  let opened: SimWorld | undefined;
  const open = async (how: Parameters<typeof backend.open>[0]): Promise<SimWorld> => {
    opened = await backend.open(how);
    return opened;
  };
  await using world = await World.open({ backend: { ...backend, open } });
  const sums = await world.run(async (comm) => {
    const win = await comm.allocWindow('u32', words * (1 + ranks));
    await win.write(new Uint32Array(words).fill(comm.rank + 1));
    const handle = await comm.createDevComm({ lsaBarrierCount: 2 });
    await comm.launch(pushAndPull, { grid: 2, block: 96 }, { comm: handle, win, words });
    return win.read();
  });
  if (opened === undefined) throw new Error('The world was not opened.');
  const calls = new Calls();
  opened.timeline(calls);
  return { calls, sums };
}

test('simulated time is the same if loops over threads are WebAssembly', async () => {
  const [js, wasm] = [await traced('js'), await traced('wasm')];
  expect(wasm.sums).toEqual(js.sums);
  expect(wasm.calls).toEqual(js.calls);
  expect(js.calls.others.length).toBeGreaterThan(ranks);
  expect(Math.max(...js.calls.slices.map(({ end }) => end))).toBeGreaterThan(4000);
  const loads = js.calls.slices.map(({ args }) => Number(args?.['loads'] ?? 0));
  // Each rank loads every word of its peers. A slice has a whole number of bytes.
  expect(loads.reduce((sum, bytes) => sum + bytes, 0) / (ranks * (ranks - 1) * words * 4)).toBeCloseTo(1, 2);
});
