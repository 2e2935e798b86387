import { at } from '@nccl-ts/core';
import type { DevComm } from '@nccl-ts/devcomm';
import { bf16, deviceFn, e4m3, e5m2, f16, f32, f64, i32, i64, u32, u64, type ScalarParam } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { Case } from '../../case.ts';
import { reduceCopyCase, type Act, type ReduceCopyOperands } from '../fixture/reduce-copy-case.ts';
import { reduced, replaced, type ElementKind } from '../fixture/reduce-reference.ts';

const sumOfAll: Act = deviceFn(
  { name: 'sumOfAll', use: { reduceCopy } },
  ({ reduceCopy, coopCta }, comm: DevComm, { src, dst, count }: ReduceCopyOperands) => {
    reduceCopy.multimemReduceSum(coopCta(), src, dst.localPtr(), count, comm.lsaMultimem);
  },
);

function sums<const Id extends string>(id: Id, type: ScalarParam<ElementKind, unknown>): Case<Id> {
  return reduceCopyCase({
    id,
    mirrors: 'ncclMultimemReduceSum',
    type,
    act: sumOfAll,
    multimem: true,
    scalars: ['u64'],
    expected: ({ src, dst }, { from, to, count }, rank) =>
      replaced(
        at(dst, rank),
        to,
        reduced(
          type.scalar,
          src.map((values) => values.slice(from, from + count)),
        ),
      ),
  });
}

export const i32Sums: Case<'reduce-copy/multimem-reduce-sum/i32'> = sums('reduce-copy/multimem-reduce-sum/i32', i32);
export const u32Sums: Case<'reduce-copy/multimem-reduce-sum/u32'> = sums('reduce-copy/multimem-reduce-sum/u32', u32);
export const i64Sums: Case<'reduce-copy/multimem-reduce-sum/i64'> = sums('reduce-copy/multimem-reduce-sum/i64', i64);
export const u64Sums: Case<'reduce-copy/multimem-reduce-sum/u64'> = sums('reduce-copy/multimem-reduce-sum/u64', u64);
export const f16Sums: Case<'reduce-copy/multimem-reduce-sum/f16'> = sums('reduce-copy/multimem-reduce-sum/f16', f16);
export const bf16Sums: Case<'reduce-copy/multimem-reduce-sum/bf16'> = sums(
  'reduce-copy/multimem-reduce-sum/bf16',
  bf16,
);
export const f32Sums: Case<'reduce-copy/multimem-reduce-sum/f32'> = sums('reduce-copy/multimem-reduce-sum/f32', f32);
export const f64Sums: Case<'reduce-copy/multimem-reduce-sum/f64'> = sums('reduce-copy/multimem-reduce-sum/f64', f64);
export const e4m3Sums: Case<'reduce-copy/multimem-reduce-sum/e4m3'> = sums(
  'reduce-copy/multimem-reduce-sum/e4m3',
  e4m3,
);
export const e5m2Sums: Case<'reduce-copy/multimem-reduce-sum/e5m2'> = sums(
  'reduce-copy/multimem-reduce-sum/e5m2',
  e5m2,
);
