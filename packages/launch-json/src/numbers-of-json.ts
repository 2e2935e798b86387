import type { ExtentJson, IntegerJson, NumberJson } from './program-json.ts';

/** An extent with all its axes. */
export function extentOf(extent: ExtentJson): number | { readonly x: number; readonly y: number; readonly z: number } {
  if (typeof extent === 'number') return extent;
  const { x, y = 1, z = 1 } = extent;
  return { x, y, z };
}

/** Words by byte offset. */
export function wordsOf(known: Readonly<Record<string, IntegerJson>>): Readonly<Record<number, bigint>> {
  return Object.fromEntries(Object.entries(known).map(([offset, value]) => [offset, BigInt(value)]));
}

/** The number that JSON may write as a text. */
export function numberOf(given: NumberJson): number | bigint {
  if (typeof given === 'number') return given;
  return /^-?[1-9]\d*$|^0$/u.test(given) ? BigInt(given) : Number(given);
}

/** The form in which JSON has a number. */
export function jsonOfNumber(value: number | bigint): NumberJson {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (Object.is(value, -0)) return '-0';
  return Number.isFinite(value) ? value : String(value);
}
