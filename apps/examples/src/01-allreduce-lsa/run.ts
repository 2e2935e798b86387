import { World } from '@nccl-ts/communicator';
import { f32 } from '@nccl-ts/kernel';
import type { Backend } from '@nccl-ts/transport';
import { allReduceKernel } from './all-reduce-kernel.ts';

/** As in NCCL's example: one barrier for each CTA. */
const CTAS = 16;
const THREADS_PER_CTA = 512;

export interface AllReduceOptions {
  readonly backend: Backend;
  readonly ranks: number;
  /** Floats on each rank. */
  readonly count: number;
  readonly print: (line: string) => void;
}

/**
 * NCCL's example 06_device_api/01_allreduce_lsa: every rank fills a buffer with its number, and a kernel sums the buffers
 * of all ranks. Prints what NCCL's prints.
 *
 * @returns whether every element on every rank is the sum.
 */
export async function runAllReduce({ backend, ranks, count, print }: AllReduceOptions): Promise<boolean> {
  print('Starting Device API AllReduce initialization');
  await using world = await World.open({ backend });
  const each = (line: (rank: number) => string): void => {
    for (let rank = 0; rank < ranks; rank++) print(`  ${line(rank)}`);
  };
  each((rank) => `Rank ${rank} using GPU device ${rank}`);
  each((rank) => `Rank ${rank} initialized NCCL communicator for ${ranks} total ranks`);

  const windows = await world.run(async (comm) => {
    const sendWin = await comm.allocWindow(f32, count);
    const recvWin = await comm.allocWindow(f32, count);
    if (sendWin === null || recvWin === null) throw new Error('symmetric memory is not supported here');
    await sendWin.write(new Float32Array(count).fill(comm.rank));
    return { sendWin, recvWin };
  });
  each((rank) => `Rank ${rank} initialized data with value ${rank}`);

  const devComms = await world.run(async (comm) => comm.createDevComm({ lsaBarrierCount: CTAS }));
  each((rank) => `Rank ${rank} created device communicator with ${CTAS} LSA barriers`);

  const expected = (ranks * (ranks - 1)) / 2;
  print(`Starting AllReduce with ${count} elements (${(count * 4) / (1 << 20)} MB) using Device API`);
  print(`Expected result: sum of ranks 0 to ${ranks - 1} = ${expected} per element`);

  const right = await world.run(async (comm) => {
    const windowsHere = windows[comm.rank];
    const devComm = devComms[comm.rank];
    if (windowsHere === undefined || devComm === undefined) return false;
    const { sendWin, recvWin } = windowsHere;
    const args = { sendWin, sendOffset: 0, recvWin, recvOffset: 0, count, comm: devComm };
    await comm.launch(allReduceKernel, { grid: CTAS, block: THREADS_PER_CTA }, args);
    const result = await recvWin.read();
    return result.every((value) => Number(value) === expected);
  });
  each((rank) => `Rank ${rank} completed AllReduce kernel execution`);

  const passed = right.every(Boolean);
  print(`AllReduce completed. Result verification: ${passed ? 'PASSED' : 'FAILED'}`);
  if (passed) print(`All elements correctly sum to ${expected} (ranks 0-${ranks - 1})`);
  return passed;
}
