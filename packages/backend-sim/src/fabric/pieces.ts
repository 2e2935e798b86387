import type { OperationPiece } from './operation.ts';

/** The unit in which the fabric copies, and the smallest piece. */
const UNIT = 16;

/** Splits an operation of that many bytes into pieces: at most one, or two if it may be split. */
export function piecesOf(bytes: number, isSplit: boolean): readonly OperationPiece[] {
  if (bytes === 0) return [];
  if (!isSplit || bytes <= UNIT) return [{ index: 0, offset: 0, bytes }];
  const half = Math.ceil(bytes / 2 / UNIT) * UNIT;
  return [
    { index: 0, offset: 0, bytes: half },
    { index: 1, offset: half, bytes: bytes - half },
  ];
}

/** Returns the ranges of a piece that a mask selects. */
export function rangesOf(
  mask: number,
  { offset, bytes }: OperationPiece,
): readonly { readonly low: number; readonly high: number }[] {
  if ((mask & 0xffff) === 0xffff) return [{ low: offset, high: offset + bytes }];
  const ranges: { low: number; high: number }[] = [];
  for (let i = offset; i < offset + bytes; i++) {
    if (((mask >>> (i % UNIT)) & 1) === 0) continue;
    const last = ranges.at(-1);
    if (last?.high === i) last.high++;
    else ranges.push({ low: i, high: i + 1 });
  }
  return ranges;
}
