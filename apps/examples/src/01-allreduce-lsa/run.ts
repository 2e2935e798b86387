import { World, type Communicator } from '@nccl-ts/communicator';
import { f32 } from '@nccl-ts/kernel';
import type { Backend } from '@nccl-ts/transport';
import { allReduceKernel } from './all-reduce-kernel.ts';

/** One barrier for each CTA, as in NCCL's example. */
const CTAS = 16;
const THREADS_PER_CTA = 512;

export interface AllReduceOptions {
  readonly backend: Backend;
  /** The number of floats on each rank. */
  readonly count: number;
  readonly print: (line: string) => void;
}

/**
 * Runs NCCL's example `06_device_api/01_allreduce_lsa`. Every rank fills a buffer with its number,
 * and a kernel sums the buffers of all ranks. Prints the output of NCCL's example.
 *
 * All ranks finish a step before the next begins, so the lines of a step appear together.
 *
 * @returns true if every element on every rank is the sum.
 */
export async function runAllReduce({ backend, count, print }: AllReduceOptions): Promise<boolean> {
  print('Starting Device API AllReduce initialization');
  await using world = await World.open({ backend });
  const { nRanks } = world;
  const printEach = (line: (rank: number) => string): void => {
    for (let rank = 0; rank < nRanks; rank++) print(`  ${line(rank)}`);
  };
  printEach((rank) => `Rank ${rank} using GPU device ${rank}`);
  printEach((rank) => `Rank ${rank} initialized NCCL communicator for ${nRanks} total ranks`);

  const buffers = await world.run(async (comm) => {
    const sendWin = await comm.allocWindow(f32, count);
    const recvWin = await comm.allocWindow(f32, count);
    await sendWin.write(new Float32Array(count).fill(comm.rank));
    return { sendWin, recvWin };
  });
  printEach((rank) => `Rank ${rank} initialized data with value ${rank}`);

  const devComms = await world.run(async (comm) => comm.createDevComm({ lsaBarrierCount: CTAS }));
  printEach((rank) => `Rank ${rank} created device communicator with ${CTAS} LSA barriers`);

  const expected = (nRanks * (nRanks - 1)) / 2;
  print(`Starting AllReduce with ${count} elements (${(count * 4) / 2 ** 20} MB) using Device API`);
  print(`Expected result: sum of ranks 0 to ${nRanks - 1} = ${expected} per element`);

  const correct = await world.run(async (comm) => {
    const { sendWin, recvWin } = own(buffers, comm);
    const args = { sendWin, sendOffset: 0, recvWin, recvOffset: 0, count, comm: own(devComms, comm) };
    await comm.launch(allReduceKernel, { grid: CTAS, block: THREADS_PER_CTA }, args);
    const result = await recvWin.read();
    return result.every((value) => value === expected);
  });
  printEach((rank) => `Rank ${rank} completed AllReduce kernel execution`);

  const passed = correct.every(Boolean);
  print(`AllReduce completed. Result verification: ${passed ? 'PASSED' : 'FAILED'}`);
  if (passed) print(`All elements correctly sum to ${expected} (ranks 0-${nRanks - 1})`);
  return passed;
}

/** The object that this rank created in an earlier step. */
function own<T>(made: readonly T[], { rank }: Communicator): T {
  const mine = made[rank];
  if (mine === undefined) throw new RangeError(`rank ${rank} made nothing`);
  return mine;
}
