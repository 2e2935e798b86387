import { at } from '@nccl-ts/core';
import type { DevComm } from '@nccl-ts/devcomm';
import {
  bf16,
  deviceFn,
  e4m3,
  e5m2,
  f16,
  f32,
  f64,
  i16,
  i32,
  i64,
  i8,
  u16,
  u32,
  u64,
  u8,
  type ScalarParam,
} from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { Case } from '../../case.ts';
import type { ReduceCopyCall } from '../fixture/reduce-copy-calls.ts';
import { reduceCopyCase, type Act, type ReduceCopyOperands, type Memory } from '../fixture/reduce-copy-case.ts';
import { reduced, replaced, type Element, type ElementKind } from '../fixture/reduce-reference.ts';

const sumOfRanks: Act = deviceFn(
  { name: 'sumOfRanks', use: { reduceCopy } },
  ({ reduceCopy, coopCta }, comm: DevComm, { src, dst, count }: ReduceCopyOperands) => {
    reduceCopy.lsaReduceSum(coopCta(), src, dst.localPtr(), count, comm);
  },
);

/** The sum over all ranks of their elements from `from` on. */
function sumOver(kind: ElementKind, { src }: Memory, { from, count }: ReduceCopyCall): readonly Element[] {
  return reduced(
    kind,
    src.map((values) => values.slice(from, from + count)),
  );
}

function sums<const Id extends string>(id: Id, type: ScalarParam<ElementKind, unknown>): Case<Id> {
  return reduceCopyCase({
    id,
    mirrors: 'ncclLsaReduceSum',
    type,
    act: sumOfRanks,
    expected: (memory, call, rank) => replaced(at(memory.dst, rank), call.to, sumOver(type.scalar, memory, call)),
  });
}

export const i8Sums: Case<'reduce-copy/lsa-reduce-sum/i8'> = sums('reduce-copy/lsa-reduce-sum/i8', i8);
export const u8Sums: Case<'reduce-copy/lsa-reduce-sum/u8'> = sums('reduce-copy/lsa-reduce-sum/u8', u8);
export const i16Sums: Case<'reduce-copy/lsa-reduce-sum/i16'> = sums('reduce-copy/lsa-reduce-sum/i16', i16);
export const u16Sums: Case<'reduce-copy/lsa-reduce-sum/u16'> = sums('reduce-copy/lsa-reduce-sum/u16', u16);
export const i32Sums: Case<'reduce-copy/lsa-reduce-sum/i32'> = sums('reduce-copy/lsa-reduce-sum/i32', i32);
export const u32Sums: Case<'reduce-copy/lsa-reduce-sum/u32'> = sums('reduce-copy/lsa-reduce-sum/u32', u32);
export const i64Sums: Case<'reduce-copy/lsa-reduce-sum/i64'> = sums('reduce-copy/lsa-reduce-sum/i64', i64);
export const u64Sums: Case<'reduce-copy/lsa-reduce-sum/u64'> = sums('reduce-copy/lsa-reduce-sum/u64', u64);
export const f16Sums: Case<'reduce-copy/lsa-reduce-sum/f16'> = sums('reduce-copy/lsa-reduce-sum/f16', f16);
export const bf16Sums: Case<'reduce-copy/lsa-reduce-sum/bf16'> = sums('reduce-copy/lsa-reduce-sum/bf16', bf16);
export const f32Sums: Case<'reduce-copy/lsa-reduce-sum/f32'> = sums('reduce-copy/lsa-reduce-sum/f32', f32);
export const f64Sums: Case<'reduce-copy/lsa-reduce-sum/f64'> = sums('reduce-copy/lsa-reduce-sum/f64', f64);
export const e4m3Sums: Case<'reduce-copy/lsa-reduce-sum/e4m3'> = sums('reduce-copy/lsa-reduce-sum/e4m3', e4m3);
export const e5m2Sums: Case<'reduce-copy/lsa-reduce-sum/e5m2'> = sums('reduce-copy/lsa-reduce-sum/e5m2', e5m2);
