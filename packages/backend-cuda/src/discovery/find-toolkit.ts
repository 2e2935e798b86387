import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { NcclError } from '@nccl-ts/core';
import { attemptsText, type FailedSearch, type Candidate } from './attempt.ts';
import { variable, type DiscoveryHost } from './discovery-host.ts';
import { entriesMatching, realPath, textOf } from './files.ts';
import { findNvrtc } from './find-nvrtc.ts';
import { sitePackages } from './site-packages.ts';

/** A CUDA toolkit that can compile. */
export interface Toolkit {
  readonly home: string;
  /** Undefined if the toolkit has only NVRTC. */
  readonly nvcc: string | undefined;
  /** The version in the form of `CUDA_VERSION`: 13000 is 13.0. */
  readonly version: number;
  /** Why this location was searched. */
  readonly from: string;
}

/**
 * Kernels are C++17. This version also introduced memory synchronization domains and
 * `cuLaunchKernelEx`.
 */
export const oldestToolkit = 12000;

/**
 * Finds the toolkit: the one that you name, then that of `CUDA_HOME` or `CUDA_PATH`, then
 * `/usr/local/cuda`, then that of the `nvcc` on `PATH`, then Python packages. If an option or the
 * environment names a location, only that is searched. A toolkit with nvcc is preferred to those
 * with only NVRTC.
 *
 * @throws NcclError `NCCLTS_CUDA_NO_TOOLKIT` with every searched location.
 */
export function findToolkit(host: DiscoveryHost, named?: string): Toolkit {
  const attempts: FailedSearch[] = [];
  let withoutNvcc: Toolkit | undefined;
  for (const { home, from } of candidates(host, named)) {
    const found = examine(host, home, from);
    if ('problem' in found) attempts.push(found);
    else if (found.nvcc !== undefined) return found;
    else withoutNvcc ??= found;
  }
  if (withoutNvcc !== undefined) return withoutNvcc;
  throw new NcclError(
    'NCCLTS_CUDA_NO_TOOLKIT',
    'No CUDA toolkit was found; kernels are compiled when they first run, so one is needed.\n' +
      `${attemptsText(attempts)}\n` +
      'Install the CUDA toolkit (12.0 or later), or set CUDA_HOME to the directory that has include/cuda.h and bin/nvcc or ' +
      'lib64/libnvrtc.so.',
    { details: { attempts } },
  );
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
  const packages = sitePackages(host).flatMap(({ home, from }) =>
    // CUDA 13 has one directory for all parts. CUDA 12 has one for each part, and the headers are
    // in that of the runtime.
    entriesMatching(join(home, 'nvidia'), /^(cu\d+|cuda_runtime)$/)
      .filter((directory) => existsSync(join(directory, 'include/cuda.h')))
      .map((directory) => ({ home: directory, from })),
  );
  return [{ home: join(host.root, '/usr/local/cuda'), from: 'usual place' }, ...onPath, ...packages];
}

function examine(host: DiscoveryHost, home: string, from: string): Toolkit | FailedSearch {
  const attempt = (problem: string): FailedSearch => ({ path: home, from, problem });
  if (!existsSync(home)) return attempt('does not exist');
  const nvcc = join(home, 'bin/nvcc');
  const version = cudaVersion(home);
  if (version === undefined) return attempt('has no include/cuda.h that states CUDA_VERSION');
  if (version < oldestToolkit) return attempt(`is CUDA ${cudaVersionText(version)}, older than 12.0`);
  if (existsSync(nvcc)) return { home, nvcc, version, from };
  if (findNvrtc(host, home, version).found !== undefined) return { home, nvcc: undefined, version, from };
  return attempt(`is CUDA ${cudaVersionText(version)}, but has neither bin/nvcc nor libnvrtc`);
}

function cudaVersion(home: string): number | undefined {
  const header = textOf(join(home, 'include/cuda.h'));
  const stated = header === undefined ? null : /^\s*#\s*define\s+CUDA_VERSION\s+(\d+)/m.exec(header);
  return stated === null ? undefined : Number(stated[1]);
}

/** Formats 13000 as `13.0`. */
export function cudaVersionText(version: number): string {
  return `${Math.floor(version / 1000)}.${Math.floor((version % 1000) / 10)}`;
}

/** Returns the folders of the toolkit's headers, for a compiler that does not know them. */
export function toolkitIncludes({ home }: Toolkit): readonly string[] {
  const include = join(home, 'include');
  // libcu++ has its own directory since CUDA 13, and in the Python packages of CUDA 12.
  return [include, join(include, 'cccl'), join(home, '../cuda_cccl/include')].filter((path) => existsSync(path));
}
