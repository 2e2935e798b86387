import type { ErrorCode, ScalarKind } from '@nccl-ts/core';
import type { Capabilities, Check } from '@nccl-ts/ir';

/**
 * The capabilities that a case requires of a backend. They are compared only with
 * `Backend.capabilities`, so a backend cannot skip a case without declaring that it lacks the
 * feature.
 */
export interface Requirements {
  /**
   * The scalars other than `bool`, `i32`, `u32`, `f32` and `addr`, which every backend supports.
   */
  readonly scalars?: readonly ScalarKind[];
  /** The number of threads of a CTA. */
  readonly blockThreads?: number;
  /** The size of shared arrays in bytes. */
  readonly sharedBytes?: number;
  readonly divergentWaits?: true;
  readonly subgroups?: true;
  readonly print?: true;
  readonly multimem?: true;
  /**
   * The first NCCL version with the case's API. A backend with an older version must refuse the
   * case, and name this version.
   */
  readonly ncclVersion?: number;
  readonly primitives?: readonly string[];
  /** The kernel mistakes that the backend must report. */
  readonly checks?: readonly Check[];
}

/** A feature that a backend lacks for a case. */
export interface Lack {
  /** The missing feature, in words. */
  readonly what: string;
  /**
   * The codes with which the backend must refuse a kernel that needs it. Empty if the lack has no
   * visible effect.
   */
  readonly refusedWith: readonly ErrorCode[];
}

const refusal: readonly ErrorCode[] = Object.freeze(['NCCLTS_COMPILE', 'NCCLTS_NOT_SUPPORTED']);

/** Returns the features of `requirements` that `capabilities` lacks. */
export function lacksOf(requirements: Requirements, capabilities: Capabilities): readonly Lack[] {
  const { scalars = [], blockThreads = 0, sharedBytes = 0, primitives = [], checks = [] } = requirements;
  const missing = <T extends string>(
    wanted: readonly T[],
    given: readonly T[],
    what: string,
    codes = refusal,
  ): readonly Lack[] =>
    wanted.filter((one) => !given.includes(one)).map((one) => ({ what: `${what} ${one}`, refusedWith: codes }));
  const flags = (['divergentWaits', 'subgroups', 'print', 'multimem'] as const).filter(
    (flag) => requirements[flag] === true && !capabilities[flag],
  );
  return [
    ...missing(scalars, capabilities.scalars, 'the scalar'),
    // The backend may refuse a device communicator that needs a network before it refuses a kernel.
    ...missing(primitives, capabilities.primitives, 'the primitive', [...refusal, 'NCCL_INVALID_ARGUMENT']),
    ...flags.map((flag): Lack => ({ what: flag, refusedWith: refusal })),
    ...checks
      .filter((check) => !(capabilities.checks ?? []).includes(check))
      // Unchecked behaviour is undefined, so there is nothing to test.
      .map((check): Lack => ({ what: `the check of ${check}`, refusedWith: [] })),
    ...limit('threads of a CTA', blockThreads, capabilities.maxBlockThreads, ['NCCL_INVALID_ARGUMENT']),
    ...limit('bytes of shared arrays', sharedBytes, capabilities.maxSharedBytes, []),
  ];
}

function limit(what: string, wanted: number, most: number, codes: readonly ErrorCode[]): readonly Lack[] {
  return wanted > most ? [{ what: `${wanted} ${what}; it has ${most}`, refusedWith: [...codes, ...refusal] }] : [];
}
