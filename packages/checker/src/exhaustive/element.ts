import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import {
  elementScalar,
  readScalar,
  valueBytes,
  valueWidth,
  writeScalar,
  type ScalarValue,
  type ValueType,
} from '@nccl-ts/ir';
import { after, Deferred, known, type Later } from '@nccl-ts/memory-model';
import type { PointerValue } from '@nccl-ts/backend-sim/internal';
import type { DevCommValue, WindowValue } from '@nccl-ts/codegen';

/** One number of a value. It may depend on a read that is not decided yet. */
export type LaterScalar = Later<ScalarValue>;

/** The value of an expression. */
export type LaterValue = readonly LaterScalar[] | PointerValue | WindowValue | DevCommValue;

export function isElements(value: LaterValue): value is readonly LaterScalar[] {
  return Array.isArray(value);
}

export function isPointer(value: LaterValue): value is PointerValue {
  return 'address' in value;
}

/**
 * Thrown if a number is needed that is not known yet. The caller must wait for it and evaluate
 * again.
 */
export class NeedsValue extends Error {
  readonly needed: Deferred<unknown>;

  constructor(needed: Deferred<unknown>) {
    super('The value is not known yet.');
    this.needed = needed;
  }
}

/** Returns the value. @throws NeedsValue if it is not known yet */
export function force<T>(later: Later<T>): T {
  if (later instanceof Deferred && !later.known) throw new NeedsValue(later);
  return known(later);
}

/** Applies `compute` to values that are known now or later. */
export function lift(
  inputs: readonly LaterScalar[],
  compute: (values: readonly ScalarValue[]) => ScalarValue,
): LaterScalar {
  if (!inputs.some((input) => input instanceof Deferred)) return compute(inputs.map(known));
  return after(inputs, () => compute(inputs.map(known)));
}

const scratch = new DataView(new ArrayBuffer(16));

/** Returns the bytes of a value as one number, little endian. */
export function bitsOf(type: ValueType, elements: readonly ScalarValue[]): bigint {
  const kind = elementScalar(type);
  const { bytes } = scalarInfo[kind];
  elements.forEach((element, index) => writeScalar(scratch, index * bytes, kind, element));
  return readBits(scratch, valueBytes(type));
}

/** Returns the elements of a value whose bytes are `bits`. */
export function elementsOf(type: ValueType, bits: Later<bigint>): readonly LaterScalar[] {
  const kind = elementScalar(type);
  const width = valueWidth(type);
  return Array.from({ length: width }, (_, index) => after([bits], () => elementOf(kind, index, known(bits))));
}

function elementOf(kind: ScalarKind, index: number, bits: bigint): ScalarValue {
  const { bytes } = scalarInfo[kind];
  scratch.setBigUint64(0, BigInt.asUintN(64, bits >> BigInt(8 * bytes * index)), true);
  return readScalar(scratch, 0, kind);
}

export function readBits(view: DataView, bytes: number): bigint {
  let bits = 0n;
  for (let at = bytes - 1; at >= 0; at--) bits = (bits << 8n) | BigInt(view.getUint8(at));
  return bits;
}
