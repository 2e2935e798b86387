import { sim } from '@nccl-ts/backend-sim';
import type { Backend } from '@nccl-ts/transport';

/** The backends that the examples run on, by the name that `--backend` takes. */
const backends: Readonly<Record<string, (ranks: number) => Backend>> = {
  sim: (ranks) => sim({ ranks }),
};

/** The backend that the command line names: `--backend NAME`, the simulator by default. */
export function backendFrom(args: readonly string[]): (ranks: number) => Backend {
  const at = args.indexOf('--backend');
  const name = at === -1 ? 'sim' : (args[at + 1] ?? '');
  const backend = Object.hasOwn(backends, name) ? backends[name] : undefined;
  if (backend === undefined) {
    throw new Error(`--backend ${name}: there is no such backend; known: ${Object.keys(backends).join(', ')}`);
  }
  return backend;
}
