import { describe, it } from 'vitest';
import { expectRight, type Row } from './support/rows.ts';
import { decode, formats, product, rounded, sum, type Decoded, type Mode } from './support/soft-float.ts';

const modes: readonly (Mode | undefined)[] = [undefined, 'rn', 'rz', 'rm', 'rp'];
const halves = ['f16', 'bf16'] as const;

const negated = (value: Decoded): Decoded => (value === 'nan' ? value : { ...value, isNegative: !value.isNegative });

function rows(half: (typeof halves)[number], mode: Mode | undefined): readonly Row[] {
  const words = mode === undefined ? '' : `.${mode}`;
  const by = mode ?? 'rn';
  const f32 = (bits: bigint): Decoded => decode(bits, formats.f32);
  const narrow = (bits: bigint): Decoded => decode(bits, formats[half]);
  const float = formats.f32;
  const clamped = (bits: bigint): bigint =>
    f32(bits) === 'nan' || bits >= 0x80000000n ? 0n : bits > 0x3f800000n ? 0x3f800000n : bits;
  const fused: readonly Row[] =
    mode === undefined
      ? []
      : [
          {
            text: `fma${words}.f32.${half} %fx, %h1, %h2, %f3`,
            wants: (a = 0n, b = 0n, c = 0n) => rounded(sum(product(narrow(a), narrow(b)), f32(c), by), float, by),
            float,
          },
        ];
  return [
    {
      text: `add${words}.f32.${half} %fx, %h1, %f2`,
      wants: (a = 0n, b = 0n) => rounded(sum(narrow(a), f32(b), by), float, by),
      float,
    },
    {
      text: `add${words}.sat.f32.${half} %fx, %h1, %f2`,
      wants: (a = 0n, b = 0n) => clamped(rounded(sum(narrow(a), f32(b), by), float, by)),
    },
    {
      text: `sub${words}.f32.${half} %fx, %h1, %f2`,
      wants: (a = 0n, b = 0n) => rounded(sum(narrow(a), negated(f32(b)), by), float, by),
      float,
    },
    ...fused,
  ];
}

describe('arithmetic of a half and a float', () => {
  it('rounds once', async () => {
    await expectRight(halves.flatMap((half) => modes.flatMap((mode) => rows(half, mode))));
  });
});
