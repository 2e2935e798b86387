import type { Dim3 } from './backend.ts';

/** The thread that printed a line. */
export interface PrintingThread {
  readonly rank: number;
  readonly blockIdx: Dim3;
  /** Linear in its CTA. */
  readonly thread: number;
}

/**
 * A line of `LaunchReport.printed`: the printing thread, then the parts separated by spaces, each
 * as JavaScript's `String` shows it. Each element of a vector is a part.
 */
export function printedLine(
  { rank, blockIdx, thread }: PrintingThread,
  parts: readonly (string | number | bigint | boolean)[],
): string {
  return `[rank ${rank} cta ${blockIdxText(blockIdx)} thread ${thread}] ${parts.map(String).join(' ')}`;
}

/** `3`, or `(3, 1, 0)` of a CTA that is not in the first row of its grid. */
export function blockIdxText({ x, y, z }: Dim3): string {
  return y === 0 && z === 0 ? `${x}` : `(${x}, ${y}, ${z})`;
}
