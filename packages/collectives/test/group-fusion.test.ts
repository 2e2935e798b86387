import { sim } from '@nccl-ts/backend-sim';
import {
  algorithmFacts,
  algorithmsOf,
  allGather,
  allReduce,
  allToAll,
  broadcast,
  gather,
  group,
  kernelOf,
  putSignal,
  recv,
  redOpCreatePreMulSum,
  reduce,
  reduceScatter,
  scatter,
  send,
  signal,
  waitSignal,
  type CollectiveOptions,
  type PreMulSum,
} from '@nccl-ts/collectives';
import { World, type Communicator, type Window } from '@nccl-ts/communicator';
import { RedOp } from '@nccl-ts/core';
import { describe, expect, inject, test } from 'vitest';
import { inWorld } from './support/in-world.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const ranks = 4;
/** The counts of the calls. One launch cannot hold all of them, and no two are equal. */
const counts = [5, 1, 130, 17, 33, 8];
const most = 256;

interface Buffers {
  readonly from: Window<'f32'>;
  readonly to: Window<'f32'>;
}

type Call = (comm: Communicator, at: Buffers, i: number, count: number) => Promise<void>;

/** Six calls of each collective, each with its own locations, root and scalars. */
const calls: Readonly<Record<string, (options: CollectiveOptions) => Call>> = {
  allReduce: (options) => async (comm, at, i, count) => allReduce(comm, ...places(at, i), count, RedOp.Sum, options),
  'scaled allReduce': (options) => async (comm, at, i, count) =>
    allReduce(comm, ...places(at, i), count, scaledBy(comm, i), options),
  broadcast: (options) => async (comm, at, i, count) => broadcast(comm, ...places(at, i), count, i % ranks, options),
  reduce: (options) => async (comm, at, i, count) =>
    reduce(comm, ...places(at, i), count, RedOp.Avg, i % ranks, options),
  'scaled reduce': (options) => async (comm, at, i, count) =>
    reduce(comm, ...places(at, i), count, scaledBy(comm, i), i % ranks, options),
  allGather: (options) => async (comm, at, i, count) => allGather(comm, ...places(at, i), count, options),
  reduceScatter: (options) => async (comm, at, i, count) =>
    reduceScatter(comm, ...places(at, i), count, RedOp.Prod, options),
  'scaled reduceScatter': (options) => async (comm, at, i, count) =>
    reduceScatter(comm, ...places(at, i), count, scaledBy(comm, i), options),
  allToAll: (options) => async (comm, at, i, count) => allToAll(comm, ...places(at, i), count, options),
  gather: (options) => async (comm, at, i, count) => gather(comm, ...places(at, i), count, i % ranks, options),
  scatter: (options) => async (comm, at, i, count) => scatter(comm, ...places(at, i), count, i % ranks, options),
};

/**
 * Runs all cases if `NCCLTS_EVERY_CASE` is set. Otherwise one of 16 runs with kernels, another
 * one without, and another one in check mode.
 */
const step = inject('everyCase') ? 1 : 16;

/**
 * Each collective with each of its algorithms, over several load-store domains if the algorithm
 * supports them.
 */
const ways = Object.entries(calls).flatMap(([what, call]) => {
  const [name = what, scaled] = what.split(' ').toReversed();
  return Object.entries(algorithmsOf)
    .filter(([collective]) => collective === name)
    .flatMap(([, algorithms]) => algorithms)
    .map((algorithm) => ({ algorithm, lsaSize: algorithmFacts[algorithm].spansDomains ? 2 : ranks }))
    .filter(({ algorithm, lsaSize }) => {
      const op = scaled === undefined ? undefined : 'preMulSum';
      const asked = { nRanks: ranks, lsaSize, element: 'f32', op, inPlace: false } as const;
      return algorithmFacts[algorithm].obstacle(asked) === undefined;
    })
    .map(({ algorithm, lsaSize }) => ({
      what,
      algorithm,
      lsaSize,
      call: call({ algorithm }),
    }));
});

function isLong({ what, algorithm }: (typeof ways)[number]): boolean {
  return what.startsWith('scaled') && ['hierarchical', 'ring'].includes(algorithm);
}

function scaledBy({ rank }: Communicator, i: number): PreMulSum {
  return redOpCreatePreMulSum(2 + i + rank);
}

function places({ from, to }: Buffers, i: number) {
  // Each call has room for the elements of all ranks, and for one more, so that nothing is aligned.
  const at = 4 * i * (ranks * most + 1);
  return [from.symPtr(at), to.symPtr(at)] as const;
}

async function buffersOf(comm: Communicator): Promise<Buffers> {
  const elements = counts.length * (ranks * most + 1);
  const from = await comm.allocWindow('f32', elements);
  const to = await comm.allocWindow('f32', elements);
  await from.write(Float32Array.from({ length: elements }, (_, i) => ((i * 7 + comm.rank * 3) % 11) + 1));
  return { from, to };
}

/**
 * As one text, because comparing thousands of elements one by one takes longer than computing them.
 */
function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

async function launchesOf(comm: Communicator, body: () => Promise<unknown>): Promise<number> {
  await comm.synchronize();
  await body();
  return (await comm.synchronize()).launches;
}

const modes = [
  ['by their kernels', 'js', 'fast', 0],
  ['without kernels', 'wasm', 'fast', 1],
  ['in check mode', 'js', 'check', 2],
] as const;

/** Every third way in each mode, from `third` on. The quick tests have the first one of all. */
function waysOf(third: number): typeof ways {
  const some = ways.filter((way, i) => (i + third) % step === 0 && (step === 1 || !isLong(way)));
  return some.filter((_, i) => (third === 0 && i === 0) !== inject('slow'));
}

describe('collectives of a group', () => {
  describe.each(modes.filter(([, , , third]) => waysOf(third).length > 0))('%s', (_how, engine, mode, third) => {
    test.each(waysOf(third))(
      '$what by $algorithm: equal the single calls, four in a launch',
      async ({ call, lsaSize }) => {
        const backend = sim({ ranks, lsaSize, ...(mode === 'check' ? { mode } : { engine }) });
        {
          await using world = await World.open({ backend });
          await world.run(async (comm) => {
            const [one, together] = [await buffersOf(comm), await buffersOf(comm)];
            for (const [i, count] of counts.entries()) await call(comm, one, i, count);
            const launches = await launchesOf(comm, async () =>
              group(comm, async () => {
                for (const [i, count] of counts.entries()) await call(comm, together, i, count);
              }),
            );
            expect(launches).toBe(2);
            expect(bytesOf(await together.to.read())).toEqual(bytesOf(await one.to.read()));
          });
        }
        if (mode === 'check') expect(backend.report().findings).toEqual([]);
      },
    );
  });

  test.for(slow)(
    'match single calls byte for byte as generated for CUDA, fused in many CTAs',
    { timeout: 60_000 },
    async () => {
      const backend = sim({ ranks: 4 });
      const capabilities = { ...backend.capabilities, backend: 'cuda' };
      await using world = await World.open({ backend: { ...backend, capabilities } });
      const sums = await world.run(async (comm) => {
        const count = 20_000;
        const [a, b] = [await comm.allocWindow('f16', 2 * count), await comm.allocWindow('f16', 2 * count)];
        await a.write(Float32Array.from({ length: 2 * count }, (_, i) => (i % 7) + comm.rank));
        const launches = await launchesOf(comm, async () =>
          group(comm, async () => {
            const options = { algorithm: 'twoShot' } as const;
            await allReduce(comm, a, b, count, RedOp.Sum, options);
            await allReduce(comm, a.symPtr(2 * count), b.symPtr(2 * count), count - 3, RedOp.Sum, options);
          }),
        );
        expect(launches).toBe(1);
        return b.read();
      });
      for (const sum of sums) {
        expect(sum.findIndex((value, i) => value !== (i < 2 * 20_000 - 3 ? 4 * (i % 7) + 6 : 0))).toBe(-1);
      }
    },
  );

  test.for(slow)(
    'share a launch only with calls of the same kind, and only as many sends and receives as fit',
    async () => {
      await inWorld(ranks, async (comm) => {
        const [a, b] = [await comm.allocWindow('f32', 96), await comm.allocWindow('f32', 96)];
        const [sums, halves] = [await comm.allocWindow('i32', 96), await comm.allocWindow('i32', 96)];
        await a.write(Float32Array.from({ length: 96 }, (_, i) => i));
        const at = (i: number) => [a.symPtr(32 * i), b.symPtr(32 * i)] as const;
        const launches = await launchesOf(comm, async () =>
          group(comm, async () => {
            await allReduce(comm, ...at(0), 8, RedOp.Sum);
            await allGather(comm, sums, halves, 8);
            await allReduce(comm, ...at(1), 8, RedOp.Max);
            await allReduce(comm, ...at(2), 8, RedOp.Sum);
            await allReduce(comm, ...at(3), 8, redOpCreatePreMulSum(2));
            await allReduce(comm, ...at(4), 8, redOpCreatePreMulSum(3));
            await send(comm, a, 3, (comm.rank + 1) % ranks);
            await recv(comm, b.symPtr(32 * 11), 3, (comm.rank + ranks - 1) % ranks);
          }),
        );
        // The exchange, two sums, the AllGather, the maximum, and two scaled sums.
        expect(launches).toBe(5);
        const values = await b.read();
        expect([3, 8, 16, 24, 32, 90].map((i) => values[i])).toEqual([12, 8, 64, 192, 384, 2]);
      });
    },
  );

  test.for(slow)('have their own kernel', () => {
    const query = { collective: 'allToAll', algorithm: 'direct', element: 'f32' } as const;
    const [one, several] = [kernelOf(query), kernelOf({ ...query, grouped: true })];
    expect([one.name, several.name]).toEqual(['pushAllToAll', 'pushAllToAllGroup']);
    expect(several.compile().params.length).toBeGreaterThan(one.compile().params.length);
  });

  test.for(slow)('may not use data that others of the same launch store', async () => {
    await inWorld(2, async (comm) => {
      const [a, b] = [await comm.allocWindow('f32', 16), await comm.allocWindow('f32', 16)];
      const [x, y, z] = [a.symPtr(0), a.symPtr(16), a.symPtr(32)];
      const sum = async (...[from, to]: readonly [typeof x, typeof x]) => allReduce(comm, from, to, 4, RedOp.Sum);
      const refused: readonly (() => Promise<void>)[] = [
        async () => [await sum(x, y), await sum(y, z)].forEach(() => undefined),
        async () => [await sum(x, y), await sum(z, y)].forEach(() => undefined),
        async () => [await sum(y, x), await sum(z, y)].forEach(() => undefined),
        // The second sum would run before the AllGather.
        async () =>
          [await sum(x, y), await allGather(comm, z, b, 4), await sum(b.symPtr(16), a.symPtr(48))].forEach(
            () => undefined,
          ),
      ];
      for (const body of refused) {
        await expect(group(comm, body)).rejects.toMatchObject({
          code: 'NCCL_INVALID_USAGE',
          message: expect.stringMatching(/^group: \w+ of 4 f32 and allReduce of 4 f32 touch the same memory/),
        });
      }
      // Both only read it, and here they run one after the other.
      await group(comm, async () => [await sum(x, y), await sum(x, z)]);
      await group(comm, async () => [await sum(x, y), await allGather(comm, y, b, 4)]);
    });
  });

  test.for(slow)('may use one buffer several times if only root ranks access it', async () => {
    const values = await inWorld(2, async (comm) => {
      const [a, b] = [await comm.allocWindow('f32', 4), await comm.allocWindow('f32', 2)];
      await a.write([1, 2, 3, 4]);
      const launches = await launchesOf(comm, async () =>
        group(comm, async () => {
          for (const root of [0, 1]) await reduce(comm, a.symPtr(8 * root), b, 2, RedOp.Sum, root);
        }),
      );
      expect(launches).toBe(1);
      return [...(await b.read())];
    });
    expect(values).toEqual([
      [2, 4],
      [6, 8],
    ]);
  });
});

describe.each([4, 2])('one-sided operations of a group, in domains of %i ranks,', (lsaSize) => {
  const peers = [0, 1, 2, 3];

  /** Counts the launches of puts and of waits, and returns the first element from each rank. */
  async function putAll(
    put: (comm: Communicator, at: Buffers, peer: number) => Promise<void>,
  ): Promise<readonly { readonly launches: readonly number[]; readonly got: readonly (number | undefined)[] }[]> {
    return inWorld(
      4,
      async (comm) => {
        const at = { from: await comm.allocWindow('f32', 64), to: await comm.allocWindow('f32', 64) };
        await at.from.write(Float32Array.from({ length: 64 }, (_, i) => 100 * comm.rank + i));
        // The first operation of a communicator adds its own launches, which are not counted.
        await signal(comm, comm.rank);
        await waitSignal(comm, [{ peer: comm.rank }]);
        const all = async (one: (peer: number) => Promise<void>): Promise<number> =>
          launchesOf(comm, async () =>
            group(comm, async () => {
              for (const peer of peers) await one(peer);
            }),
          );
        const launches = [
          await all(async (peer) => put(comm, at, peer)),
          await all(async (peer) => waitSignal(comm, [{ peer }])),
        ];
        const got = await at.to.read();
        return { launches, got: peers.map((peer) => got[16 * peer]) };
      },
      lsaSize,
    );
  }

  test('share one launch if their locations are evenly spaced', async () => {
    const ranks = await putAll(async (comm, { from, to }, peer) =>
      putSignal(comm, from.symPtr(8 * peer), 5, peer, to.symPtr(64 * comm.rank)),
    );
    for (const [rank, { launches, got }] of ranks.entries()) {
      expect(launches).toEqual([1, 1]);
      expect(got).toEqual(peers.map((peer) => 100 * peer + 2 * rank));
    }
  });

  test('take one launch for each location otherwise', async () => {
    // From 0, 1, 5 and 6, and never two for the same rank in one launch.
    const ranks = await putAll(async (comm, { from, to }, peer) => {
      await putSignal(comm, from.symPtr(4 * (peer + (peer < 2 ? 0 : 3))), 1, peer, to.symPtr(64 * comm.rank));
      if (peer === 3) await signal(comm, peer);
    });
    for (const [rank, { launches, got }] of ranks.entries()) {
      expect(launches).toEqual([3, 1]);
      expect(got).toEqual(peers.map((peer) => 100 * peer + rank + (rank < 2 ? 0 : 3)));
    }
  });

  test('share one launch if they only signal', async () => {
    const ranks = await putAll(async (comm, _at, peer) => signal(comm, peer));
    for (const { launches } of ranks) expect(launches).toEqual([1, 1]);
  });
});
