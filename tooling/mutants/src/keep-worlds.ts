import type { SimBackend, SimWorld } from '@nccl-ts/backend-sim';
import { defineBackend, type OpenWorldOptions } from '@nccl-ts/transport';

/** A backend whose worlds keep their findings after the program that opened them has ended. */
export function keepWorlds(backend: SimBackend): {
  readonly backend: SimBackend;
  /** The verdict of the first world that is not clean. */
  readonly complaint: () => string | undefined;
  /** The first message of that world. */
  readonly message: () => string;
} {
  const worlds: SimWorld[] = [];
  const unclean = (): SimWorld | undefined => worlds.find((world) => world.report().verdict !== 'clean');
  return {
    backend: defineBackend<SimBackend>({
      ...backend,
      open: async (options: OpenWorldOptions) => {
        const world = await backend.open(options);
        worlds.push(world);
        return world;
      },
    }),
    complaint: () => unclean()?.report().verdict,
    message: () =>
      unclean()
        ?.report()
        .findings.find(({ severity }) => severity === 'error')?.message ?? '',
  };
}
