import { sim } from '@nccl-ts/backend-sim';
import { World, type Communicator } from '@nccl-ts/communicator';
import { collectiveShapes } from '@nccl-ts/core';
import { describe, expect, inject, test } from 'vitest';
import type { Algorithm } from '../src/algorithms/algorithm.ts';
import { backendShape } from '../src/backend-shape.ts';
import { KernelTable } from '../src/algorithms/kernel-table.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** The quick tests have one of 16 kernels. */
const isNow = (_: unknown, i: number): boolean => (i === 2) !== inject('slow');

// GPUs run kernels that are specialised for their number of ranks; the simulator has those for any
// number.

interface Plan {
  readonly collective: 'allReduce' | 'allGather' | 'reduceScatter' | 'allToAll';
  readonly ranks: number;
  readonly algorithm: Algorithm;
  readonly element: 'f32' | 'bf16';
  readonly counts: readonly number[];
  readonly ctas: number;
  readonly threads: number;
  /** True to test a single call. @default false */
  readonly inPlace?: boolean;
}

const table = new KernelTable();

function valueOf(rank: number, i: number): number {
  return ((i * 7 + rank * 3) % 13) - 6;
}

/** Element `i` of the data that `rank` receives. */
function expected({ collective, ranks }: Plan, rank: number, count: number, i: number): number {
  if (collective === 'allGather') return valueOf(Math.floor(i / count), i % count);
  if (collective === 'allToAll') return valueOf(Math.floor(i / count), rank * count + (i % count));
  let sum = 0;
  for (let from = 0; from < ranks; from++) sum += valueOf(from, collective === 'allReduce' ? i : rank * count + i);
  return sum;
}

/** The number of calls with wrong results. */
async function wrongOn(comm: Communicator, plan: Plan): Promise<number> {
  const { collective, ranks, algorithm, element, counts, ctas, threads, inPlace = false } = plan;
  const shape = { ...backendShape({ backend: 'sim', nRanks: ranks }), knownRanks: [ranks], packs: 4, wholeLines: true };
  const kernels = table.get({
    collective,
    algorithm,
    element,
    op: collectiveShapes[collective].reduces ? 'sum' : undefined,
    wide: false,
    lsaSize: ranks,
    shape,
  });
  const most = ranks * Math.max(...counts);
  const [send, recv] = [await comm.allocWindow(element, most), await comm.allocWindow(element, most)];
  await send.write(bytesOf(element, most, (i) => valueOf(comm.rank, i)));
  let wrong = 0;
  for (const count of counts) {
    const call = { send: send.symPtr(), recv: (inPlace ? send : recv).symPtr(), count, root: 0, scale: 1 };
    await kernels.launch(comm, { grid: ctas, block: threads }, [call]);
    await comm.synchronize();
    const received = collectiveShapes[collective].recv === 'each' ? count * ranks : count;
    const right = bytesOf(element, received, (i) => expected(plan, comm.rank, count, i));
    const found = await (inPlace ? send : recv).read(new Uint8Array(right.length));
    if (right.some((byte, i) => found[i] !== byte)) wrong++;
  }
  return wrong;
}

/** Small integers, which both types can represent. */
function bytesOf(element: Plan['element'], count: number, value: (i: number) => number): Uint8Array {
  const words = new Uint32Array(Float32Array.from({ length: count }, (_, i) => value(i)).buffer);
  return new Uint8Array(element === 'f32' ? words.buffer : Uint16Array.from(words, (word) => word >>> 16).buffer);
}

const ways = [
  ...(['twoShot', 'oneShot', 'chunked', 'll', 'll128', 'sentinel', 'ring'] as const).map(
    (algorithm) => ['allReduce', algorithm] as const,
  ),
  ...(['allGather', 'reduceScatter', 'allToAll'] as const).flatMap((collective) =>
    (['direct', 'll', 'll128'] as const).map((algorithm) => [collective, algorithm] as const),
  ),
];
// Eight ranks have their own kernels if they send words to each other.
const eight = ways.filter(([collective, algorithm]) => collective === 'allReduce' && algorithm !== 'ring');
/** With NCCLTS_EVERY_CASE set, both types for each way; otherwise one of them, in turns. */
const everyCase = inject('everyCase');
const elementsOf = (ranks: number, way: number): readonly Plan['element'][] => {
  if (ranks === 8) return ['bf16'];
  if (everyCase) return ['f32', 'bf16'];
  return [(way + ranks / 2) % 2 === 0 ? 'f32' : 'bf16'];
};
const plans = [2, 4, 8].flatMap((ranks) =>
  (ranks === 8 ? eight : ways).flatMap(([collective, algorithm], way) =>
    elementsOf(ranks, way).map((element): Plan => ({
      collective,
      ranks,
      algorithm,
      element,
      counts: [1, 77, 2053, 5, 700],
      ctas: 2,
      threads: 64,
    })),
  ),
);
const titled = plans.map(
  (plan) => [`${plan.collective} by ${plan.algorithm} of ${plan.element} on ${plan.ranks} ranks`, plan] as const,
);

describe('kernels for a known number of ranks', () => {
  test.each(titled.filter(isNow))('the kernel %s computes the right result', async (_title, plan) => {
    await using world = await World.open({ backend: sim({ ranks: plan.ranks }) });
    expect(await world.run(async (comm) => wrongOn(comm, plan))).toEqual(Array.from({ length: plan.ranks }, () => 0));
  });

  // More elements than two CTAs can hold in a turn, so that they take several turns.
  test.each((['f32', 'bf16'] as const).filter(isNow))(
    'sentinels of %s pass check mode without findings',
    { timeout: 60_000 },
    async (element) => {
      const backend = sim({ ranks: 4, mode: 'check', seed: 1 });
      const plan: Plan = {
        collective: 'allReduce',
        ranks: 4,
        algorithm: 'sentinel',
        element,
        counts: [77, 2053, 6000, 5],
        ctas: 2,
        threads: 32,
      };
      {
        await using world = await World.open({ backend });
        expect(await world.run(async (comm) => wrongOn(comm, plan))).toEqual([0, 0, 0, 0]);
      }
      expect(backend.report().verdict).toBe('clean');
    },
  );

  test.each((['random', 'late'] as const).filter(isNow))(
    "in place, no CTA touches another's share: %s",
    async (strategy) => {
      const backend = sim({ ranks: 2, mode: 'check', strategy, seed: 1 });
      const shape = { collective: 'allReduce', algorithm: 'sentinel', element: 'f32' } as const;
      {
        await using world = await World.open({ backend });
        const plan: Plan = { ...shape, ranks: 2, counts: [1103], ctas: 2, threads: 64, inPlace: true };
        expect(await world.run(async (comm) => wrongOn(comm, plan))).toEqual([0, 0]);
      }
      expect(backend.report().verdict).toBe('clean');
    },
  );

  // Most threads have no word in the second call, so only the synchronization of their CTA orders
  // the first call before the third.
  test.for(slow)('in a group, a short call between two long ones passes check mode', { timeout: 60_000 }, async () => {
    const backend = sim({ ranks: 2, mode: 'check', strategy: 'late', seed: 1 });
    {
      await using world = await World.open({ backend });
      await world.run(async (comm) => {
        const shape = { ...backendShape({ backend: 'sim', nRanks: 2 }), knownRanks: [2], packs: 4 };
        const key = { collective: 'allReduce', algorithm: 'sentinel', element: 'f32', op: 'sum' } as const;
        const kernels = table.get({ ...key, wide: false, lsaSize: 2, shape });
        const call = async (count: number) => {
          const window = await comm.allocWindow('f32', count);
          return { send: window.symPtr(), recv: window.symPtr(), count, root: 0, scale: 1 };
        };
        const [first, second, third] = [await call(300), await call(3), await call(300)];
        const size = { grid: 1, block: 64 } as const;
        await kernels.launch(comm, size, [first, second, third]);
        await comm.synchronize();
      });
    }
    expect(backend.report().verdict).toBe('clean');
  });
});
