import { sim } from '@nccl-ts/backend-sim';
import { World, type Communicator } from '@nccl-ts/communicator';

/** Runs `callback` for each rank of a new world. */
export async function inWorld<T>(
  ranks: number,
  callback: (comm: Communicator) => Promise<T>,
  lsaSize = ranks,
): Promise<T[]> {
  await using world = await World.open({ backend: sim({ ranks, lsaSize }) });
  return await world.run(callback);
}
