import { decorateBackend } from '@nccl-ts/conformance';
import type { Backend } from '@nccl-ts/transport';

/** The size of a program's launches, which replaces its own. */
export interface LaunchSize {
  /** @default the requested number */
  readonly ctas?: number;
  readonly threads: number;
}

/** A backend on which every launch has this size, instead of the size that a caller chooses. */
export function resized(backend: Backend, { ctas, threads }: LaunchSize): Backend {
  return decorateBackend(backend, (world) => ({
    launch: (executable, config, args) => {
      const grid = ctas === undefined ? config.grid : { x: ctas, y: 1, z: 1 };
      world.launch(executable, { ...config, grid, block: { x: threads, y: 1, z: 1 } }, args);
    },
  }));
}
