import { at as itemAt } from '@nccl-ts/core';
import { teamLsa, type DevComm } from '@nccl-ts/devcomm';
import { bf16, deviceFn, e4m3, f16, f32, i16, i32, u64, u8, type ScalarParam } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { Case } from '../../case.ts';
import type { ReduceCopyCall } from '../fixture/reduce-copy-calls.ts';
import { reduceCopyCase, type Act, type ReduceCopyOperands, type Memory } from '../fixture/reduce-copy-case.ts';
import {
  reduced,
  replaced,
  type Element,
  type ElementKind,
  type CombineElements,
} from '../fixture/reduce-reference.ts';

type ElementValues = readonly Element[];

const part = (values: ElementValues | undefined, at: number, { count }: ReduceCopyCall): ElementValues =>
  (values ?? []).slice(at, at + count);

/** The elements of all ranks, reduced, at the destination of the rank. */
function ofAll(
  kind: ElementKind,
  reduction?: CombineElements,
): (memory: Memory, call: ReduceCopyCall, rank: number) => readonly Element[] {
  return ({ src, dst }, call, rank) =>
    replaced(
      itemAt(dst, rank),
      call.to,
      reduced(
        kind,
        src.map((values) => part(values, call.from, call)),
        reduction,
      ),
    );
}

function multimemCase<const Id extends string>(
  id: Id,
  mirrors: string,
  type: ScalarParam<ElementKind, unknown>,
  act: Act,
  expected = ofAll(type.scalar),
): Case<Id> {
  return reduceCopyCase({ id, mirrors, type, act, expected, multimem: true, scalars: ['u64'] });
}

const sumOfPlaces: Act = deviceFn(
  { name: 'sumOfPlaces', use: { reduceCopy } },
  ({ reduceCopy, coopCta, u64 }, comm: DevComm, { src, dst, count }: ReduceCopyOperands) => {
    // Uses a pointer on one rank, and a window on the others.
    const handle = comm.lsaMultimem;
    if (comm.rank === 1)
      reduceCopy.multimemReduceSum(coopCta(), src.multimemPtr(handle), dst.localPtr(), u64(count), { unroll: 8 });
    else reduceCopy.multimemReduceSum(coopCta(), src.window, src.offset, dst.localPtr(), count, handle);
  },
);

export const sumsOfPlaces: Case<'reduce-copy/multimem-reduce-sum/places'> = multimemCase(
  'reduce-copy/multimem-reduce-sum/places',
  'ncclMultimemReduceSum with a pointer and with a window',
  bf16,
  sumOfPlaces,
);

const toAll: Act = deviceFn(
  { name: 'toAll', use: { reduceCopy } },
  ({ reduceCopy, coopCta }, comm: DevComm, { src, dst, count }: ReduceCopyOperands) => {
    if (comm.rank === 1) reduceCopy.multimemCopy(coopCta(), src.localPtr(), dst, count, comm.lsaMultimem);
  },
);

const toPointer: Act = deviceFn(
  { name: 'toPointer', use: { reduceCopy } },
  ({ reduceCopy, coopCta }, comm: DevComm, { src, dst, count }: ReduceCopyOperands) => {
    if (comm.rank === 1) reduceCopy.multimemCopy(coopCta(), src.localPtr(), dst.lsaMultimemPtr(comm), count);
  },
);

const toWindow: Act = deviceFn(
  { name: 'toWindow', use: { reduceCopy } },
  ({ reduceCopy, coopWarp, threadIdx }, comm: DevComm, { src, dst, count }: ReduceCopyOperands) => {
    if (comm.rank === 1) {
      if (threadIdx.x < 32)
        reduceCopy.multimemCopy(coopWarp(), src.localPtr(), dst.window, dst.offset, count, comm.lsaMultimem);
    }
  },
);

const copied = ({ src, dst }: Memory, call: ReduceCopyCall, rank: number): readonly Element[] =>
  replaced(itemAt(dst, rank), call.to, part(src[1], call.from, call));

export const copiesBytes: Case<'reduce-copy/multimem-copy/u8'> = multimemCase(
  'reduce-copy/multimem-copy/u8',
  'ncclMultimemCopy',
  u8,
  toAll,
  copied,
);

export const copiesHalves: Case<'reduce-copy/multimem-copy/i16'> = multimemCase(
  'reduce-copy/multimem-copy/i16',
  'ncclMultimemCopy with a window, by a warp',
  i16,
  toWindow,
  copied,
);

export const copiesDoubleWords: Case<'reduce-copy/multimem-copy/u64'> = multimemCase(
  'reduce-copy/multimem-copy/u64',
  'ncclMultimemCopy with a pointer',
  u64,
  toPointer,
  copied,
);

const switchAlone: Act = deviceFn(
  { name: 'switchAlone', use: { reduceCopy } },
  ({ reduceCopy, coopCta }, comm: DevComm, { src, dst, count }: ReduceCopyOperands) => {
    const handle = comm.lsaMultimem;
    if (comm.rank === 0) reduceCopy.multimemReduceSumCopy(coopCta(), src, handle, dst, handle, count);
  },
);

export const allReduces: Case<'reduce-copy/multimem-reduce-sum-copy/sym-ptrs'> = multimemCase(
  'reduce-copy/multimem-reduce-sum-copy/sym-ptrs',
  'ncclMultimemReduceSumCopy',
  f16,
  switchAlone,
);

const byPointers: Act = deviceFn(
  { name: 'byPointers', use: { reduceCopy } },
  ({ reduceCopy, coopCta }, comm: DevComm, { src, dst, count }: ReduceCopyOperands) => {
    if (comm.rank === 2)
      reduceCopy.multimemReduceSumCopy(coopCta(), src.lsaMultimemPtr(comm), dst.lsaMultimemPtr(comm), count);
  },
);

export const allReducesPointers: Case<'reduce-copy/multimem-reduce-sum-copy/pointers'> = multimemCase(
  'reduce-copy/multimem-reduce-sum-copy/pointers',
  'ncclMultimemReduceSumCopy with pointers',
  i32,
  byPointers,
);

const byWindows: Act = deviceFn(
  { name: 'byWindows', use: { reduceCopy } },
  ({ reduceCopy, coopCta }, comm: DevComm, { src, dst, count }: ReduceCopyOperands) => {
    const all = comm.lsaMultimem;
    if (comm.rank === 1)
      reduceCopy.multimemReduceSumCopy(
        coopCta(),
        src.T,
        src.window,
        src.offset,
        all,
        dst.window,
        dst.offset,
        all,
        count,
      );
  },
);

export const allReducesWindows: Case<'reduce-copy/multimem-reduce-sum-copy/windows'> = multimemCase(
  'reduce-copy/multimem-reduce-sum-copy/windows',
  'ncclMultimemReduceSumCopy with windows',
  e4m3,
  byWindows,
);

const lsaToAll: Act = deviceFn(
  { name: 'lsaToAll', use: { reduceCopy, teamLsa } },
  ({ reduceCopy, teamLsa, coopCta }, comm: DevComm, { src, dst, count }: ReduceCopyOperands) => {
    if (comm.rank === 0)
      reduceCopy.lsaReduceSumMultimemCopy(coopCta(), src, teamLsa(comm), dst, comm.lsaMultimem, count);
  },
);

export const lsaSumsToAll: Case<'reduce-copy/lsa-reduce-sum-multimem-copy/sym-ptrs'> = multimemCase(
  'reduce-copy/lsa-reduce-sum-multimem-copy/sym-ptrs',
  'ncclLsaReduceSumMultimemCopy; 8-bit integers too, for the switch only stores',
  u8,
  lsaToAll,
);

const lsaToPointer: Act = deviceFn(
  { name: 'lsaToPointer', use: { reduceCopy, teamLsa } },
  ({ reduceCopy, teamLsa, coopCta }, comm: DevComm, { src, dst, count }: ReduceCopyOperands) => {
    if (comm.rank === 1)
      reduceCopy.lsaReduceSumMultimemCopy(coopCta(), src, teamLsa(comm), dst.lsaMultimemPtr(comm), count);
  },
);

export const lsaSumsToPointer: Case<'reduce-copy/lsa-reduce-sum-multimem-copy/pointer'> = multimemCase(
  'reduce-copy/lsa-reduce-sum-multimem-copy/pointer',
  'ncclLsaReduceSumMultimemCopy to a pointer',
  f32,
  lsaToPointer,
);

const lsaPlacesToAll: Act = deviceFn(
  { name: 'lsaPlacesToAll', use: { reduceCopy } },
  ({ reduceCopy, coopCta }, comm: DevComm, { src, dst, count }: ReduceCopyOperands) => {
    if (comm.rank === 2)
      reduceCopy.lsaReduceSumMultimemCopy(
        coopCta(),
        src.T,
        (i) => src.lsaPtr(i),
        3,
        (_i) => dst.lsaMultimemPtr(comm),
        1,
        count,
      );
  },
);

export const lsaSumsOfPlaces: Case<'reduce-copy/lsa-reduce-sum-multimem-copy/places'> = multimemCase(
  'reduce-copy/lsa-reduce-sum-multimem-copy/places',
  'ncclLsaReduceSumMultimemCopy with lambdas',
  bf16,
  lsaPlacesToAll,
);

const allToLsa: Act = deviceFn(
  { name: 'allToLsa', use: { reduceCopy, teamLsa } },
  ({ reduceCopy, teamLsa, coopCta }, comm: DevComm, { src, dst, count }: ReduceCopyOperands) => {
    if (comm.rank === 0)
      reduceCopy.multimemReduceSumLsaCopy(coopCta(), src, comm.lsaMultimem, dst, teamLsa(comm), count);
  },
);

export const sumsToLsa: Case<'reduce-copy/multimem-reduce-sum-lsa-copy/sym-ptrs'> = multimemCase(
  'reduce-copy/multimem-reduce-sum-lsa-copy/sym-ptrs',
  'ncclMultimemReduceSumLsaCopy',
  bf16,
  allToLsa,
);

const pointerToLsa: Act = deviceFn(
  { name: 'pointerToLsa', use: { reduceCopy, teamLsa } },
  ({ reduceCopy, teamLsa, coopCta }, comm: DevComm, { src, dst, count }: ReduceCopyOperands) => {
    if (comm.rank === 1)
      reduceCopy.multimemReduceSumLsaCopy(coopCta(), src.lsaMultimemPtr(comm), dst, teamLsa(comm), count);
  },
);

export const sumsOfPointerToLsa: Case<'reduce-copy/multimem-reduce-sum-lsa-copy/pointer'> = multimemCase(
  'reduce-copy/multimem-reduce-sum-lsa-copy/pointer',
  'ncclMultimemReduceSumLsaCopy of a pointer',
  i32,
  pointerToLsa,
);

const placesToLsa: Act = deviceFn(
  { name: 'placesToLsa', use: { reduceCopy } },
  ({ reduceCopy, coopCta }, comm: DevComm, { src, dst, count }: ReduceCopyOperands) => {
    if (comm.rank === 2)
      reduceCopy.multimemReduceSumLsaCopy(
        coopCta(),
        src.T,
        (_i) => src.lsaMultimemPtr(comm),
        1,
        (i) => dst.lsaPtr(i),
        3,
        count,
      );
  },
);

export const sumsOfPlacesToLsa: Case<'reduce-copy/multimem-reduce-sum-lsa-copy/places'> = multimemCase(
  'reduce-copy/multimem-reduce-sum-lsa-copy/places',
  'ncclMultimemReduceSumLsaCopy with lambdas',
  f16,
  placesToLsa,
);

const twiceToAll: Act = deviceFn(
  { name: 'twiceToAll', use: { reduceCopy } },
  ({ reduceCopy, coopCta }, comm: DevComm, { src, dst, count }: ReduceCopyOperands) => {
    // The same source twice, which gives twice the sum.
    if (comm.rank === 0)
      reduceCopy.multimemReduceSumMultimemCopy(
        coopCta(),
        src.T,
        (_i) => src.lsaMultimemPtr(comm),
        2,
        (_i) => dst.lsaMultimemPtr(comm),
        1,
        count,
      );
  },
);

export const sumsToAll: Case<'reduce-copy/multimem-reduce-sum-multimem-copy'> = multimemCase(
  'reduce-copy/multimem-reduce-sum-multimem-copy',
  'ncclMultimemReduceSumMultimemCopy, of two sources',
  bf16,
  twiceToAll,
  ({ src, dst }, call, rank) => {
    const once = reduced(
      'bf16',
      src.map((values) => part(values, call.from, call)),
    );
    return replaced(itemAt(dst, rank), call.to, reduced('bf16', [once, once]));
  },
);

const largestToAll: Act = deviceFn(
  { name: 'largestToAll', use: { reduceCopy } },
  ({ reduceCopy, coopCta, max }, comm: DevComm, { src, dst, count }: ReduceCopyOperands) => {
    if (comm.rank === 0)
      reduceCopy.lsaReduceMultimemCopy(
        coopCta(),
        src.T,
        (i) => src.lsaPtr(i),
        3,
        (_i) => dst.lsaMultimemPtr(comm),
        1,
        (a, b) => max(a, b * 2),
        count,
      );
  },
);

export const ownOperatorToAll: Case<'reduce-copy/lsa-reduce-multimem-copy'> = multimemCase(
  'reduce-copy/lsa-reduce-multimem-copy',
  'ncclLsaReduceMultimemCopy with an operator that is not a sum',
  bf16,
  largestToAll,
  ofAll('bf16', (a, b) => Math.max(Number(a), Number(b) * 2)),
);
