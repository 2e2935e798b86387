import type { Dim3 } from './backend.ts';

/** The thread that printed a line. */
export interface PrintingThread {
  readonly rank: number;
  readonly blockIdx: Dim3;
  /** The linear index in its CTA. */
  readonly thread: number;
}

/**
 * Formats a line of `LaunchReport.printed`: the printing thread, and then the parts, separated by
 * spaces. JavaScript's `String` converts each part. Each element of a vector is a part.
 */
export function printedLine(
  { rank, blockIdx, thread }: PrintingThread,
  parts: readonly (string | number | bigint | boolean)[],
): string {
  return `[rank ${rank} cta ${blockIdxText(blockIdx)} thread ${thread}] ${parts.map(String).join(' ')}`;
}

/** Formats a CTA's index as `3`, or as `(3, 1, 0)` if it is not in the first row of its grid. */
export function blockIdxText({ x, y, z }: Dim3): string {
  return y === 0 && z === 0 ? `${x}` : `(${x}, ${y}, ${z})`;
}
