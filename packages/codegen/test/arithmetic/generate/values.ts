import * as fc from 'fast-check';

import { kinds, ofBits, wrapTo, type Kind } from '../reference/scalar.ts';
import type { FloatFormat } from '../reference/float.ts';
import { Choices } from './choices.ts';
import type { OperandTree } from '../language/tree.ts';

/**
 * Operands of one type differ by slot. The last one is a kernel parameter, which is equal in all
 * rows.
 */
export const slots = 4;
export const parameterSlot = 3;

/** Addresses by slot. Sums and products of the smaller ones stay in range. */
export const largestAddress: readonly bigint[] = [
  (1n << 53n) - 1n,
  (1n << 31n) - 1n,
  (1n << 26n) - 1n,
  (1n << 20n) - 1n,
];

/** Chooses an operand's value. Values that are hard to round, wrap or convert are frequent. */
export function operandValue(choices: Choices, { type, slot }: OperandTree): readonly bigint[] {
  return Array.from({ length: type.width }, () => scalarValue(choices, type.kind, slot));
}

export function scalarValue(choices: Choices, kind: Kind, slot: number = 0): bigint {
  const { class: of, bits, format } = kinds[kind];
  if (of === 'bool') return BigInt(choices.below(2));
  if (format !== undefined) return floatValue(choices, format);
  if (of === 'int') return wrapTo(kind, integerValue(choices, bits));
  const largest = largestAddress[slot] ?? 0n;
  return choices.chance(15) ? largest - BigInt(choices.below(3)) : integerValue(choices, 53) & largest;
}

function integerValue(choices: Choices, bits: number): bigint {
  return choices.weighted<bigint>([
    [
      20,
      () =>
        choices.of([
          0n,
          1n,
          -1n,
          1n << BigInt(bits - 1),
          (1n << BigInt(bits - 1)) - 1n,
          2n,
          -2n,
          (1n << BigInt(bits - 1)) + 1n,
        ]),
    ],
    [20, () => (1n << BigInt(choices.below(bits))) + BigInt(choices.below(3) - 1)],
    [20, () => BigInt(choices.below(41) - 20)],
    [15, () => halfway(choices, choices.bits(bits), choices.below(bits))],
    [10, () => choices.bits(1 + choices.below(bits))],
    [15, () => choices.bits(bits)],
  ]);
}

/**
 * Returns `value` with low bits that put it halfway between two multiples of a power of two, or
 * next to that.
 */
function halfway(choices: Choices, value: bigint, cut: number): bigint {
  const low = 1n << BigInt(cut);
  return (value & ~((low << 1n) - 1n)) + low + BigInt(choices.below(3) - 1);
}

function floatValue(choices: Choices, format: FloatFormat): bigint {
  const { bits, mantissaBits, bias, largest } = format;
  const fraction = 1n << BigInt(mantissaBits);
  const fields = Number(largest >> BigInt(mantissaBits));
  const near = (): bigint => BigInt(Math.min(fields, Math.max(0, bias + choices.below(25) - 12)));
  const magnitude = choices.weighted<bigint>([
    [
      14,
      () =>
        choices.of([
          0n,
          0n,
          1n,
          2n,
          fraction - 1n,
          fraction,
          fraction + 1n,
          largest,
          largest - 1n,
          BigInt(bias) << BigInt(mantissaBits),
        ]),
    ],
    [3, () => format.infinity ?? largest],
    [2, () => format.nan],
    [
      12,
      () =>
        (near() << BigInt(mantissaBits)) |
        (choices.bits(Math.min(3, mantissaBits)) << BigInt(mantissaBits - Math.min(3, mantissaBits))),
    ],
    [12, () => (BigInt(choices.below(fields + 1)) << BigInt(mantissaBits)) + BigInt(choices.below(3) - 1)],
    [
      15,
      () =>
        (near() << BigInt(mantissaBits)) + halfway(choices, choices.bits(mantissaBits), choices.below(mantissaBits)),
    ],
    [25, () => (near() << BigInt(mantissaBits)) | choices.bits(mantissaBits)],
    [6, () => choices.bits(mantissaBits)],
    [11, () => choices.bits(bits - 1)],
  ]);
  const within = magnitude < 0n ? 0n : magnitude;
  const sign = choices.chance(40) ? 1n << BigInt(bits - 1) : 0n;
  return ofBits(format.name, (within & ((1n << BigInt(bits - 1)) - 1n)) | sign);
}

/** Returns `count` values of a scalar. Equal `salt`s give equal values. */
export function sampleValues(kind: Kind, count: number, salt: number): readonly bigint[] {
  return fc.sample(new ValueArbitrary(kind), { seed: salt, numRuns: count });
}

class ValueArbitrary extends fc.Arbitrary<bigint> {
  readonly #kind: Kind;
  constructor(kind: Kind) {
    super();
    this.#kind = kind;
  }
  override generate(random: fc.Random): fc.Value<bigint> {
    return new fc.Value(scalarValue(new Choices(random), this.#kind), undefined);
  }
  override canShrinkWithoutContext(value: unknown): value is bigint {
    return typeof value === 'bigint';
  }
  override shrink(): fc.Stream<fc.Value<bigint>> {
    return fc.Stream.nil();
  }
}
