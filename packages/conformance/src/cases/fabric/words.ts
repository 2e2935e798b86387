import type { Requirements } from '../../requirements.ts';

/** The requirements of every case with logical endpoints. */
export const fabricRequires: Requirements = { scalars: ['u64'], primitives: ['cft.post'], ncclVersion: 23102 };

/** The same for counted operations. */
export const countedRequires: Requirements = { ...fabricRequires, ncclVersion: 23203 };

/** The same for reductions. */
export const reductionRequires: Requirements = {
  ...fabricRequires,
  scalars: ['i64', 'u64'],
  primitives: ['cft.postRed'],
};

/** A window with counted endpoints: `WindowFlags.CollSymmetric` and `CftCounted`. */
export const withCounters = { flags: 9 } as const;

/** The word that a rank sends at an index. */
export function wordOf(rank: number, i: number): number {
  return 1000 * rank + i;
}
