import { allReduce } from '@nccl-ts/collectives';
import { World } from '@nccl-ts/communicator';
import { RedOp } from '@nccl-ts/core';
import { f32 } from '@nccl-ts/kernel';
import { own, type ExampleOptions } from '../example.ts';
import { allAre, ownNumber, printRanks, sumOfRanks } from '../host-steps.ts';

export interface CollectivesOptions extends ExampleOptions {
  /** The number of floats on each rank. */
  readonly count: number;
}

/**
 * Runs NCCL's example `03_collectives/01_allreduce`. Every rank fills its buffer with its number,
 * and one call sums the buffers. The library chooses the kernel. Prints the same lines as NCCL's
 * example.
 *
 * @returns true if every element on every rank is the sum.
 */
export async function runCollectives({ backend, count, print }: CollectivesOptions): Promise<boolean> {
  await using world = await World.open({ backend });
  const { nRanks } = world;
  print(`Using ${nRanks} devices for collective communication`);
  print('NCCL communicators initialized for all devices');

  const buffers = await world.run(async (comm) => {
    const send = await comm.allocWindow(f32, count);
    const recv = await comm.allocWindow(f32, count);
    await send.write(ownNumber(comm, count));
    return { send, recv, stream: await comm.createStream() };
  });
  print(`Memory and streams allocated for ${nRanks} communicators`);
  printRanks(nRanks, print, (rank) => `Device ${rank} initialized with data value ${rank}`);

  print('Starting collective sum operation across all devices');
  await world.run(async (comm) => {
    const { send, recv, stream } = own(buffers, comm);
    await allReduce(comm, send, recv, count, RedOp.Sum, { stream });
    await stream.synchronize();
  });
  print('Collective operation completed');

  const expected = sumOfRanks(nRanks);
  print(`Verifying results (expected sum: ${expected})`);
  const wrong = await world.run(async (comm) => allAre(await own(buffers, comm).recv.read(), expected));
  printRanks(nRanks, print, (rank) => {
    const mismatch = wrong[rank];
    return mismatch === undefined
      ? `Device ${rank} correctly received sum: ${expected}`
      : `Device ${rank} received incorrect result: ${mismatch.got} (expected ${expected})`;
  });
  const right = wrong.every((mismatch) => mismatch === undefined);
  print(right ? 'Example completed successfully!' : 'Example failed - incorrect results detected');
  return right;
}
