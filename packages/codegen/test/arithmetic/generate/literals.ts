import { numberText } from '../language/render.ts';
import type { LiteralTree } from '../language/tree.ts';
import { kinds, type Kind } from '../reference/scalar.ts';
import type { Choices } from './choices.ts';

export function literal(value: LiteralTree['value'], text?: string): LiteralTree {
  return { node: 'literal', value, text: text ?? plainText(value) };
}

function plainText(value: LiteralTree['value']): string {
  if (typeof value === 'boolean') return `${value}`;
  if (typeof value === 'bigint') return value < 0n ? `(-${-value}n)` : `${value}n`;
  return numberText(value);
}

/** Makes a literal that fits `kind`. */
export function literalFor(choices: Choices, kind: Kind): LiteralTree {
  switch (kinds[kind].class) {
    case 'bool':
      return choices.of([literal(true), literal(false), literal(true, '!0'), literal(0), literal(1)]);
    case 'float':
      return floatLiteral(choices, kind);
    case 'int':
      return choices.chance(3) && kinds[kind].bits >= 32 ? literal(choices.chance(50)) : integerLiteral(choices, kind);
    case 'addr':
      return integerLiteral(choices, kind);
  }
}

function integerLiteral(choices: Choices, kind: Kind): LiteralTree {
  const { min, max, bits, class: of } = kinds[kind];
  // Negative numbers count from the top of unsigned types.
  const low = min === 0n && of === 'int' ? -max - 1n : min;
  const value = choices.weighted<bigint>([
    [50, () => choices.of([0n, 1n, 1n, 2n, 3n, 7n, 10n, -1n, -2n, -5n])],
    [15, () => choices.of([min, max, min + 1n, max - 1n, low])],
    [20, () => 1n << BigInt(choices.below(bits))],
    [15, () => choices.bits(bits)],
  ]);
  const within = value < low || value > max ? value & 63n : value;
  const made = integerText(choices, within);
  const exact = BigInt(made.value);
  return exact < low || exact > max ? literal(within) : made;
}

/** Writes a whole number in one of many forms, all of which have its value in JavaScript. */
function integerText(choices: Choices, value: bigint): LiteralTree {
  const number = Number(value);
  if (BigInt(number) !== value || !Number.isSafeInteger(number) || choices.chance(10)) {
    const part = BigInt(choices.below(9));
    return choices.chance(70) ? literal(value) : literal(value, `(${plainText(value - part)} + ${part}n)`);
  }
  const part = 1 + choices.below(9);
  return choices.weighted<LiteralTree>([
    [70, () => literal(number)],
    [5, () => literal(number, number < 0 ? `(-0x${(-number).toString(16)})` : `0x${number.toString(16)}`)],
    [5, () => literal(number, `(${plainText(number - part)} + ${part})`)],
    [5, () => literal(number - part, `(${plainText(number)} - ${part})`)],
    [5, () => literal(-number, `(-${plainText(number)})`)],
    [
      5,
      () =>
        Number.isSafeInteger(number * part)
          ? literal(number, `(${plainText(number * part)} / ${part})`)
          : literal(number),
    ],
    [5, () => (number === (number | 0) ? literal(number, `(~${plainText(~number)})`) : literal(number))],
  ]);
}

function floatLiteral(choices: Choices, kind: Kind): LiteralTree {
  const largest = largestOf[kind] ?? 1;
  const value = choices.weighted<number>([
    [45, () => choices.of([0, 1, 2, 3, 0.5, 0.1, 1.5, 10, 1 / 3, 7, 100])],
    [10, () => choices.of([largest, 2 ** -24, 2 ** -14, 2 ** -126, 2 ** -149, 5e-324])],
    [20, () => choices.below(4096) / choices.of([1, 2, 8, 1024, 3, 1000])],
    [15, () => (choices.below(1 << 30) / (1 << 30)) * 2 ** (choices.below(40) - 24)],
    [5, () => 2 ** (choices.below(40) - 20)],
    [3, () => Infinity],
    [2, () => NaN],
  ]);
  const within = value > largest && value !== Infinity ? 1 : value;
  const number = choices.chance(30) ? -within : within;
  if (number === Infinity && choices.chance(50)) return literal(Infinity, '(1 / 0)');
  if (Number.isInteger(number) && number !== 0 && choices.chance(10)) return literal(BigInt(number));
  return choices.chance(90) ? literal(number) : literal(number / 4, `(${plainText(number)} / 4)`);
}

const largestOf: Readonly<Partial<Record<Kind, number>>> = {
  e4m3: 448,
  e5m2: 57344,
  f16: 65504,
  bf16: (2 - 2 ** -7) * 2 ** 127,
  f32: (2 - 2 ** -23) * 2 ** 127,
  f64: Number.MAX_VALUE,
};
