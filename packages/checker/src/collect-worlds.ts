import { defineBackend, type OpenWorldOptions } from '@nccl-ts/transport';
import type { SimBackend, SimWorld } from '@nccl-ts/backend-sim';

/**
 * Returns `backend` with a change: it adds every world that is opened on it to `worlds`, and
 * reports it.
 */
export function collectWorlds(
  backend: SimBackend,
  worlds: SimWorld[],
  onOpen: (world: SimWorld) => void = () => {},
): SimBackend {
  return defineBackend({
    ...backend,
    open: async (request: OpenWorldOptions) => {
      const world = await backend.open(request);
      worlds.push(world);
      onOpen(world);
      return world;
    },
  });
}
