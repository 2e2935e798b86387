import { redOpCreatePreMulSum, type ReduceOp } from '@nccl-ts/collectives';
import { RedOp, type ScalarKind } from '@nccl-ts/core';

/** nccl-tests' operators, in its order. */
export const benchOps = ['sum', 'prod', 'max', 'min', 'avg', 'mulsum'] as const;
export type BenchOp = (typeof benchOps)[number];

/** The factor by which a scaled sum multiplies a rank's values: 1 or 2, as in nccl-tests. */
export function mulsumScalar(rank: number): number {
  return 1 + (rank % 2);
}

/** The operator that rank `rank` passes to collectives of elements of type `kind`. */
export function reduceOpOf(op: BenchOp, kind: ScalarKind, rank: number): ReduceOp {
  const scalar = mulsumScalar(rank);
  const wide = kind === 'i64' || kind === 'u64';
  const made: Readonly<Record<BenchOp, ReduceOp>> = {
    sum: RedOp.Sum,
    prod: RedOp.Prod,
    max: RedOp.Max,
    min: RedOp.Min,
    avg: RedOp.Avg,
    mulsum: redOpCreatePreMulSum(wide ? BigInt(scalar) : scalar),
  };
  return made[op];
}
