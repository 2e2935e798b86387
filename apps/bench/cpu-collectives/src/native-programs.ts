import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NcclError } from '@nccl-ts/core';
import { onPath, run, type Ended } from './processes.ts';

/** The sources are next to `src` and `dist`. */
const sources = fileURLToPath(new URL('../native/', import.meta.url));

interface Recipe {
  readonly source: string;
  readonly compiler: string;
  readonly flags: readonly string[];
  /** Another program that must be on the path. */
  readonly runner?: string;
  readonly libraries?: readonly string[];
  readonly packages: string;
}

const c = (source: string, ...flags: readonly string[]): Recipe => ({
  source,
  compiler: 'gcc',
  flags: ['-O3', ...flags],
  libraries: ['-pthread'],
  packages: 'gcc',
});
const sse = (unroll: number): Recipe => c('twin.c', '-msse2', '-mno-avx', `-DUNROLL=${unroll}`);
const vector = (unroll: number): Recipe => c('twin.c', '-march=native', `-DUNROLL=${unroll}`);

const recipes = {
  calibrate: c('calibrate.c'),
  memory: c('memory.c', '-march=native'),
  sync: c('sync.c'),
  sse2: sse(2),
  sse4: sse(4),
  vector1: vector(1),
  vector2: vector(2),
  openMpi: {
    source: 'mpi.c',
    compiler: 'mpicc.openmpi',
    flags: ['-O3'],
    runner: 'mpirun.openmpi',
    packages: 'openmpi-bin libopenmpi-dev',
  },
  mpich: {
    source: 'mpi.c',
    compiler: 'mpicc.mpich',
    flags: ['-O3'],
    runner: 'mpirun.mpich',
    packages: 'mpich libmpich-dev',
  },
  gloo: {
    source: 'gloo.cc',
    compiler: 'g++',
    flags: ['-O3', '-march=native'],
    libraries: ['-lgloo', '-pthread'],
    packages: 'g++ libgloo-dev',
  },
} as const satisfies Readonly<Record<string, Recipe>>;

export type ProgramName = keyof typeof recipes;

/** A program that can run, or the reason why it cannot. */
export type NativeProgram = { readonly path: string } | { readonly missing: string };

/**
 * Compiles a program into `directory`. A missing tool is returned as a value.
 *
 * @throws NcclError `NCCL_SYSTEM_ERROR` if the compiler refuses the source for another reason.
 */
export async function compile(name: ProgramName, directory: string): Promise<NativeProgram> {
  const { source, compiler, flags, runner, libraries = [], packages }: Recipe = recipes[name];
  for (const tool of runner === undefined ? [compiler] : [compiler, runner])
    if (!onPath(tool)) return { missing: missing(tool, packages) };
  const path = join(directory, name);
  const ended: Ended = await run([compiler, ...flags, join(sources, source), '-o', path, ...libraries]);
  if (ended.ok) return { path };
  const header = /fatal error: (\S+): No such file/.exec(ended.problem)?.[1];
  if (header !== undefined) return { missing: missing(header, packages) };
  if (ended.problem.includes('cannot find -l')) return { missing: missing('libgloo', packages) };
  throw new NcclError('NCCL_SYSTEM_ERROR', `${compiler} refused ${source}: ${ended.problem}`);
}

function missing(what: string, packages: string): string {
  return `no ${what} (apt-get install ${packages})`;
}
