import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { NcclError } from '@nccl-ts/core';
import { attemptsText, type Attempt } from './attempt.ts';
import { variable, type DiscoveryHost } from './discovery-host.ts';
import { realPath, textOf } from './files.ts';

/** A CUDA toolkit that can compile. */
export interface Toolkit {
  readonly home: string;
  readonly nvcc: string;
  /** As `CUDA_VERSION` counts: 13000 is 13.0. */
  readonly version: number;
  /** What led to it. */
  readonly from: string;
}

/** A kernel is C++17, and memory synchronization domains and `cuLaunchKernelEx` came with it. */
export const oldestToolkit = 12000;

/**
 * Finds the toolkit: the one that is named, else that of `CUDA_HOME` or `CUDA_PATH`, else `/usr/local/cuda`, else that of
 * the `nvcc` on `PATH`. One that is named, by an option or the environment, is the only one looked at.
 *
 * @throws NcclError `NCCLTS_CUDA_NO_TOOLKIT` with every place that was looked at.
 */
export function findToolkit(host: DiscoveryHost, named?: string): Toolkit {
  const attempts: Attempt[] = [];
  for (const { home, from } of candidates(host, named)) {
    const found = examine(home, from);
    if ('nvcc' in found) return found;
    attempts.push(found);
  }
  throw new NcclError(
    'NCCLTS_CUDA_NO_TOOLKIT',
    'No CUDA toolkit was found; kernels are compiled when they first run, so one is needed.\n' +
      `${attemptsText(attempts)}\n` +
      'Install the CUDA toolkit (12.0 or later), or set CUDA_HOME to the directory that has bin/nvcc and include/cuda.h.',
    { details: { attempts } },
  );
}

interface Candidate {
  readonly home: string;
  readonly from: string;
}

function candidates(host: DiscoveryHost, named: string | undefined): readonly Candidate[] {
  if (named !== undefined) return [{ home: named, from: 'option toolkit' }];
  for (const name of ['CUDA_HOME', 'CUDA_PATH']) {
    const home = variable(host, name);
    if (home !== undefined) return [{ home, from: name }];
  }
  const onPath = (variable(host, 'PATH') ?? '')
    .split(delimiter)
    .filter((directory) => directory !== '')
    .map((directory) => join(directory, 'nvcc'))
    .filter((nvcc) => existsSync(nvcc))
    .map((nvcc) => ({ home: dirname(dirname(realPath(nvcc))), from: 'PATH' }));
  return [{ home: join(host.root, '/usr/local/cuda'), from: 'usual place' }, ...onPath];
}

function examine(home: string, from: string): Toolkit | Attempt {
  const attempt = (problem: string): Attempt => ({ path: home, from, problem });
  if (!existsSync(home)) return attempt('does not exist');
  const nvcc = join(home, 'bin/nvcc');
  if (!existsSync(nvcc)) return attempt('has no bin/nvcc');
  const version = cudaVersion(home);
  if (version === undefined) return attempt('has no include/cuda.h that states CUDA_VERSION');
  if (version < oldestToolkit) return attempt(`is CUDA ${cudaVersionText(version)}, older than 12.0`);
  return { home, nvcc, version, from };
}

function cudaVersion(home: string): number | undefined {
  const header = textOf(join(home, 'include/cuda.h'));
  const stated = header === undefined ? null : /^\s*#\s*define\s+CUDA_VERSION\s+(\d+)/m.exec(header);
  return stated === null ? undefined : Number(stated[1]);
}

/** 13000 as `13.0`. */
export function cudaVersionText(version: number): string {
  return `${Math.floor(version / 1000)}.${Math.floor((version % 1000) / 10)}`;
}
