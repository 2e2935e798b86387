import { defineBackend, type OpenWorldOptions } from '@nccl-ts/transport';
import type { SimBackend } from './sim-backend.ts';
import type { SimWorld } from './sim-world.ts';

/** `backend`, which puts every world that is opened on it into `worlds`, and tells of it. */
export function collectWorlds(
  backend: SimBackend,
  worlds: SimWorld[],
  onOpen: (world: SimWorld) => void = () => {},
): SimBackend {
  return defineBackend({
    ...backend,
    open: async (asked: OpenWorldOptions) => {
      const world = await backend.open(asked);
      worlds.push(world);
      onOpen(world);
      return world;
    },
  });
}
