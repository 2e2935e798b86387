import { expect } from 'vitest';
import { seeded } from '../../support/seeded.ts';
import { registersOf, runInstructions, type Program } from './run-instructions.ts';
import { isNaNOf, type Format } from './soft-float.ts';

/**
 * An instruction, and its expected results. Registers whose names end in a digit are inputs, in the
 * order of the text. Those that end in x, y or z are results.
 */
export interface Row {
  readonly text: string;
  /** Computes the bits of the results from the bits of the inputs. */
  readonly wants: (...inputs: readonly bigint[]) => bigint | readonly bigint[];
  /** For float results: all NaNs are equal in each of the `lanes` of the register. */
  readonly float?: Format;
  readonly lanes?: number;
  /** Additional inputs. */
  readonly also?: readonly (readonly bigint[])[];
}

const widths: Readonly<Record<string, number>> = { p: 1, h: 16, r: 32, f: 32, rd: 64, fd: 64, q: 64 };

function widthOf(register: string): number {
  const prefix = /^%(rd|fd|[phrfq])/.exec(register)?.[1] ?? '';
  return widths[prefix] ?? 64;
}

const patterns: Readonly<Record<number, readonly bigint[]>> = {
  1: [0n, 1n],
  16: [
    0n,
    1n,
    0x7fffn,
    0x8000n,
    0xffffn,
    0x3c00n,
    0x7c00n,
    0xfc00n,
    0x7e00n,
    0x03ffn,
    0x8001n,
    0x3f80n,
    0x7f80n,
    0xbc01n,
  ],
  32: [
    0n,
    1n,
    2n,
    31n,
    32n,
    0x7fffffffn,
    0x80000000n,
    0xffffffffn,
    0x80000001n,
    0x3f800000n,
    0xbf800000n,
    0x7f800000n,
    0xff800000n,
    0x00000007n,
    0x007fffffn,
    0x00800000n,
    0x80800000n,
    0x7f7fffffn,
    0x33800000n,
    0x3c003c00n,
    0x7c00fc00n,
    0x00010203n,
  ],
  64: [
    0n,
    1n,
    0x7fffffffffffffffn,
    0x8000000000000000n,
    0xffffffffffffffffn,
    0xffffffffn,
    0x100000000n,
    0x3ff0000000000000n,
    0x7ff0000000000000n,
    0xfff0000000000000n,
    0x0010000000000000n,
    0x8000000000000001n,
    0x7fefffffffffffffn,
    0x41dfffffffc00000n,
    0x43e0000000000000n,
  ],
};

/**
 * Edge values of a register's width, and pseudorandom numbers, some of them small or close to
 * typical floats.
 */
function draw(width: number, next: () => number, floatish: boolean): bigint {
  const all = patterns[width] ?? [0n];
  const kind = next() % 8;
  if (kind < 3) return all[next() % all.length] ?? 0n;
  if (kind === 3) return BigInt(next() % 70) & ((1n << BigInt(width)) - 1n);
  const bits = (BigInt(next()) << 32n) | BigInt(next());
  const value = BigInt.asUintN(width, bits);
  if (!floatish || kind > 5) return value;
  if (width === 32) return (value & 0x83ffffffn) | 0x3c000000n;
  if (width === 64) return (value & 0x807fffffffffffffn) | 0x3f80000000000000n;
  return value;
}

function inputsOf(row: Row, sources: readonly string[], index: number): readonly (readonly bigint[])[] {
  const next = seeded(index + 1);
  const random = Array.from({ length: 220 }, () =>
    sources.map((name) => draw(widthOf(name), next, row.float !== undefined || /\.b?f(16|32|64)/.test(row.text))),
  );
  return [...(row.also ?? []), ...random];
}

function same(row: Row, got: bigint, wanted: bigint): boolean {
  if (got === wanted) return true;
  const { float, lanes = 1 } = row;
  if (float === undefined) return false;
  const width = BigInt(float.exponent + float.fraction + 1);
  const lane = (bits: bigint, index: number): bigint => BigInt.asUintN(Number(width), bits >> (width * BigInt(index)));
  return Array.from({ length: lanes }, (_, index) => [lane(got, index), lane(wanted, index)] as const).every(
    ([a, b]) => a === b || (isNaNOf(a, float) && isNaNOf(b, float)),
  );
}

/** Runs all rows in one world. Returns the rows that fail, with the first failing inputs. */
export async function wrongRows(rows: readonly Row[]): Promise<readonly string[]> {
  const programs: Program[] = rows.map((row, index) => {
    const registers = registersOf(row.text);
    return { text: row.text, ...registers, inputs: inputsOf(row, registers.sources, index) };
  });
  const results = await runInstructions(programs);
  return rows.flatMap((row, index) => {
    const { inputs = [] } = programs[index] ?? {};
    const got = results[index] ?? [];
    const at = inputs.findIndex((values, place) => {
      const wanted = [row.wants(...values)].flat();
      return wanted.some((bits, result) => !same(row, got[place]?.[result] ?? -1n, bits));
    });
    if (at === -1) return [];
    const show = (values: readonly bigint[]): string => values.map((bits) => bits.toString(16)).join(' ');
    const values = inputs[at] ?? [];
    return `${row.text} of ${show(values)}: ${show(got[at] ?? [])}, not ${show([row.wants(...values)].flat())}`;
  });
}

export async function expectRight(rows: readonly Row[]): Promise<void> {
  expect(await wrongRows(rows)).toEqual([]);
}
