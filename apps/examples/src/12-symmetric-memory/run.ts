import { allGather, allReduce } from '@nccl-ts/collectives';
import { World, type Window } from '@nccl-ts/communicator';
import { RedOp } from '@nccl-ts/core';
import { f32 } from '@nccl-ts/kernel';
import { WindowFlags } from '@nccl-ts/window';
import { own, type ExampleOptions } from '../example.ts';
import { allAre, megabytes, ownNumber, printRanks, printResults, sumOfRanks } from '../host-steps.ts';

export interface SymmetricMemoryOptions extends ExampleOptions {
  /** The number of floats that each rank sends. */
  readonly count: number;
}

const flags = WindowFlags.CollSymmetric;

/** The common beginning of both examples. */
function begin(name: string, nRanks: number, print: (line: string) => void): void {
  print(`Starting ${name} example with ${nRanks} ranks`);
  printRanks(nRanks, print, (rank) => `Rank ${rank} communicator initialized using device ${rank}`);
  print('Symmetric Memory allocation');
}

/** A rank's source and destination. */
interface Windows {
  readonly send: Window;
  readonly recv: Window;
}

/** The common end of both examples. */
async function end(world: World, windows: readonly Windows[], print: (line: string) => void): Promise<void> {
  await world.run(async (comm) => {
    const { send, recv } = own(windows, comm);
    for (const window of [send, recv]) await window.deregister();
  });
  printRanks(world.nRanks, print, (rank) => `Rank ${rank} symmetric memory windows deregistered`);
  await world.close();
  print('All resources cleaned up successfully');
}

/**
 * Runs NCCL's example `05_symmetric_memory/01_allreduce`. One call allocates memory and registers
 * it as a symmetric window. Prints the output of NCCL's example.
 *
 * @returns true if every element on every rank is the sum.
 */
export async function runSymmetricAllReduce({ backend, count, print }: SymmetricMemoryOptions): Promise<boolean> {
  const world = await World.open({ backend });
  await using _ = world;
  const { nRanks } = world;
  begin('AllReduce', nRanks, print);
  const size = megabytes(count).toFixed(2);
  printRanks(nRanks, print, (rank) => `Rank ${rank} allocating ${size} MB per buffer`);
  const windows = await world.run(async (comm) => {
    const send = await comm.allocWindow(f32, count, { flags });
    const recv = await comm.allocWindow(f32, count, { flags });
    await send.write(ownNumber(comm, count));
    return { send, recv };
  });
  printRanks(nRanks, print, (rank) => `Rank ${rank} data initialized (value: ${rank})`);

  print(`Starting AllReduce with ${count} elements (${Math.floor(megabytes(count))} MB)`);
  await world.run(async (comm) => {
    const { send, recv } = own(windows, comm);
    await allReduce(comm, send, recv, count, RedOp.Sum);
  });
  print('AllReduce completed successfully');
  const results = await world.run(async (comm) => own(windows, comm).recv.read());
  const right = printResults(results, sumOfRanks(nRanks), print);

  await end(world, windows, print);
  print('Example completed - demonstrated symmetric memory lifecycle');
  return right;
}

/**
 * Runs NCCL's example `05_symmetric_memory/02_allgather`. Every rank ends with the data of all
 * ranks. In NCCL the GPU's copy engines make the copies. Here a kernel makes them, on every
 * backend. Prints the output of NCCL's example, except for the copy engine.
 *
 * @returns true if every segment on every rank is its sender's number.
 */
export async function runSymmetricAllGather({ backend, count, print }: SymmetricMemoryOptions): Promise<boolean> {
  const world = await World.open({ backend });
  await using _ = world;
  const { nRanks } = world;
  begin('AllGather', nRanks, print);
  const [sends, receives] = [megabytes(count).toFixed(2), megabytes(count * nRanks).toFixed(2)];
  const allocating = (rank: number): string =>
    `Rank ${rank} allocating ${sends} MB send buffer, ${receives} MB recv buffer`;
  printRanks(nRanks, print, allocating);
  const windows = await world.run(async (comm) => {
    const send = await comm.allocWindow(f32, count, { flags });
    const recv = await comm.allocWindow(f32, count * nRanks, { flags });
    await send.write(ownNumber(comm, count));
    return { send, recv };
  });
  printRanks(nRanks, print, (rank) => `Rank ${rank} data initialized (value: ${rank})`);

  print(`Starting AllGather with ${count} elements per rank (${Math.floor(megabytes(count * nRanks))} MB total)`);
  await world.run(async (comm) => {
    const { send, recv } = own(windows, comm);
    await allGather(comm, send, recv, count);
  });
  print('AllGather completed successfully');
  const results = await world.run(async (comm) => own(windows, comm).recv.read());
  const segment = (result: Float32Array, rank: number): Float32Array =>
    result.subarray(rank * count, (rank + 1) * count);
  for (let rank = 0; rank < nRanks; rank++) {
    const got = results[0]?.[rank * count];
    print(`Verification - Segment ${rank}: Expected: ${rank.toFixed(1)}, Got: ${got?.toFixed(1)}`);
  }
  const right = results.every((result) =>
    windows.every((_window, rank) => allAre(segment(result, rank), rank) === undefined),
  );
  print(right ? 'Results verified correctly' : 'Results verification failed');

  await end(world, windows, print);
  print('Example completed - demonstrated symmetric memory allgather');
  return right;
}
