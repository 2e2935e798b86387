import type { SimBackend } from '@nccl-ts/backend-sim';
import { barrier } from '@nccl-ts/barrier';
import { cft } from '@nccl-ts/cft';
import { World, type Communicator } from '@nccl-ts/communicator';
import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { programText } from './module-text.ts';
import type { CampaignProgram } from './program.ts';

/** Runs a program once on a backend, and returns the values that all hosts have read, as text. */
export type RunProgram = (backend: SimBackend) => Promise<string>;

type Host = (comm: Communicator) => Promise<string>;

const names = { barrier, cft, devComm, teamWorld, window, gin, kernel, lsa };

/** Compiles a program's text. @throws the compile error of its kernels. */
export function loadProgram(program: CampaignProgram): RunProgram {
  const text = programText(program);
  // The printed text is the program that is judged.
  // oxlint-disable-next-line typescript/no-implied-eval
  const make = new Function(...Object.keys(names), `${text}\nreturn { host, kernels: [${kernelNames(program)}] };`);
  const made: unknown = Reflect.apply(make, undefined, Object.values(names));
  if (!isModule(made)) throw new TypeError('A program needs a host and kernels.');
  for (const one of made.kernels) one.compile();
  return async (backend) => {
    const world = await World.open({ backend });
    try {
      return (await world.run(made.host)).join(' | ');
    } finally {
      await world.close();
    }
  };
}

function kernelNames({ kernels }: CampaignProgram): string {
  return kernels.map((_, index) => `k${index}`).join(', ');
}

interface Module {
  readonly host: Host;
  readonly kernels: readonly { readonly compile: () => unknown }[];
}

function isModule(value: unknown): value is Module {
  return typeof value === 'object' && value !== null && 'host' in value && 'kernels' in value;
}
