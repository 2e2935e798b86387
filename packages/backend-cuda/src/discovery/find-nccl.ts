import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NcclError, ncclVersionText, type ErrorCode } from '@nccl-ts/core';
import type { NcclVersionCode } from '../cuda-source.ts';
import { attemptsText, type FailedSearch, type Candidate } from './attempt.ts';
import { variable, type DiscoveryHost } from './discovery-host.ts';
import { firstExisting, realPath, textOf } from './files.ts';
import { headerVersion, libraryNameVersion, oldestNccl } from './nccl-version.ts';
import { sitePackages } from './site-packages.ts';

/** The headers and the library of one NCCL, from one folder. */
export interface NcclInstallation {
  readonly home: string;
  readonly include: string;
  /** The shared library. */
  readonly library: string;
  /** The version of the headers. The library's version is compared when it is loaded. */
  readonly version: NcclVersionCode;
  /** Why this location was searched. */
  readonly from: string;
}

/**
 * Finds NCCL: the one that you name, then that of `NCCL_HOME`, then a Python package
 * `nvidia-nccl-*` of the active environment or the system, then a system package. If an option or
 * the environment names a location, only that is searched. Headers and library always come from the
 * same folder, because a kernel that was compiled against one version and runs with another
 * silently reads wrong fields.
 *
 * @throws NcclError `NCCLTS_NCCL_NOT_FOUND`, `NCCLTS_NCCL_TOO_OLD` or `NCCLTS_NCCL_MISMATCH` with
 *   every searched location.
 */
export function findNccl(host: DiscoveryHost, named?: string): NcclInstallation {
  const failures: Failure[] = [];
  for (const { home, from } of candidates(host, named)) {
    const found = examine(home, from);
    if ('library' in found) return found;
    failures.push(found);
  }
  const code = worst(failures);
  throw new NcclError(
    code,
    `${headline[code]}\n${attemptsText(failures.map(({ attempt }) => attempt))}\n` +
      'Install NCCL 2.28.3 or later with its headers, such as the Python package nvidia-nccl-cu13 or the system ' +
      'packages libnccl2 and libnccl-dev of one version, or set NCCL_HOME to the directory that has include/nccl.h and ' +
      'lib/libnccl.so.2.',
    { details: { attempts: failures.map(({ attempt }) => attempt) } },
  );
}

type FailureCode = Extract<ErrorCode, 'NCCLTS_NCCL_NOT_FOUND' | 'NCCLTS_NCCL_MISMATCH' | 'NCCLTS_NCCL_TOO_OLD'>;

interface Failure {
  readonly code: FailureCode;
  readonly attempt: FailedSearch;
}

const headline: Readonly<Record<FailureCode, string>> = {
  NCCLTS_NCCL_NOT_FOUND: 'No folder with both headers and library of NCCL was found.',
  NCCLTS_NCCL_MISMATCH: 'The headers and the library of NCCL have different versions.',
  NCCLTS_NCCL_TOO_OLD: `NCCL is too old: kernels need the device API, which NCCL has since ${ncclVersionText(oldestNccl)}.`,
};

/** Returns the failure that came closest to success, which is the most useful one. */
function worst(failures: readonly Failure[]): FailureCode {
  const codes = failures.map(({ code }) => code);
  const order = ['NCCLTS_NCCL_MISMATCH', 'NCCLTS_NCCL_TOO_OLD'] as const;
  return order.find((code) => codes.includes(code)) ?? 'NCCLTS_NCCL_NOT_FOUND';
}

function candidates(host: DiscoveryHost, named: string | undefined): readonly Candidate[] {
  if (named !== undefined) return [{ home: named, from: 'option nccl' }];
  const home = variable(host, 'NCCL_HOME');
  if (home !== undefined) return [{ home, from: 'NCCL_HOME' }];
  const wheels = sitePackages(host)
    .map(({ home: directory, from }) => ({ home: join(directory, 'nvidia/nccl'), from }))
    .filter((candidate) => existsSync(candidate.home));
  const prefix = variable(host, 'CONDA_PREFIX');
  return [
    ...wheels,
    ...(prefix === undefined ? [] : [{ home: prefix, from: 'CONDA_PREFIX' }]),
    { home: join(host.root, '/usr/local'), from: 'usual place' },
    { home: join(host.root, '/usr'), from: 'usual place' },
  ];
}

const libraryDirectories = ['lib', 'lib64', 'lib/x86_64-linux-gnu', 'lib/aarch64-linux-gnu'];

function examine(home: string, from: string): NcclInstallation | Failure {
  const failure = (code: FailureCode, problem: string): Failure => ({ code, attempt: { path: home, from, problem } });
  if (!existsSync(home)) return failure('NCCLTS_NCCL_NOT_FOUND', 'does not exist');
  const include = join(home, 'include');
  const header = textOf(join(include, 'nccl.h'));
  const library = firstExisting(libraryDirectories.map((directory) => join(home, directory, 'libnccl.so.2')));
  if (header === undefined) {
    return failure('NCCLTS_NCCL_NOT_FOUND', `has no include/nccl.h${library === undefined ? '' : `, but ${library}`}`);
  }
  const version = headerVersion(header);
  if (version === undefined) return failure('NCCLTS_NCCL_NOT_FOUND', 'include/nccl.h states no version');
  const text = ncclVersionText(version);
  if (library === undefined) {
    return failure('NCCLTS_NCCL_NOT_FOUND', `has the headers of ${text}, but no lib/libnccl.so.2`);
  }
  const named = libraryNameVersion(realPath(library));
  if (named !== undefined && named !== version) {
    return failure('NCCLTS_NCCL_MISMATCH', `has the headers of ${text}, but ${realPath(library)}`);
  }
  if (version < oldestNccl) return failure('NCCLTS_NCCL_TOO_OLD', `is NCCL ${text}`);
  if (!existsSync(join(include, 'nccl_device/core.h'))) {
    return failure('NCCLTS_NCCL_NOT_FOUND', `has include/nccl.h of ${text}, but no include/nccl_device/`);
  }
  return { home, include, library, version, from };
}
