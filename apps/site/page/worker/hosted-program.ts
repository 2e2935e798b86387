import type { SimBackend } from '@nccl-ts/backend-sim';
import { World, type Communicator } from '@nccl-ts/communicator';
import { loadProgram } from './load-program.ts';

/**
 * Returns a function that runs the host program of a text on every rank of a new world of a
 * backend. If the text has none, only its top level runs, with that backend. `onRank` runs on each
 * rank first.
 *
 * The function's promise fails with the errors of the text and of the program.
 */
export function hostedProgram(
  text: string,
  onRank: (comm: Communicator) => void = () => {},
): (backend: SimBackend) => Promise<void> {
  return async (backend) => {
    const { host } = await loadProgram(text, () => backend);
    if (host === undefined) return;
    const world = await World.open({ backend });
    try {
      await world.run(async (comm) => {
        onRank(comm);
        return host(comm);
      });
    } finally {
      await world.close();
    }
  };
}
