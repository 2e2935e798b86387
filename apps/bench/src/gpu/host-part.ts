import { medianOf } from '@nccl-ts/core';
import { cuda } from '@nccl-ts/backend-cuda';
import { World } from '@nccl-ts/communicator';
import { f32 } from '@nccl-ts/kernel';
import type { StreamHandle } from '@nccl-ts/transport';
import { allReduceKernel } from '../kernels/all-reduce-kernel.ts';
import { bareLaunches } from './bare-launches.ts';
import {
  block,
  config,
  ctas,
  emptyKernel,
  moduleOf,
  note,
  one,
  record,
  round,
  setUp,
  synchronizeAll,
} from './bench-setup.ts';

const launches = 1000;
const rounds = 11;

/** A method of launching this many times. It is compared with `bare`. */
interface LaunchMethod {
  readonly name: string;
  readonly launches: number;
  readonly bare?: string;
  readonly round: () => Promise<void> | void;
  readonly settle: () => Promise<void>;
}

/**
 * The microseconds that launches cost the host, alternating between the variants. The first rounds
 * are shown but not counted.
 */
async function compareMethods(methods: readonly LaunchMethod[], ranks: number): Promise<void> {
  const took = new Map<string, number[]>(methods.map(({ name }) => [name, []]));
  for (let i = 0; i < rounds; i++) {
    for (const { name, launches: count, round: launchAll, settle } of i % 2 === 0 ? methods : methods.toReversed()) {
      const started = performance.now();
      await launchAll();
      took.get(name)?.push((1000 * (performance.now() - started)) / count);
      await settle();
    }
  }
  const median = (name: string): number => medianOf((took.get(name) ?? []).slice(2));
  for (const { name, launches: count, bare } of methods) {
    note({
      part: 'host',
      name,
      ranks,
      launches: count,
      medianUs: round(median(name)),
      ...(bare === undefined ? {} : { ratioToBare: round(median(name) / median(bare)) }),
      all: took.get(name)?.map(round),
    });
  }
}

/** The cost of launches for the host, with koffi alone and through the API that programs use. */
export async function hostPart(): Promise<void> {
  const setup = await setUp(1 << 20);
  const { world, streams, args } = setup;
  const ranks = streams.length;
  try {
    const empty = await world.compile(moduleOf(emptyKernel));
    const reduce = await world.compile(moduleOf(allReduceKernel));
    const small = args(1024);
    // ncclDevComm, window, offset and count, in the layout of NCCL 2.28.7 and later.
    const bareReduce = bareLaunches(world, streams, { ...config, bytes: 224 });
    const bareEmpty = bareLaunches(world, streams, { grid: one, block: one, bytes: 0 });
    const settle = async (): Promise<void> => {
      bareEmpty.synchronize();
      await synchronizeAll(setup);
    };
    const graph = record(setup, reduce, 1024, 1);
    const rotated = launches - (launches % ranks);
    const inTurn =
      (launch: (rank: number, stream: StreamHandle) => void, count = rotated) =>
      () => {
        for (let i = 0; i < count / ranks; i++) {
          for (const [rank, stream] of streams.entries()) launch(rank, stream);
        }
      };
    const { grid, block: threads } = config;
    const rotating = { launches: rotated, settle };
    await compareMethods(
      [
        { ...rotating, name: 'koffi alone, empty kernel', round: inTurn((rank) => bareEmpty.launch(rank)) },
        { ...rotating, name: "koffi alone, AllReduce's arguments", round: inTurn((rank) => bareReduce.launch(rank)) },
        {
          ...rotating,
          name: 'empty kernel',
          bare: 'koffi alone, empty kernel',
          round: inTurn((_rank, stream) => world.launch(empty, { grid: one, block: one, stream }, [])),
        },
        {
          ...rotating,
          name: 'AllReduce of 1 KiB',
          bare: "koffi alone, AllReduce's arguments",
          round: inTurn((_rank, stream) => world.launch(reduce, { grid, block: threads, stream }, small)),
        },
        {
          name: 'graph of one AllReduce on all ranks',
          launches: 200,
          settle,
          round: () => {
            for (let i = 0; i < 200; i++) world.launchGraph(graph);
          },
        },
      ],
      ranks,
    );
    await world.destroyGraph(graph);
  } finally {
    await world[Symbol.asyncDispose]();
  }
  await communicatorLaunches();
}

/** The same through the API that programs use. */
async function communicatorLaunches(): Promise<void> {
  await using world = await World.open({ backend: cuda() });
  const setups = await world.run(async (comm) => {
    const win = await comm.allocWindow(f32, 1024);
    const devComm = await comm.createDevComm({ lsaBarrierCount: ctas });
    const reduceArgs = { comm: devComm, win, offset: 0, count: 256 };
    await comm.launch(emptyKernel, { grid: 1, block: 1 }, {});
    await comm.launch(allReduceKernel, { grid: ctas, block }, reduceArgs);
    return { comm, reduceArgs };
  });
  const perRank = Math.floor(launches / setups.length);
  const settle = async (): Promise<void> => {
    await Promise.all(setups.map(async ({ comm }) => comm.synchronize()));
  };
  const way = { launches: perRank * setups.length, settle };
  await compareMethods(
    [
      {
        ...way,
        name: 'empty kernel through Communicator.launch',
        round: async () => {
          for (let i = 0; i < perRank; i++) {
            for (const { comm } of setups) await comm.launch(emptyKernel, { grid: 1, block: 1 }, {});
          }
        },
      },
      {
        ...way,
        name: 'AllReduce of 1 KiB through Communicator.launch',
        round: async () => {
          for (let i = 0; i < perRank; i++) {
            for (const { comm, reduceArgs } of setups)
              await comm.launch(allReduceKernel, { grid: ctas, block }, reduceArgs);
          }
        },
      },
    ],
    setups.length,
  );
}
