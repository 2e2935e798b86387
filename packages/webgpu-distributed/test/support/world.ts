import { World, type Communicator } from '@nccl-ts/communicator';
import type { Backend } from '@nccl-ts/transport';
import {
  distributedWebgpu,
  type DistributedWebgpuOptions,
  type DistributedWebgpuWorld,
} from '@nccl-ts/webgpu-distributed';

/** A world, with its parts. */
export interface OpenedWorld {
  readonly world: World;
  readonly backendWorld: DistributedWebgpuWorld;
}

export async function openWorld(options: DistributedWebgpuOptions): Promise<OpenedWorld> {
  const backend = distributedWebgpu(options);
  let backendWorld: DistributedWebgpuWorld | undefined;
  const watched: Backend = {
    ...backend,
    open: async (open) => {
      backendWorld = await backend.open(open);
      return backendWorld;
    },
  };
  const world = await World.open({ backend: watched });
  if (backendWorld === undefined) throw new Error('the backend was not opened');
  return { world, backendWorld };
}

/** Returns the result of `program` on each rank of a world that is closed afterwards. */
export async function inWorld<T>(
  options: DistributedWebgpuOptions,
  program: (comm: Communicator) => Promise<T>,
): Promise<readonly T[]> {
  const world = await World.open({ backend: distributedWebgpu(options) });
  try {
    return await world.run(program);
  } finally {
    await world.close();
  }
}
