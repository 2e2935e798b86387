import { group, recv, send } from '@nccl-ts/collectives';
import { World } from '@nccl-ts/communicator';
import { f32 } from '@nccl-ts/kernel';
import { own, type ExampleOptions } from '../example.ts';
import { allAre, ownNumber, printRanks } from '../host-steps.ts';

export interface PointToPointExampleOptions extends ExampleOptions {
  /** The number of floats that each rank sends. */
  readonly count: number;
}

/**
 * Runs NCCL's example `02_point_to_point/01_ring_pattern`. Every rank sends its number to the next
 * rank, and receives the number of the previous one. Both calls are in one group, because all ranks
 * would wait forever if each first sent and then received. Prints the output of NCCL's example,
 * except for its data structures.
 *
 * @returns true if every rank has received the expected data.
 */
export async function runPointToPoint({ backend, count, print }: PointToPointExampleOptions): Promise<boolean> {
  print('Starting NCCL ring communication example');
  print('Initializing NCCL communicators');
  const world = await World.open({ backend });
  await using _ = world;
  const { nRanks } = world;
  print(`Using ${nRanks} GPUs for ring communication`);
  print('All communicators initialized successfully');
  print('Verifying communicator setup');
  printRanks(nRanks, print, (rank) => `GPU ${rank} -> NCCL rank ${world.comm(rank).rank}/${nRanks} on device ${rank}`);

  print('Setting up ring topology');
  print(`Data flow -> GPU 0 -> ... -> GPU ${nRanks - 1} -> GPU 0`);
  const gigabytes = (count * 4) / 2 ** 30;
  print(`Ring transfer with ${count} elements (${gigabytes.toFixed(2)} GB per GPU)`);
  const next = (rank: number): number => (rank + 1) % nRanks;
  const previous = (rank: number): number => (rank + nRanks - 1) % nRanks;

  print('Allocating and initializing buffers');
  const buffers = await world.run(async (comm) => {
    const sent = await comm.allocWindow(f32, count);
    const received = await comm.allocWindow(f32, count);
    await sent.write(ownNumber(comm, count));
    return { sent, received };
  });

  print('Executing ring communication');
  const line = (rank: number): string => `GPU ${rank} sends to GPU ${next(rank)}, receives from GPU ${previous(rank)}`;
  printRanks(nRanks, print, line);
  await world.run(async (comm) => {
    const { sent, received } = own(buffers, comm);
    await group(comm, async () => {
      await send(comm, sent, count, next(comm.rank));
      await recv(comm, received, count, previous(comm.rank));
    });
  });
  print('Ring communication completed successfully');

  print('Verifying data correctness');
  const wrong = await world.run(async (comm) => allAre(await own(buffers, comm).received.read(), previous(comm.rank)));
  printRanks(nRanks, print, (rank) => {
    const mismatch = wrong[rank];
    const verdict = mismatch === undefined ? 'CORRECT' : `INCORRECT, at ${mismatch.index}: ${mismatch.got}`;
    return `GPU ${rank} received data from GPU ${previous(rank)}: ${verdict}`;
  });
  const right = wrong.every((mismatch) => mismatch === undefined);
  print(right ? 'SUCCESS - All GPUs received correct data' : 'FAILURE - Data verification failed');
  print('Cleaning up resources');
  await world.close();
  print(right ? 'Example completed successfully!' : 'Example failed');
  return right;
}
