import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { FailedSearch, Candidate } from './attempt.ts';
import type { DiscoveryHost } from './discovery-host.ts';
import { entriesMatching } from './files.ts';
import { sitePackages } from './site-packages.ts';

/** NVRTC, the compiler that is a library. */
export interface NvrtcInstallation {
  readonly library: string;
  /**
   * The library that NVRTC loads when it compiles. Outside an installed toolkit, the loader would
   * not find it.
   */
  readonly builtins: string;
  /** Why this location was searched. */
  readonly from: string;
}

/** NVRTC, or every location that was searched. */
export type NvrtcSearch =
  | { readonly found: NvrtcInstallation }
  | { readonly found: undefined; readonly attempts: readonly FailedSearch[] };

/**
 * Finds the NVRTC of a toolkit, in the toolkit itself or in a Python package. It always has the
 * version of the toolkit, whose headers it reads.
 *
 * @param version - of the toolkit, as `CUDA_VERSION` counts
 */
export function findNvrtc(host: DiscoveryHost, toolkit: string, version: number): NvrtcSearch {
  const names = namesOf(version);
  const attempts: FailedSearch[] = [];
  const places: readonly Candidate[] = [
    ...inToolkit.map((directory) => ({ home: join(toolkit, directory), from: 'the toolkit' })),
    ...sitePackages(host).flatMap(({ home, from }) =>
      inPackages(names.major).map((directory) => ({ home: join(home, directory), from })),
    ),
  ];
  for (const { home, from } of places) {
    const found = examine(home, names);
    if (found === undefined) continue;
    if (typeof found !== 'string') return { found: { ...found, from } };
    attempts.push({ path: home, from, problem: found });
  }
  if (attempts.length > 0) return { found: undefined, attempts };
  return { found: undefined, attempts: [{ path: toolkit, from: 'the toolkit', problem: `has no ${names.library}` }] };
}

interface Names {
  readonly major: number;
  readonly library: string;
  readonly builtins: string;
}

function namesOf(version: number): Names {
  const major = Math.floor(version / 1000);
  const minor = Math.floor((version % 1000) / 10);
  return { major, library: `libnvrtc.so.${major}`, builtins: `libnvrtc-builtins.so.${major}.${minor}` };
}

const inToolkit: readonly string[] = [
  'lib64',
  'lib',
  'targets/x86_64-linux/lib',
  'targets/sbsa-linux/lib',
  'lib/x86_64-linux-gnu',
  'lib/aarch64-linux-gnu',
  // The toolkit may itself be a Python package. Those of CUDA 12 have a directory for each part.
  '../cuda_nvrtc/lib',
];

function inPackages(major: number): readonly string[] {
  return [`nvidia/cu${major}/lib`, 'nvidia/cuda_nvrtc/lib'];
}

/** Returns the library, or its problem; undefined if there is none. */
function examine(
  directory: string,
  { library, builtins }: Names,
): Omit<NvrtcInstallation, 'from'> | string | undefined {
  const libraries = entriesMatching(directory, /^libnvrtc\.so\.\d+$/).map((path) => basename(path));
  if (libraries.length === 0) return undefined;
  if (!libraries.includes(library)) return `has ${libraries.join(', ')}, not ${library}`;
  // No other name has the minor version, and built-ins of another version would do harm.
  if (existsSync(join(directory, builtins)))
    return { library: join(directory, library), builtins: join(directory, builtins) };
  const others = entriesMatching(directory, /^libnvrtc-builtins\.so\.\d+\.\d+$/).map((path) => basename(path));
  return `has ${library}, but ${others.length === 0 ? 'no' : `${others.join(', ')}, not`} ${builtins}`;
}
