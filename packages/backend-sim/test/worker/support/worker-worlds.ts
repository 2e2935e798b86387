import { sim, type SimOptions, type SimWorld } from '@nccl-ts/backend-sim';
import type { Backend } from '@nccl-ts/transport';
import { vi } from 'vitest';
import { SimExecutable } from '../../../src/world/sim-executable.ts';

export const two = { engine: 'wasm', workers: 2 } as const;

interface Kept {
  readonly backend: Backend;
  readonly worlds: SimWorld[];
  readonly executables: SimExecutable[];
}

/**
 * Returns a backend, the worlds that were opened on it, and the kernels that they have compiled.
 */
export function kept(options: SimOptions): Kept {
  const backend = sim(options);
  const worlds: SimWorld[] = [];
  const executables: SimExecutable[] = [];
  const open: Backend['open'] = async (given) => {
    const world = await backend.open(given);
    worlds.push(world);
    const compile = world.compile.bind(world);
    world.compile = async (module) => {
      const executable = await compile(module);
      if (executable instanceof SimExecutable) executables.push(executable);
      return executable;
    };
    return world;
  };
  return { backend: { ...backend, open }, worlds, executables };
}

export async function thrownBy(promise: Promise<unknown>): Promise<Error> {
  const thrown = await promise.catch((error: unknown) => error);
  if (thrown instanceof Error) return thrown;
  throw new Error('nothing was thrown');
}

/** Returns the error messages of a program on one thread and on two. */
export async function texts(
  options: SimOptions,
  run: (backend: Backend) => Promise<unknown>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const workers of [1, 2]) found.push(String(await thrownBy(run(sim({ ...options, engine: 'wasm', workers })))));
  return found;
}

/** Replaces Node's threads. */
export function builtinThreads(threads: object): void {
  const original = process.getBuiltinModule.bind(process);
  vi.spyOn(process, 'getBuiltinModule').mockImplementation((name: string) =>
    name === 'node:worker_threads' ? threads : original(name),
  );
}
