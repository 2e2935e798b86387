import { World, type Communicator } from '@nccl-ts/communicator';
import { sentinels } from '@nccl-ts/examples/programs';
import { f32, u32 } from '@nccl-ts/kernel';
import type { Subject } from '../subject.ts';
import { sentinelTurnsKernels } from './sentinel-turns-kernel.ts';

type Algorithm = keyof typeof sentinelTurnsKernels;

interface TurnSize {
  readonly ctas: number;
  readonly threads: number;
  /** The number of 16-byte lines for each rank. */
  readonly part: number;
}

/** Each buffer has its turn twice. */
const ROUNDS = 6;

function runWith(algorithm: Algorithm, { ctas, threads, part }: TurnSize): Subject['run'] {
  return async (backend, pause) => {
    await using world = await World.open({ backend });
    const right = await world.run(async (comm) => {
      const words = 4 * part * comm.teamLsa().nRanks;
      const given = await comm.allocWindow(f32, ROUNDS * words);
      const kept = await comm.allocWindow(f32, ROUNDS * words);
      const send = await comm.allocWindow(u32, words);
      const a = await comm.allocWindow(u32, words);
      const b = await comm.allocWindow(u32, words);
      const c = await comm.allocWindow(u32, words);
      const devComm = await comm.createDevComm({ lsaBarrierCount: ctas, lsaMultimem: algorithm === 'all-reduce' });
      await given.write(Float32Array.from({ length: ROUNDS * words }, (_, i) => numberOf(comm.rank, i)));
      for (const buffer of [a, b, c]) await buffer.write(sentinels(words));
      await pause();
      const args = { given, send, a, b, c, kept, part, rounds: ROUNDS, comm: devComm };
      await comm.launch(sentinelTurnsKernels[algorithm], { grid: ctas, block: threads }, args);
      return (await kept.read()).every((got, i) => got === expected(algorithm, comm, i, part));
    });
    return right.every(Boolean);
  };
}

/** The value that a rank contributes as word `i` of all rounds: a different one in each round. */
function numberOf(rank: number, i: number): number {
  return 10_000 * (rank + 1) + i;
}

function expected(algorithm: Algorithm, comm: Communicator, i: number, part: number): number {
  const { nRanks } = comm.teamLsa();
  if (algorithm === 'all-reduce') {
    return Array.from({ length: nRanks }, (_, rank) => numberOf(rank, i)).reduce((sum, number) => sum + number, 0);
  }
  const chunk = Math.floor(i / (4 * part));
  return numberOf(chunk % nRanks, i + (comm.rank - (chunk % nRanks)) * 4 * part);
}

const names = {
  'all-reduce': '06-allreduce-two-shot-sentinel-turns',
  'all-to-all': '07-alltoall-lsa-sentinel-turns',
} as const;

const shape = { ranks: 2, lsaSize: 2 } as const;

/**
 * The turns of the two examples whose data signals its own arrival, in one kernel, so that no end
 * of a kernel orders them.
 */
export const sentinelTurns: readonly Subject[] = (['all-reduce', 'all-to-all'] as const).map((algorithm) => ({
  name: `examples/${names[algorithm]}`,
  shape,
  run: runWith(algorithm, { ctas: 2, threads: 64, part: 70 }),
  // Whole warps.
  tiny: { shape, run: runWith(algorithm, { ctas: 2, threads: 32, part: 3 }) },
}));
