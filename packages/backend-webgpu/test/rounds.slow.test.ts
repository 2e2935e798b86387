import type { Communicator } from '@nccl-ts/communicator';
import { devComm, window, type DevCommArg, type WindowArg } from '@nccl-ts/devcomm';
import { kernel, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { afterAll, describe, expect, it } from 'vitest';
import { noDevice, openDevice, unlessDevice } from './support/device.ts';
import { barrierLoop } from './support/kernels.ts';
import { openWorld } from './support/world.ts';

const acquired = noDevice === undefined ? await openDevice() : undefined;
const device = acquired === undefined ? {} : { device: acquired.device };
afterAll(() => acquired?.dispose());

/** A kernel with up to three barriers, which stores their number. */
function withBarriers(barriers: number): Kernel<{ readonly comm: DevCommArg; readonly win: WindowArg }> {
  return kernel(
    { name: `with${barriers}Barriers`, use: { lsa, barriers }, params: { comm: devComm, win: window } },
    ({ lsa, barriers, coopCta, threadIdx, u32 }, { comm, win }) => {
      const bar = lsa.barrierSession(coopCta(), comm, 0);
      if (barriers > 0) bar.sync(coopCta(), 'acq_rel');
      if (barriers > 1) bar.sync(coopCta(), 'acq_rel');
      if (barriers > 2) bar.sync(coopCta(), 'acq_rel');
      if (threadIdx.x === 0) lsa.localPointer(win, u32, 0).store(0, barriers);
    },
  );
}

/** Returns the dispatches of each of `launches` consecutive launches on `ranks` ranks. */
async function dispatchesOf(
  ranks: number,
  launches: number,
  launch: (
    comm: Communicator,
    comms: DevCommArg,
    win: Awaited<ReturnType<typeof windowOf>>,
    number: number,
  ) => Promise<void>,
): Promise<readonly number[]> {
  const { world, backendWorld } = await openWorld({ ranks, ...device });
  try {
    const made = await world.run(async (comm) => ({
      win: await windowOf(comm),
      comms: await comm.createDevComm({ lsaBarrierCount: 1 }),
    }));
    const counts: number[] = [];
    for (let i = 0; i < launches; i++) {
      const before = backendWorld.dispatches;
      await world.run(async (comm) => {
        const own = made[comm.rank];
        if (own !== undefined) await launch(comm, own.comms, own.win, i);
      });
      counts.push(backendWorld.dispatches - before);
    }
    return counts;
  } finally {
    await world.close();
  }
}

async function windowOf(comm: Communicator): ReturnType<typeof comm.allocWindow<'u32'>> {
  return comm.allocWindow('u32', 128);
}

describe.skipIf(acquired === undefined)(`the number of dispatches${unlessDevice}`, () => {
  it.for([
    [0, 1],
    [1, 3],
    [2, 5],
    [3, 7],
  ])('of a kernel with %i barriers: %i', async ([barriers = 0, dispatches]) => {
    const counted = withBarriers(barriers);
    const counts = await dispatchesOf(4, 2, async (comm, comms, win) => {
      await comm.launch(counted, { grid: 1, block: 32 }, { comm: comms, win });
      expect((await win.read())[0]).toBe(barriers);
    });
    expect(counts).toEqual([dispatches, dispatches]);
  });

  it.for([0, 1, 5, 20])('of a loop with a barrier at both ends, %i rounds', async (rounds) => {
    const [first = 0, second = 0, third = 0] = await dispatchesOf(3, 3, async (comm, comms, win) => {
      await win.write(new Uint32Array(128).fill(rounds));
      await comm.launch(barrierLoop, { grid: 1, block: 64 }, { comm: comms, win });
      const sums = (await win.read()).subarray(64);
      // The first word counts down, and the others stay unchanged.
      expect([...sums]).toEqual([(rounds * (rounds + 1)) / 2, ...Array.from({ length: 63 }, () => rounds * rounds)]);
    });
    const least = 2 * (2 * rounds) + 1;
    // The number of rounds is unknown at first, so the engine tries more and more. The next call
    // knows it.
    expect(first).toBeGreaterThanOrEqual(least);
    expect(first).toBeLessThan(2 * least + 8);
    // At least one round is always tried.
    const known = Math.max(3, least);
    expect([second, third]).toEqual([known, known]);
  });

  it('falls by half with each call that needs fewer', async () => {
    const rounds = [8, 1, 1, 1, 1, 8];
    const counts = await dispatchesOf(3, rounds.length, async (comm, comms, win, number) => {
      await win.write(new Uint32Array(128).fill(rounds[number] ?? 0));
      await comm.launch(barrierLoop, { grid: 1, block: 64 }, { comm: comms, win });
      await comm.synchronize();
    });
    // A call of 8 needs 16 rounds, and one of 1 needs 2. The last call tries 2, 4, 8 and 16.
    expect(counts).toEqual([67, 33, 17, 9, 5, 64]);
  });
});
