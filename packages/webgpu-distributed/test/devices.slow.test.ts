import { World } from '@nccl-ts/communicator';
import { isNcclError } from '@nccl-ts/core';
import { allCases, caseRuns, runCase, shapeName, type CaseId, type Variant } from '@nccl-ts/conformance';
import { distributedWebgpu } from '@nccl-ts/webgpu-distributed';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { noDevice, openDevice, unlessDevice } from './support/device.ts';
import { expectCode } from './support/expect-code.ts';
import { allReduce, answer, interleave, meets, sleeps } from './support/kernels.ts';
import { inWorld, openWorld } from './support/world.ts';
import './devices.test.ts';

// All worlds share them, so that each reuses what others have compiled.
const acquired = noDevice === undefined ? [await openDevice(), await openDevice(), await openDevice()] : [];
const all = acquired.map(({ device }) => device);
const devices = all.slice(0, 2);
afterAll(() => {
  for (const device of acquired) device.dispose();
});

/** The message of the error with which kernels end that meet `rounds` times and then divide. */
const failing = async (
  options: Parameters<typeof inWorld>[0],
  rounds: (rank: number) => number,
  divisor: (rank: number) => number,
): Promise<string> => {
  const outcome: unknown = await inWorld(options, async (comm) => {
    const win = await comm.allocWindow('u32', 4);
    const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
    const args = { comm: dev, win, rounds: rounds(comm.rank), divisor: divisor(comm.rank) };
    await comm.launch(meets, { grid: 1, block: 32 }, args);
    await comm.synchronize();
  }).catch((error: unknown) => error);
  if (!isNcclError(outcome)) throw new Error('expected an error', { cause: outcome });
  return outcome.message;
};

const count = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);

/** With NCCLTS_EVERY_CASE set, worlds of all these sizes; otherwise of the last one. */
const every = inject('everyCase');

/** By theme, with the numbers of ranks. */
const chosen: readonly (readonly [id: CaseId, ranks: readonly number[], variant?: Variant])[] = [
  ['barriers/epochs/many-rounds', [2, 8]],
  ['barriers/epochs/per-cta', [4]],
  ['barriers/epochs/two-dev-comms', [4], 'sub-team'],
  ['barriers/groups/thread', [2]],
  ['barriers/in-place-all-reduce', [4]],
  ['barriers/order/seq-cst', [4]],
  ['barriers/sessions/strided-team', [8]],
  ['windows/alloc-and-free', [2]],
  ['windows/device-pointer-parameters', [4]],
  ['windows/host-copies', [2]],
  ['windows/isolation', [2]],
  ['windows/registered-memory', [2]],
  ['windows/resource-buffers', [4]],
  ['windows/store-to-peers', [4]],
  ['windows/stream-order', [2]],
  ['atomics/cas-loop', [2, 4]],
  ['atomics/contended', [2, 4]],
  ['atomics/tickets', [2, 4]],
  ['waiting/across-streams', [2]],
  ['waiting/conditions', [4]],
  ['waiting/token-ring', [2, 8]],
  ['waiting/wait-all', [4]],
  ['teams/rank-is-member', [6]],
  ['teams/world-lsa-rail', [8]],
  ['checks/deadlock', [2, 4]],
  ['checks/load-outside', [2]],
  ['checks/lonely-wait', [2]],
  ['checks/print', [2]],
];

const runs = chosen.flatMap(([id, ranks, variant = 'plain']) =>
  caseRuns(allCases.filter((one) => one.id === id)).filter(
    (run) => run.variant === variant && (every ? ranks : ranks.slice(-1)).includes(run.shape.ranks),
  ),
);

describe
  .skipIf(noDevice !== undefined)
  .concurrent(`the conformance suite with the ranks on two devices${unlessDevice}`, () => {
    const rows = runs
      .filter(({ case: { id }, shape }) => `${id} on ${shapeName(shape)}` !== 'windows/store-to-peers on 4')
      .map((run) => [`${run.case.id} on ${shapeName(run.shape)} ranks`, run] as const);
    it.for(rows)('%s', async ([, run], { expect }) => {
      const { verdict, error } = await runCase(run, { backend: (shape) => distributedWebgpu({ ...shape, devices }) });
      expect(verdict.verdict, `${verdict.reason} ${String(error)}`).toBe('pass');
    });
  });

describe.skipIf(noDevice !== undefined)(`ranks on several devices${unlessDevice}`, () => {
  it('compute the same sums as on one device, for every divisor', async () => {
    const options = { ranks: 6, grid: 2, block: 32, length: 5000 };
    const sums = async (on: readonly GPUDevice[]): Promise<readonly (readonly number[])[]> =>
      inWorld({ ranks: options.ranks, devices: on }, async (comm) => {
        const win = await comm.allocWindow('f32', options.length);
        await win.write(count(options.length).map((i) => Math.sin(i + comm.rank)));
        const dev = await comm.createDevComm({ lsaBarrierCount: options.grid });
        const launch = { grid: options.grid, block: options.block };
        await comm.launch(allReduce, launch, { comm: dev, win, offset: 0, count: options.length });
        return [...(await win.read())];
      });
    const [one, two, three] = [await sums(all.slice(0, 1)), await sums(devices), await sums(all)];
    expect(two).toEqual(one);
    expect(three).toEqual(one);
  });

  it('write different bytes of the same words', async () => {
    const ranks = 4;
    const length = 1200;
    const grid = 2;
    const block = 64;
    const found = await inWorld({ ranks, devices }, async (comm) => {
      const win = await comm.allocWindow('u32', length + grid * block);
      const dev = await comm.createDevComm({ lsaBarrierCount: grid });
      await comm.launch(interleave, { grid, block }, { comm: dev, win, count: length });
      return [...(await win.read())];
    });
    const bytes = Uint8Array.from({ length: length * ranks }, (_, at) => at * 7 + 3);
    const words = new Uint32Array(bytes.buffer);
    const total = words.reduce((sum, word) => (sum + word) >>> 0, 0);
    expect(found[0]?.slice(0, length)).toEqual([...words]);
    for (const rank of found) expect(rank.slice(length).reduce((sum, word) => (sum + word) >>> 0, 0)).toBe(total);
  });

  it('copy to and from the host while they run, and while memory grows', async () => {
    const rounds = 3;
    const { world, backendWorld } = await openWorld({ ranks: 4, devices });
    const found = await world.run(async (comm) => {
      const win = await comm.allocWindow('u32', 16);
      const dev = await comm.createDevComm();
      // Copies wait for the default stream, but not for others.
      const stream = await comm.createStream();
      await comm.launch(answer, { grid: 1, block: 32, stream }, { comm: dev, win, rounds });
      const heard: number[][] = [];
      for (let round = 1; round <= rounds; round++) {
        await comm.memAlloc(1 << (15 + round));
        await win.write([round, round * comm.rank], 0);
        const expected = count(4).map((rank) => round * rank * 10 + rank);
        let words: number[];
        // Every rank answers in all windows when its host has asked.
        do words = [...(await win.read())].slice(8, 12);
        while (words.some((word, i) => word !== expected[i]));
        heard.push(words);
        // A synchronization of the hosts.
        await comm.createDevComm();
      }
      await comm.synchronize(stream);
      return heard;
    });
    for (const heard of found) {
      expect(heard).toEqual(count(rounds).map((i) => count(4).map((rank) => (i + 1) * rank * 10 + rank)));
    }
    expect(backendWorld.devices).toEqual(devices);
    await world.close();
  });

  it('advance the clock after all devices have stalled', async () => {
    const found = await inWorld({ ranks: 2, devices }, async (comm) => {
      const win = await comm.allocWindow('u32', 4);
      if (comm.rank === 1) await comm.launch(sleeps, { grid: 1, block: 4 }, { win, cycles: 10n ** 12n });
      return [...(await win.read())];
    });
    expect(found).toEqual([
      [0, 0, 0, 0],
      [1, 2, 3, 4],
    ]);
  });

  it('deadlock with the same report as on one device', async () => {
    const stuck = async (on: readonly GPUDevice[]): Promise<string> =>
      failing(
        { ranks: 4, devices: on },
        (rank) => (rank === 2 ? 2 : 3),
        () => 1,
      );
    const report = await stuck(devices);
    expect(report).toContain('rank');
    expect(report).toBe(await stuck(all.slice(0, 1)));
  });

  it('fault with the same report as on one device', async () => {
    const fault = async (on: readonly GPUDevice[]): Promise<string> =>
      failing(
        { ranks: 4, devices: on },
        () => 1,
        (rank) => (rank === 3 ? 0 : 5),
      );
    const report = await fault(devices);
    expect(report).toContain('rank 3');
    expect(report).toBe(await fault(all.slice(0, 1)));
  });

  it('end when the world is aborted', async () => {
    const world = await World.open({ backend: distributedWebgpu({ ranks: 2, devices }) });
    const controller = new AbortController();
    const run = world.run(
      async (comm) => {
        const win = await comm.allocWindow('u32', 16);
        const dev = await comm.createDevComm();
        await comm.launch(answer, { grid: 1, block: 32 }, { comm: dev, win, rounds: 1 });
        if (comm.rank === 0) controller.abort(new Error('enough'));
        await comm.synchronize();
      },
      { signal: controller.signal },
    );
    await expectCode(run, 'NCCLTS_ABORTED');
    await world.close();
  });

  it('fail together if one device is lost', async () => {
    const { world, backendWorld } = await openWorld({ ranks: 2, devices: 2 });
    expect(new Set(backendWorld.devices).size).toBe(2);
    const run = world.run(async (comm) => {
      const win = await comm.allocWindow('u32', 16);
      const dev = await comm.createDevComm();
      await comm.launch(answer, { grid: 1, block: 32 }, { comm: dev, win, rounds: 1 });
      await comm.launch(answer, { grid: 1, block: 32 }, { comm: dev, win, rounds: 1 });
      if (comm.rank === 1) backendWorld.devices[1]?.destroy();
      await expectCode(comm.synchronize(), 'NCCLTS_WEBGPU_DEVICE_LOST');
      return 'told';
    });
    expect(await run).toEqual(['told', 'told']);
    await expectCode(backendWorld.alloc(0, 4096), 'NCCLTS_WEBGPU_DEVICE_LOST');
    await world.close();
  });

  it('report the cost of their exchanges', async () => {
    const length = 4096;
    const reduced = async (on: readonly GPUDevice[]) => {
      const { world, backendWorld } = await openWorld({ ranks: 2, devices: on });
      await world.run(async (comm) => {
        const win = await comm.allocWindow('f32', length);
        await comm.allocWindow('f32', 1 << 20);
        await win.write(count(length).map((i) => i + comm.rank));
        const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
        await comm.launch(allReduce, { grid: 1, block: 64 }, { comm: dev, win, offset: 0, count: length });
        await comm.synchronize();
      });
      const { exchanged } = backendWorld;
      await world.close();
      return exchanged;
    };
    expect(await reduced(all.slice(0, 1))).toEqual({ count: 0, comparedBytes: 0, changedBytes: 0 });
    const { count: exchanges, comparedBytes, changedBytes } = await reduced(devices);
    expect(exchanges).toBeLessThan(8);
    // Only memory that the kernel may write is compared, so not the other window.
    expect(comparedBytes).toBeLessThan(exchanges * 2 * (2 * length * 4 + 8192));
    // Each of the two writes half of both windows, every other word. Blocks are sent whole.
    expect(changedBytes).toBeGreaterThan(2 * length * 4);
    expect(changedBytes).toBeLessThan(2.4 * 2 * length * 4);
  });

  it.each([
    ['on both', [0, 1, 0, 1], [2, 4, 2, 4]],
    ['on one each', [0, 0, 1, 1], [1, 1, 5, 5]],
  ] as const)('of communicators of some of the ranks sum, %s', async (_where, colors, expected) => {
    const length = 100;
    const sums = await inWorld({ ranks: 4, devices }, async (comm) => {
      const half = await comm.split(colors[comm.rank] ?? 0);
      const win = await half.allocWindow('f32', length);
      await win.write(count(length).map(() => comm.rank));
      const dev = await half.createDevComm({ lsaBarrierCount: 2 });
      await half.launch(allReduce, { grid: 2, block: 32 }, { comm: dev, win, offset: 0, count: length });
      return [...(await win.read())];
    });
    expect(sums).toEqual(expected.map((sum) => count(length).map(() => sum)));
  });
});
