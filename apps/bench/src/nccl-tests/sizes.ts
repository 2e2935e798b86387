import type { SizeStep } from './report/bench-report.ts';

const units: Readonly<Record<string, number>> = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };

/**
 * Parses a size in bytes: `4096`, `64K`, `1.5M`, `1G`. Returns `undefined` if the text is not a
 * size. A fraction of a byte is dropped.
 */
export function parseSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([kmg]?)b?$/i.exec(text.trim());
  const bytes = Math.floor(Number(match?.[1]) * (units[match?.[2]?.toLowerCase() ?? ''] ?? Number.NaN));
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** The sizes from the smallest to the largest. */
export function* sizesOf(minBytes: number, maxBytes: number, step: SizeStep): Generator<number> {
  for (let size = minBytes; size <= maxBytes; size = step.kind === 'factor' ? size * step.value : size + step.value) {
    yield size;
    // The size would stay the same if it is zero and multiplied, or if the step is zero.
    if ((step.kind === 'factor' && size === 0) || step.value === 0) return;
  }
}

/** The sizes that are warmed up: doubling, with any step. */
export function warmupSizes(minBytes: number, maxBytes: number): readonly number[] {
  return [...sizesOf(minBytes, maxBytes, { kind: 'factor', value: 2 })];
}
