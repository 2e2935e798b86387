import { World, type Communicator } from '@nccl-ts/communicator';
import * as allToAll from '@nccl-ts/examples/kernels/all-to-all.ts';
import * as dotProduct from '@nccl-ts/examples/kernels/dot-product.ts';
import * as ringAllReduce from '@nccl-ts/examples/kernels/ring-all-reduce.ts';
import {
  allReduceKernel,
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
import type { Shape, Subject } from '../subject.ts';

/** CTAs and threads of the small and of the tiny form. More than one warp: a meeting of a CTA is more than one of its warps. */
const small = { ctas: 2, threads: 64 } as const;
const tiny = { ctas: 2, threads: 2 } as const;

type Size = typeof small | typeof tiny;

const near: Shape = { ranks: 2, lsaSize: 2 };
const far: Shape = { ranks: 2, lsaSize: 1 };
const both: Shape = { ranks: 4, lsaSize: 2 };

function subject(
  name: string,
  shape: Shape,
  run: (options: ExampleOptions, size: Size, rounds: number) => Promise<boolean>,
  rounds = 2,
): Subject {
  const sized =
    (size: Size, times: number): Subject['run'] =>
    async (backend, pause) =>
      run({ backend, pause, print: () => undefined }, size, times);
  return {
    name: `examples/${name}`,
    shape,
    run: sized(small, rounds),
    tiny: { shape, run: sized(tiny, Math.min(rounds, 2)) },
  };
}

/** What each rank's host computes, held against what it should. */
async function eachRank(
  { backend, pause }: ExampleOptions,
  program: (comm: Communicator, pause: () => Promise<void>) => Promise<boolean>,
): Promise<boolean> {
  await using world = await World.open({ backend });
  const right = await world.run(async (comm) => program(comm, async () => pause?.()));
  return right.every(Boolean);
}

function allSame(numbers: ArrayLike<number>, expected: number): boolean {
  return Array.from(numbers).every((number) => number === expected);
}

/** What each kernel launched is written next, so that nothing but the kernel holds the ranks together. */
async function runAllReduce(options: ExampleOptions, { ctas, threads }: Size, rounds: number): Promise<boolean> {
  return eachRank(options, async (comm, pause) => {
    const count = 5;
    const windows = [await comm.allocWindow(f32, count), await comm.allocWindow(f32, count)] as const;
    await windows[0].write(new Float32Array(count).fill(comm.rank + 1));
    const devComm = await comm.createDevComm({ lsaBarrierCount: ctas });
    for (let round = 0; round < rounds; round++) {
      await pause();
      const [sendWin, recvWin] = round % 2 === 0 ? windows : [windows[1], windows[0]];
      const args = { sendWin, sendOffset: 0, recvWin, recvOffset: 0, count, comm: devComm };
      await comm.launch(allReduceKernel, { grid: ctas, block: threads }, args);
    }
    const { nRanks } = comm;
    const expected = ((nRanks * (nRanks + 1)) / 2) * nRanks ** (rounds - 1);
    return allSame(await windows[rounds % 2 === 0 ? 0 : 1].read(), expected);
  });
}

async function runSumGradients(options: ExampleOptions, { ctas, threads }: Size, rounds: number): Promise<boolean> {
  return eachRank(options, async (comm, pause) => {
    const count = 5;
    const win = await comm.allocWindow(f32, count);
    await win.write(new Float32Array(count).fill(comm.rank + 1));
    const devComm = await comm.createDevComm({ lsaBarrierCount: ctas });
    for (let round = 0; round < rounds; round++) {
      await pause();
      await comm.launch(sumGradients, { grid: ctas, block: threads }, { comm: devComm, win, count });
    }
    const { nRanks } = comm;
    return allSame(await win.read(), ((nRanks * (nRanks + 1)) / 2) * nRanks ** (rounds - 1));
  });
}

async function runRing(options: ExampleOptions, { ctas, threads }: Size): Promise<boolean> {
  return eachRank(options, async (comm) => {
    const sums = await ringAllReduce.host(comm, { grid: ctas, block: threads });
    const all = (comm.nRanks * (comm.nRanks - 1)) / 2;
    return sums.every((sum, i) => sum === Math.fround(i * all));
  });
}

async function runAllToAll(options: ExampleOptions, { ctas, threads }: Size): Promise<boolean> {
  return eachRank(options, async (comm) => {
    const chunks = await allToAll.host(comm, { grid: ctas, block: threads });
    const count = chunks.length / comm.nRanks;
    return chunks.every((got, i) => got === 10 * Math.floor(i / count) + comm.rank);
  });
}

async function runDotProduct(options: ExampleOptions, { threads }: Size): Promise<boolean> {
  return eachRank(options, async (comm) => {
    const count = 100 * comm.nRanks;
    return (await dotProduct.host(comm, { block: threads })) === (count * (count - 1)) / 2;
  });
}

/** The examples, as small as keeps every synchronisation. */
export const exampleSubjects: readonly Subject[] = [
  subject('01-allreduce-lsa', near, runAllReduce),
  subject('02-digits', near, runSumGradients),
  subject('03-alltoall-gin', far, async (options, size, rounds) =>
    runAllToAllGin({ ...options, ...size, count: 3, rounds }),
  ),
  subject('04-alltoall-hybrid', both, async (options, size, rounds) =>
    runAllToAllHybrid({ ...options, ...size, count: 3, rounds }),
  ),
  ...(['lsa', 'multimem', 'gin', 'hybrid'] as const).map((form) =>
    subject(
      `05-rmsnorm-${form}`,
      form === 'gin' ? far : form === 'hybrid' ? both : near,
      async (options, { ctas, threads }, rounds) =>
        runRmsNorm({ ...options, form, tokensPerRank: ctas, hidden: 5, threads, rounds }),
    ),
  ),
  ...(['one-shot', 'two-shot', 'two-shot-sentinel'] as const).map((algorithm) =>
    subject(
      `06-allreduce-${algorithm}`,
      near,
      async (options, size, rounds) =>
        runAllReduceMulticast({ ...options, ...size, algorithm, linesPerRank: 3, rounds }),
      5,
    ),
  ),
  ...(['simple', 'sentinel'] as const).map((algorithm) =>
    subject(
      `07-alltoall-lsa-${algorithm}`,
      near,
      async (options, { ctas, threads }, rounds) =>
        // Whole warps.
        runAllToAllLsa({ ...options, algorithm, lines: 3, rounds, ctas, threads: Math.max(threads, 32) }),
      5,
    ),
  ),
  subject('08-moe', both, async (options, { threads }, rounds) =>
    runMoe({ ...options, tokens: 2, topK: 2, hidden: 3, perRank: 1, rounds, threads }),
  ),
  subject('kernels/ring-all-reduce', near, runRing),
  subject('kernels/all-to-all', near, runAllToAll),
  subject('kernels/dot-product', near, runDotProduct),
];
