import type { FindingLabel } from '@nccl-ts/findings';

/** Names a CTA by its position in the grid. */
export function ctaText({ blockIdx }: FindingLabel): string {
  if (blockIdx === undefined) return 'a CTA';
  const { x, y, z } = blockIdx;
  return y === 0 && z === 0 ? `CTA ${x}` : `CTA (${x}, ${y}, ${z})`;
}

/** True if two threads have the same rank and the same position in their grids. */
export function isSameCta(a: FindingLabel, b: FindingLabel): boolean {
  return (
    a.rank === b.rank &&
    a.blockIdx?.x === b.blockIdx?.x &&
    a.blockIdx?.y === b.blockIdx?.y &&
    a.blockIdx?.z === b.blockIdx?.z
  );
}
