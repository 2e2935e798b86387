import { defineBackend, type OpenWorldOptions } from '@nccl-ts/transport';
import type { SimBackend } from './sim-backend.ts';
import type { SimWorld } from './sim-world.ts';

/** `backend`, changed to add every world that is opened on it to `worlds`, and to report it. */
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
