import { webgpu, type WebgpuOptions, type WebgpuWorld } from '@nccl-ts/backend-webgpu';
import { World, type Communicator } from '@nccl-ts/communicator';
import type { Backend } from '@nccl-ts/transport';

/** A world, with its parts. */
export interface OpenedWorld {
  readonly world: World;
  readonly backendWorld: WebgpuWorld;
}

export async function openWorld(options: WebgpuOptions): Promise<OpenedWorld> {
  const backend = webgpu(options);
  let backendWorld: WebgpuWorld | undefined;
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
  options: WebgpuOptions,
  program: (comm: Communicator) => Promise<T>,
): Promise<readonly T[]> {
  const world = await World.open({ backend: webgpu(options) });
  try {
    return await world.run(program);
  } finally {
    await world.close();
  }
}
