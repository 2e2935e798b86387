import { DeadlockError, sim, type SimBackend, type SimOptions, type SimWorld } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';

const use = { gin, lsa, teamWorld };
const params = { comm: devComm, src: window, dst: window, out: window };

/** Sends to itself, and reads the data before and after it waits for it. */
const looks = kernel(
  { name: 'looks', use, params },
  ({ gin, lsa, teamWorld, coopThread, u32 }, { comm, src, dst, out }) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    const come = lsa.localPointer(dst, u32, 0);
    const seen = lsa.localPointer(out, u32, 0);
    net.put(world, 0, dst, 0, src, 0, 4);
    net.put(world, 0, dst, 4, src, 4, 4, gin.weakSignalInc(0));
    net.waitSignal(coopThread(), 0, 1, { order: 'relaxed' });
    seen.store(0, come.load(0));
    seen.store(1, come.load(1));
    // Readers of another signal are owed nothing.
    seen.store(2, u32(net.readSignal(1)) + come.load(1));
    net.waitSignal(coopThread(), 0, 1);
    seen.store(3, come.load(0));
    seen.store(4, come.load(1));
    net.flush(coopThread());
    seen.store(5, come.load(0));
    net.signal(world, 0, gin.strongSignalInc(1));
    net.waitSignal(coopThread(), 1, 1);
    seen.store(6, come.load(0));
  },
);

/** Waits without an order, and then fences. */
const fences = kernel(
  { name: 'fences', use, params },
  ({ gin, lsa, teamWorld, coopThread, fence, u32 }, { comm, src, dst, out }) => {
    const net = gin.context(comm, 0);
    const come = lsa.localPointer(dst, u32, 0);
    const seen = lsa.localPointer(out, u32, 0);
    net.put(teamWorld(comm), 0, dst, 0, src, 0, 4, gin.weakSignalInc(0));
    net.waitSignal(coopThread(), 0, 1, { order: 'relaxed' });
    fence('release', 'system');
    seen.store(0, come.load(0));
    fence('acquire', 'system');
    seen.store(1, come.load(0));
  },
);

/** Ends with one put that a signal covers, without an acquire, and one that none covers. */
const leaves = kernel({ name: 'leaves', use, params }, ({ gin, teamWorld, coopThread }, { comm, src, dst }) => {
  const net = gin.context(comm, 0);
  net.put(teamWorld(comm), 0, dst, 0, src, 0, 4, gin.weakSignalInc(0));
  net.put(teamWorld(comm), 0, dst, 4, src, 4, 4);
  net.waitSignal(coopThread(), 0, 1, { order: 'relaxed' });
});

/** Overwrites the source of its put without waiting. */
const hurries = kernel(
  { name: 'hurries', use, params },
  ({ gin, lsa, teamWorld, coopThread, u32 }, { comm, src, dst }) => {
    const net = gin.context(comm, 0);
    const from = lsa.localPointer(src, u32, 0);
    for (let i = u32(0); i < 4; i++) {
      from.store(0, i + 1);
      net.put(teamWorld(comm), 0, dst, i * 4, src, 0, 4);
    }
    from.store(0, 9);
    net.signal(teamWorld(comm), 0, gin.strongSignalInc(0));
    net.waitSignal(coopThread(), 0, 1);
  },
);

/** Reads the data of a get before and after a flush. */
const gets = kernel(
  { name: 'gets', use, params },
  ({ gin, lsa, teamWorld, coopThread, u32 }, { comm, src, dst, out }) => {
    const net = gin.context(comm, 0);
    const come = lsa.localPointer(dst, u32, 0);
    const seen = lsa.localPointer(out, u32, 0);
    net.get(teamWorld(comm), 0, src, 0, dst, 0, 4);
    seen.store(0, come.load(0));
    net.flush(coopThread());
    seen.store(1, come.load(0));
  },
);

type Delivery = NonNullable<NonNullable<SimOptions['gin']>['delivery']>;

interface Setting {
  readonly delivery: Delivery;
  readonly seed?: number;
  readonly ginQueueDepth?: number;
}

interface Left {
  readonly out: readonly number[];
  readonly dst: readonly number[];
  /** The content of `dst` once the window with the source of the put is freed. */
  readonly drained: readonly number[];
}

/** Returns the result of a rank that sends to itself. Its source holds 11, 12, ... */
async function alone(one: typeof looks, { delivery, seed = 1, ginQueueDepth = 0 }: Setting): Promise<Left> {
  await using world = await World.open({ backend: sim({ ranks: 1, seed, gin: { delivery } }) });
  const [left] = await world.run(async (comm) => {
    const src = await comm.allocWindow('u32', 4);
    const dst = await comm.allocWindow('u32', 4);
    const out = await comm.allocWindow('u32', 7);
    await src.write(Uint32Array.of(11, 12, 13, 14));
    const dev = await comm.createDevComm({ ginConnectionType: 'full', ginSignalCount: 2, ginQueueDepth });
    await comm.launch(one, { grid: 1, block: 1 }, { comm: dev, src, dst, out });
    await comm.synchronize();
    const before = [...(await dst.read())];
    await src.close();
    return { out: [...(await out.read())], dst: before, drained: [...(await dst.read())] };
  });
  if (left === undefined) throw new Error('no rank');
  return left;
}

const seeds = Array.from({ length: 30 }, (_, seed) => seed);

describe('data of puts', () => {
  it('arrive at once, if prompt', async () => {
    expect((await alone(looks, { delivery: 'prompt' })).out).toEqual([11, 12, 12, 11, 12, 11, 11]);
  });

  it('arrive after the signal, if late, and only when a signal that covers them is acquired', async () => {
    // A flush guarantees nothing about arrival. The strong signal covers the put that had no
    // signal.
    expect((await alone(looks, { delivery: 'late' })).out).toEqual([0, 0, 0, 0, 12, 0, 11]);
  });

  it('arrive at any time that NCCL allows, if random', async () => {
    const all = await Promise.all(seeds.map(async (seed) => (await alone(looks, { delivery: 'random', seed })).out));
    for (const out of all) expect(out).toEqual([...out.slice(0, 4), 12, out[5], 11]);
    for (const i of [0, 1, 3, 5]) expect(new Set(all.map((out) => out[i])).size).toBe(2);
  });

  it('are visible after a fence that acquires, but not after one that only releases', async () => {
    expect((await alone(fences, { delivery: 'late' })).out.slice(0, 2)).toEqual([0, 11]);
  });

  it('are visible to the host if a signal covers them, and otherwise when their window is freed', async () => {
    const { dst, drained } = await alone(leaves, { delivery: 'late' });
    expect(dst.slice(0, 2)).toEqual([11, 0]);
    expect(drained.slice(0, 2)).toEqual([11, 12]);
  });

  it('are read at any time before completion, at the latest when the queue is full', async () => {
    expect((await alone(hurries, { delivery: 'prompt' })).dst).toEqual([1, 2, 3, 4]);
    expect((await alone(hurries, { delivery: 'late' })).dst).toEqual([9, 9, 9, 9]);
    expect((await alone(hurries, { delivery: 'late', ginQueueDepth: 1 })).dst).toEqual([2, 3, 4, 9]);
    expect((await alone(hurries, { delivery: 'late', ginQueueDepth: 3 })).dst).toEqual([4, 9, 9, 9]);
  });
});

describe('data of gets', () => {
  it('have arrived after a flush', async () => {
    expect((await alone(gets, { delivery: 'prompt' })).out.slice(0, 2)).toEqual([11, 11]);
    expect((await alone(gets, { delivery: 'late' })).out.slice(0, 2)).toEqual([0, 11]);
    for (const seed of seeds.slice(0, 10)) {
      expect((await alone(gets, { delivery: 'random', seed })).out[1]).toBe(11);
    }
  });
});

const exchange = kernel(
  { name: 'exchange', use, params: { comm: devComm, src: window, dst: window } },
  ({ gin, teamWorld, coopCta, threadIdx, u32 }, { comm, src, dst }) => {
    const net = gin.context(comm, 0);
    if (threadIdx.x < u32(comm.nRanks)) {
      net.put(teamWorld(comm), threadIdx.x, dst, comm.rank * 40, src, 0, 40, gin.strongSignalInc(0));
    }
    net.waitSignal(coopCta(), 0, comm.nRanks);
  },
);

/** Returns a hash of the events of a world in which every rank puts to every other one. */
async function hashOf(seed: number, delivery: Delivery): Promise<number> {
  const inner = sim({ ranks: 3, lsaSize: 1, seed, gin: { delivery } });
  let opened: SimWorld | undefined;
  const backend: SimBackend = { ...inner, open: async (options) => (opened = await inner.open(options)) };
  await using world = await World.open({ backend });
  await world.run(async (comm) => {
    const src = await comm.allocWindow('u32', 10);
    const dst = await comm.allocWindow('u32', 30);
    const dev = await comm.createDevComm({ ginConnectionType: 'full', ginSignalCount: 1 });
    await comm.launch(exchange, { grid: 1, block: 32 }, { comm: dev, src, dst });
    await comm.synchronize();
  });
  if (opened === undefined) throw new Error('no world');
  return opened.eventHash;
}

describe('the behaviour of the network', () => {
  it.each(['prompt', 'random', 'late'] as const)('is the same for the same seed, under %s', async (delivery) => {
    expect(await hashOf(5, delivery)).toBe(await hashOf(5, delivery));
    expect(await hashOf(5, delivery)).not.toBe(await hashOf(6, delivery));
  });
});

const waits = kernel({ name: 'waits', use, params: { comm: devComm } }, ({ gin, teamWorld, coopWarp }, { comm }) => {
  const net = gin.context(comm, 1);
  if (comm.rank === 0) net.signal(teamWorld(comm), 1, gin.strongSignalAdd(3, 4), { coop: coopWarp() });
  else net.waitSignal(coopWarp(), 3, 5);
});

const waitsForPuts = kernel({ name: 'waitsForPuts', use, params: { comm: devComm } }, ({ gin, coopWarp }, { comm }) => {
  gin.context(comm, 2).waitCounter(coopWarp(), 1, 1);
});

describe('a wait for a word that the network never writes', () => {
  it.each([
    { one: waits, words: ['signal 3 of GIN context 1 at rank 1', 'is 4 (u64)', 'net.waitSignal'] },
    { one: waitsForPuts, words: ['counter 1 of GIN context 2 at ranks 0-1', 'is 0 (u64)'] },
  ])('is a deadlock that names the word: $one.name', async ({ one, words }) => {
    await using world = await World.open({ backend: sim({ ranks: 2 }) });
    const error: unknown = await world
      .run(async (comm) => {
        const asks = { ginConnectionType: 'full', ginSignalCount: 4, ginCounterCount: 2 } as const;
        await comm.launch(one, { grid: 1, block: 32 }, { comm: await comm.createDevComm(asks) });
        await comm.synchronize();
      })
      .catch((thrown: unknown) => thrown);
    if (!(error instanceof DeadlockError)) throw error;
    for (const word of words) expect(error.message).toContain(word);
  });
});
