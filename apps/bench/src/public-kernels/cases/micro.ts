import {
  harness,
  u32,
  u64,
  type Allocation,
  type HarnessArgument,
  type Pointer,
  type RankSetup,
} from '@nccl-ts/harness';
import type { PublicKernel } from '../public-kernel.ts';

/** Words of the line that each CTA has. */
const LINE = 32;

/** Rounds of a launch whose difference is the time of a round. */
const [FEW, MANY] = [1, 9];
/** The same for rounds of a fraction of a microsecond. */
const MORE = 65;

interface Shape {
  readonly grid: number;
  readonly block: number;
  readonly cluster?: number;
  readonly programmatic?: boolean;
}

type Arguments = (setup: RankSetup, rounds: number, shape: Shape) => readonly HarnessArgument[];

/** `bytes` of these cases is the number of rounds of a launch. */
function micro(entry: string, sizes: readonly number[], shape: Shape, args: Arguments): PublicKernel {
  const { grid, block, cluster, programmatic } = shape;
  const how = `${programmatic === true ? '-programmatic' : ''}${cluster === undefined ? '' : `-of-${cluster}`}`;
  return {
    name: `micro-${entry}-${grid}x${block}${how}`,
    source: `micro-kernels.cu: ${entry}`,
    sizes,
    harness: (rounds) =>
      harness({
        kernel: 'micro-kernels.ptx',
        entry,
        ranks: 2,
        ...shape,
        launches: 1,
        setup: (setup) => ({ args: args(setup, rounds, shape) }),
      }),
  };
}

/** The flags of a rank's CTAs, those of its peer, and its counters of launches. */
function flagsOf(
  { rank, alloc, peer }: RankSetup,
  grid: number,
): readonly [Allocation<number>, Pointer, Allocation<number>] {
  const mine = alloc('flags', u32, grid * LINE, () => 0);
  return [mine, peer(mine, 1 - rank), alloc('turns', u32, grid * LINE, () => 0)];
}

const flags = (entry: string, shape: Shape): PublicKernel =>
  micro(entry, [FEW], shape, (setup) => flagsOf(setup, shape.grid));

/** Additions before an exchange: steps of about a tenth of a microsecond. */
const DELAYS = Array.from({ length: 13 }, (_, i) => 1 + 20 * i);

const delayed = (entry: string, grid: number): PublicKernel =>
  micro(entry, DELAYS, { grid, block: 128 }, (setup, count) => [...flagsOf(setup, grid), count]);

const rounds = (entry: string, grid: number, block: number): PublicKernel =>
  micro(entry, [FEW, MANY], { grid, block }, (setup, count) => {
    const data = setup.alloc('data', u32, 4 * grid * block, () => 0);
    return [...flagsOf(setup, grid), data, setup.peer(data, 1 - setup.rank), count];
  });

const swaps = (entry: string, grid: number): PublicKernel =>
  micro(entry, [FEW, MANY], { grid, block: 1024 }, ({ rank, alloc, peers }, count) => [
    ...peers(alloc('pads', u32, grid * LINE, () => 0)),
    rank,
    count,
  ]);

const clusters = (entry: string, grid: number, block: number, cluster: number): PublicKernel =>
  micro(entry, [FEW, MORE], { grid, block, cluster }, ({ alloc }, count) => [alloc('out', u32, grid), count]);

const packets = (entry: string, grid: number): PublicKernel =>
  micro(entry, [16, 128], { grid, block: 512 }, ({ rank, alloc, peer }, count) => {
    const from = alloc('from', u32, count * LINE * grid, (i) => i);
    const inbox = alloc('inbox', u64, count * LINE * grid);
    return [from, peer(inbox, 1 - rank), count, 1];
  });

const shapes = [
  { grid: 1, block: 32 },
  { grid: 1, block: 512 },
  { grid: 16, block: 1024 },
  { grid: 132, block: 512 },
] as const;

/**
 * The launches of micro-kernels.cu, which separate what published kernels do in one launch. The
 * sizes of a table of them are numbers of rounds.
 */
export const microKernels: readonly PublicKernel[] = [
  ...shapes.flatMap((shape) => [
    flags('flagsPlain', shape),
    flags('flagsPlain', { ...shape, programmatic: true }),
    flags('flagsEarly', shape),
    flags('flagsLate', shape),
  ]),
  ...[8, 36, 64].map((grid) => flags('flagsPlain', { grid, block: 512 })),
  ...[2, 8].map((cluster) => flags('flagsPlain', { grid: 16, block: 128, cluster })),
  flags('flagsPlain', { grid: 16, block: 128 }),
  flags('flagsLate', { grid: 16, block: 128 }),
  flags('flagsLate', { grid: 16, block: 128, cluster: 8 }),
  ...['delayedPlain', 'delayedEarly', 'delayedLate', 'alonePlain', 'aloneEarly'].flatMap((entry) =>
    [1, 16].map((grid) => delayed(entry, grid)),
  ),
  ...['relaxed', 'release', 'add', 'fence'].flatMap((signal) => {
    const before =
      signal === 'relaxed' ? ['Nothing'] : signal === 'fence' ? ['Nothing', 'Peer'] : ['Nothing', 'Own', 'Peer'];
    return before.flatMap((what) => [1, 8, 64].map((grid) => rounds(`${signal}After${what}`, grid, 1024)));
  }),
  ...[1, 24].flatMap((grid) => [swaps('swapsOrdered', grid), swaps('swapsRelaxed', grid)]),
  ...(
    [
      [2, 128],
      [4, 128],
      [8, 128],
      [8, 512],
    ] as const
  ).map(([cluster, block]) => clusters('clusterBarriers', 8, block, cluster)),
  clusters('clusterBarriers', 128, 128, 8),
  clusters('clusterReads', 8, 128, 8),
  ...['packetsRolled', 'packetsUnrolled'].flatMap((entry) => [packets(entry, 1), packets(entry, 4)]),
];
