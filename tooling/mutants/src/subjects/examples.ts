import { World, type Communicator } from '@nccl-ts/communicator';
import * as allToAll from '@nccl-ts/examples/kernels/all-to-all.ts';
import * as dotProduct from '@nccl-ts/examples/kernels/dot-product.ts';
import * as ringAllReduce from '@nccl-ts/examples/kernels/ring-all-reduce.ts';
import {
  allReduceKernel,
  eachRound,
  roundsIn,
  runAllReduceMulticast,
  runAllToAllGin,
  runAllToAllHybrid,
  runAllToAllLsa,
  runMoe,
  runRmsNorm,
  sumGradients,
  type ExampleOptions,
} from '@nccl-ts/examples/programs';
import { f32 } from '@nccl-ts/kernel';
import type { RankShape, Subject } from '../subject.ts';

/**
 * The CTAs and threads of the small and the tiny form, and the number of elements that gives work
 * to every thread of a CTA. There is more than one warp, so that a synchronization of a CTA is more
 * than one of its warps.
 */
const small = { ctas: 2, threads: 64, count: 70 } as const;
const tiny = { ctas: 2, threads: 2, count: 3 } as const;

type ExampleSize = typeof small | typeof tiny;

const near: RankShape = { ranks: 2, lsaSize: 2 };
const far: RankShape = { ranks: 2, lsaSize: 1 };
const both: RankShape = { ranks: 4, lsaSize: 2 };

function subject(
  name: string,
  shape: RankShape,
  run: (options: ExampleOptions, size: ExampleSize, rounds: number) => Promise<boolean>,
  rounds = 2,
): Subject {
  const sized =
    (size: ExampleSize, times: number): Subject['run'] =>
    async (backend, pause) =>
      run({ backend, pause, print: () => undefined }, size, times);
  return {
    name: `examples/${name}`,
    shape,
    run: sized(small, rounds),
    tiny: { shape, run: sized(tiny, Math.min(rounds, 2)) },
  };
}

/** Compares the results of each rank's host with the expected ones. */
async function eachRank(
  { backend, pause }: ExampleOptions,
  program: (comm: Communicator, pause: () => Promise<void>) => Promise<boolean>,
): Promise<boolean> {
  await using world = await World.open({ backend });
  const right = await world.run(async (comm) => program(comm, async () => pause?.()));
  return right.every(Boolean);
}

/**
 * The kernel's first barrier is relaxed, so it does not make data visible. So the host ensures
 * before each step that all ranks have written the summed data.
 */
async function runAllReduce(options: ExampleOptions, { ctas, threads }: ExampleSize, rounds: number): Promise<boolean> {
  await using world = await World.open({ backend: options.backend });
  const count = ctas * threads * world.nRanks + 1;
  const made = await world.run(async (comm) => ({
    sendWin: await comm.allocWindow(f32, count),
    recvWin: await comm.allocWindow(f32, count),
    devComm: await comm.createDevComm({ lsaBarrierCount: ctas }),
  }));
  for (let round = 0; round < rounds; round++) {
    await world.run(async ({ rank }) => made[rank]?.sendWin.write(numbersOf(rank, round, count)));
    const got = await world.run(async (comm) => {
      const own = made[comm.rank];
      if (own === undefined) throw new RangeError(`rank ${comm.rank} made nothing`);
      const { sendWin, recvWin, devComm } = own;
      await options.pause?.();
      const args = { sendWin, sendOffset: 0, recvWin, recvOffset: 0, count, comm: devComm };
      await comm.launch(allReduceKernel, { grid: ctas, block: threads }, args);
      return recvWin.read();
    });
    const expected = sumOf(round, world.nRanks, count);
    if (!got.every((sums) => expected.every((sum, i) => sums[i] === sum))) return false;
  }
  return true;
}

/** In each round a kernel writes other numbers, so only the kernel synchronizes the ranks. */
async function runSumGradients(
  options: ExampleOptions,
  { ctas, threads }: ExampleSize,
  rounds: number,
): Promise<boolean> {
  return eachRank(options, async (comm, pause) => {
    const count = ctas * threads * comm.nRanks + 1;
    const win = await comm.allocWindow(f32, count);
    const given = roundsIn(comm, await comm.allocWindow(f32, rounds * count), count);
    const kept = roundsIn(comm, await comm.allocWindow(f32, rounds * count), count);
    const devComm = await comm.createDevComm({ lsaBarrierCount: ctas });
    await given.all.write(eachRound(rounds, (round) => numbersOf(comm.rank, round, count)));
    for (let round = 0; round < rounds; round++) {
      await pause();
      await given.give(round, win);
      await comm.launch(sumGradients, { grid: ctas, block: threads }, { comm: devComm, win, count });
      await kept.keep(round, win);
    }
    const got = await kept.all.read();
    return eachRound(rounds, (round) => sumOf(round, comm.nRanks, count)).every((sum, i) => got[i] === sum);
  });
}

function numbersOf(rank: number, round: number, count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => (rank + 1) * 1000 + round * 100 + (i % 64));
}

function sumOf(round: number, ranks: number, count: number): Float32Array {
  const all = Array.from({ length: ranks }, (_, rank) => numbersOf(rank, round, count));
  return Float32Array.from({ length: count }, (_, i) => all.reduce((sum, numbers) => sum + (numbers[i] ?? 0), 0));
}

async function runRing(options: ExampleOptions, { ctas, threads }: ExampleSize): Promise<boolean> {
  return eachRank(options, async (comm) => {
    const sums = await ringAllReduce.host(comm, { grid: ctas, block: threads });
    const all = (comm.nRanks * (comm.nRanks - 1)) / 2;
    return sums.every((sum, i) => sum === Math.fround(i * all));
  });
}

async function runAllToAll(options: ExampleOptions, { ctas, threads }: ExampleSize): Promise<boolean> {
  return eachRank(options, async (comm) => {
    const chunks = await allToAll.host(comm, { grid: ctas, block: threads });
    const count = chunks.length / comm.nRanks;
    return chunks.every((got, i) => got === 10 * Math.floor(i / count) + comm.rank);
  });
}

async function runDotProduct(options: ExampleOptions, { ctas, threads }: ExampleSize): Promise<boolean> {
  return eachRank(options, async (comm) => {
    const count = 100 * comm.nRanks;
    const products = await dotProduct.host(comm, { grid: ctas, block: threads });
    return products.every((product, cta) => product === ((cta + 1) * count * (count - 1)) / 2);
  });
}

/** The examples, as small as possible with every synchronisation. */
export const exampleSubjects: readonly Subject[] = [
  subject('01-allreduce-lsa', near, runAllReduce),
  subject('02-digits', near, runSumGradients),
  subject('03-alltoall-gin', far, async (options, size, rounds) => runAllToAllGin({ ...options, ...size, rounds })),
  subject('04-alltoall-hybrid', both, async (options, size, rounds) =>
    runAllToAllHybrid({ ...options, ...size, rounds }),
  ),
  ...(['lsa', 'multimem', 'gin', 'hybrid'] as const).map((form) =>
    subject(
      `05-rmsnorm-${form}`,
      form === 'gin' ? far : form === 'hybrid' ? both : near,
      async (options, { ctas, threads, count }, rounds) =>
        runRmsNorm({ ...options, form, tokensPerRank: ctas, hidden: count, threads, rounds }),
    ),
  ),
  ...(['one-shot', 'two-shot', 'two-shot-sentinel'] as const).map((algorithm) =>
    subject(
      `06-allreduce-${algorithm}`,
      near,
      async (options, size, rounds) =>
        runAllReduceMulticast({ ...options, ...size, algorithm, linesPerRank: 2 * size.count, rounds }),
      5,
    ),
  ),
  ...(['simple', 'sentinel'] as const).map((algorithm) =>
    subject(
      `07-alltoall-lsa-${algorithm}`,
      near,
      async (options, { ctas, threads, count }, rounds) =>
        // Whole warps.
        runAllToAllLsa({ ...options, algorithm, lines: count, rounds, ctas, threads: Math.max(threads, 32) }),
      5,
    ),
  ),
  subject('08-moe', both, async (options, { threads, count }, rounds) =>
    runMoe({ ...options, tokens: 2, topK: 2, hidden: count, perRank: 1, rounds, threads }),
  ),
  subject('kernels/ring-all-reduce', near, runRing),
  subject('kernels/all-to-all', near, runAllToAll),
  subject('kernels/dot-product', near, runDotProduct),
];
