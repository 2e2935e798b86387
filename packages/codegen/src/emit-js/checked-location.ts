import { elementScalar, type AddressSpace, type AtomicMeaning, type ValueType } from '@nccl-ts/ir';
import { binaryText } from '../emit-shared/emit-operation.ts';
import type { EmitScope } from '../emit-shared/scope.ts';

/** A checked memory location: the names of its views, and the index of its first element. */
export interface CheckedLocation {
  readonly view: (name: string) => string;
  readonly index: string;
  readonly element: ValueType;
  readonly site: number;
  readonly space: AddressSpace;
  /** True if other threads of the host may access it concurrently, with ordered accesses. */
  readonly strong: boolean;
  /** For reports: the byte address, if it is known as a number. */
  readonly address?: string;
  readonly region?: string;
}

/**
 * Compares floats by their bits, as the hardware's compare-and-swap does, except that all NaNs
 * count as equal.
 */
export function sameText(float: boolean, a: string, b: string): string {
  return float ? `Object.is(${a}, ${b})` : `${a} === ${b}`;
}

/** Returns the value that an atomic operation writes, if it writes one. */
export function updateText(
  meaning: AtomicMeaning,
  spot: CheckedLocation,
  old: string,
  value: string,
  scope: EmitScope,
): string {
  if (meaning.kind !== 'binary') return value;
  const place = { thread: scope.thread, site: () => spot.site };
  return binaryText(scope.context, meaning.op, elementScalar(spot.element), old, value, place);
}
