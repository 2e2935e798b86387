import { expectInteger, NcclError, showValue } from '@nccl-ts/core';
import { cftCapsCodes, isCftCaps } from './cft-caps.ts';
import type { CftCaps } from './cft-caps.ts';
import { ginTypeCodes, isGinType } from './comm-properties.ts';
import type { GinType } from './comm-properties.ts';
import { ginConnectionTypes, isGinConnectionType } from './gin-connection-type.ts';
import type { GinConnectionType } from './gin-connection-type.ts';

/**
 * Returns `given` if it is a value of one kind. `what` names the requirement.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` otherwise.
 */
export type ExpectValue<Value> = (what: string, given: unknown) => Value;

const largestInt = 2 ** 31 - 1;

/** Expects an integer of C's `int` that is at least `least`. */
export function expectInt(least: number): ExpectValue<number> {
  return (what, given) => expectInteger(what, given, least, largestInt);
}

/** Expects the number of something. */
export const expectCount: ExpectValue<number> = /* @__PURE__ */ expectInt(0);

export function expectFlag(what: string, given: unknown): boolean {
  if (typeof given === 'boolean') return given;
  throw invalid(what, 'true or false', given);
}

export function expectConnection(what: string, given: unknown): GinConnectionType {
  if (isGinConnectionType(given)) return given;
  throw invalid(what, `one of ${ginConnectionTypes.join(', ')}`, given);
}

export function expectGinType(what: string, given: unknown): GinType {
  if (isGinType(given)) return given;
  throw invalid(what, `one of ${Object.keys(ginTypeCodes).join(', ')}`, given);
}

export function expectCftCaps(what: string, given: unknown): CftCaps {
  if (isCftCaps(given)) return given;
  throw invalid(what, `one of ${Object.keys(cftCapsCodes).join(', ')}`, given);
}

/** Expects null or an `int`. */
export function expectTrafficClass(what: string, given: unknown): number | null {
  return given === null ? null : expectInteger(what, given, -largestInt, largestInt);
}

/** Expects null or distinct ranks. The topology decides which ranks there are. */
export function expectRanks(what: string, given: unknown): readonly number[] | null {
  if (given === null) return null;
  const ranks = expectList(what, given, expectCount);
  const again = ranks.findIndex((rank, i) => ranks.indexOf(rank) < i);
  if (again < 0) return ranks;
  throw invalid(`${what}[${again}]`, 'a rank that the list does not have yet', ranks[again]);
}

/** Returns a frozen copy of the list `given`. */
export function expectList<T>(what: string, given: unknown, expectItem: ExpectValue<T>): readonly T[] {
  if (!Array.isArray(given)) throw invalid(what, 'an array', given);
  return Object.freeze(given.map((item: unknown, index) => expectItem(`${what}[${index}]`, item)));
}

/** The error for a value that is not `allowed`. */
export function invalid(what: string, allowed: string, given: unknown): NcclError {
  return new NcclError('NCCL_INVALID_ARGUMENT', `${what} must be ${allowed}; given ${showValue(given)}.`, {
    details: { what, given },
  });
}
