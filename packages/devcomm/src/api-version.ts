import { NCCL_VERSION, NcclError, ncclVersionText } from '@nccl-ts/core';
import type { ResourceSupport } from './resource-support.ts';

/** The running NCCL, and how it treats code that was built for another version. */
export interface ApiRuntime {
  /** Its version, as `ncclVersionCode` returns it. */
  readonly version: number;
  /** True if code built for a later version is refused. @see NCCL_ENABLE_VERSION_CHECK */
  readonly versionCheck: boolean;
}

export interface ApiVersionOptions {
  /**
   * True if the runtime refuses code that was built for a later version. If false, it treats such
   * code as its own version's. (NCCL 2.30.7 with its check off still refuses it, since none of its
   * shims covers such a version.)
   *
   * @default true
   *
   * @see NCCL_ENABLE_VERSION_CHECK
   */
  readonly versionCheck?: boolean;
}

/**
 * How the runtime treats a piece of code. `own`: the structures have the runtime's layout.
 * Otherwise it is the family of versions whose structures the runtime can still fill in, only for
 * load-store access and multimem.
 */
export type ApiFamily = 'own' | '2.29.2' | '2.29.5' | '2.30' | '2.31';

interface VersionRange {
  readonly family: ApiFamily;
  readonly first: number;
  readonly last: number;
}

/**
 * From NCCL's shims. No later version runs code of the versions before and between these. Since
 * 2.30, each minor version has its own structures. NCCL's guide guarantees that older code with
 * load-store access and multimem keeps working, and requires that code with GIN is recompiled. It
 * does not say if patch versions need that too; here they do not.
 */
const families: readonly VersionRange[] = [
  { family: '2.29.2', first: 22902, last: 22903 },
  { family: '2.29.5', first: 22905, last: 22907 },
  { family: '2.30', first: 23000, last: 23099 },
  { family: '2.31', first: 23100, last: 23199 },
  { family: 'own', first: 23200, last: Number.MAX_SAFE_INTEGER },
];

/** Returns the runtime for ranks with this support. */
export function apiRuntime(support: ResourceSupport, options: ApiVersionOptions = {}): ApiRuntime {
  return { version: support.ncclVersion ?? NCCL_VERSION.code, versionCheck: options.versionCheck ?? true };
}

/**
 * Decides how code that was built for the version `built` runs with `runtime`.
 *
 * @param what the code, for the message, such as `kernel 'reduce'`
 * @throws NcclError `NCCL_INVALID_USAGE` if it was built for a later version, for one before
 *   2.29.2, or for one between two families.
 */
export function apiFamily(what: string, built: number, runtime: ApiRuntime): ApiFamily {
  const { version, versionCheck } = runtime;
  if (built === version) return 'own';
  const details = { what, built, runtime: version };
  if (built > version) {
    if (!versionCheck) return 'own';
    throw new NcclError(
      'NCCL_INVALID_USAGE',
      `${what} is built for the device API of NCCL ${ncclVersionText(built)}, which is newer than the NCCL ` +
        `${ncclVersionText(version)} that runs. Run a newer NCCL, or build for ${ncclVersionText(version)} (apiVersion ` +
        `${version}); ` +
        'versionCheck: false runs it unchecked.',
      { details },
    );
  }
  const of = families.find(({ first, last }) => built >= first && built <= last);
  if (of === undefined) {
    throw new NcclError(
      'NCCL_INVALID_USAGE',
      `${what} is built for the device API of NCCL ${ncclVersionText(built)}, which NCCL ${ncclVersionText(version)} does ` +
        `not run: it runs ${versionsRun(version)}. Build it for ${ncclVersionText(version)} (apiVersion ${version}).`,
      { details },
    );
  }
  return version <= of.last && version >= of.first ? 'own' : of.family;
}

function versionsRun(version: number): string {
  const ranges = families
    .filter(({ first }) => first <= version)
    .map(({ first, last }) => `${ncclVersionText(first)} to ${ncclVersionText(Math.min(last, version))}`);
  return ranges.length === 0 ? 'only its own version' : ranges.join(', ');
}

/** The error for code that uses GIN and was built for a version of another family. */
export function needsRebuild(what: string, built: number, uses: string, { version }: ApiRuntime): NcclError {
  return new NcclError(
    'NCCL_INVALID_USAGE',
    `${what} is built for the device API of NCCL ${ncclVersionText(built)} and uses GIN (${uses}), which NCCL ` +
      `${ncclVersionText(version)} does not run: only load-store access and multimem are kept compatible. Recompile it for ` +
      `${ncclVersionText(version)} (apiVersion ${version}).`,
    { details: { what, built, runtime: version, uses } },
  );
}
