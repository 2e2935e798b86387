import { at as itemAt } from '@nccl-ts/core';
import type { DevComm, SymPtr } from '@nccl-ts/devcomm';
import { team, teamLsa } from '@nccl-ts/devcomm';
import { bf16, deviceFn, f32, i16, u32, u8 } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { Case } from '../../case.ts';
import type { ReduceCopyCall } from '../fixture/reduce-copy-calls.ts';
import { reduceCopyCase, type Act, type ReduceCopyOperands } from '../fixture/reduce-copy-case.ts';
import { reduced, replaced, type Element } from '../fixture/reduce-reference.ts';

type ElementValues = readonly Element[];

const part = (values: ElementValues | undefined, at: number, { count }: ReduceCopyCall): ElementValues =>
  (values ?? []).slice(at, at + count);

const byPointers: Act = deviceFn(
  { name: 'byPointers', use: { reduceCopy, teamLsa } },
  ({ reduceCopy, teamLsa, coopCta, u64 }, comm: DevComm, { src, dst, count }: ReduceCopyOperands) => {
    // From the last rank to the first, with a 64-bit count.
    const last = teamLsa(comm).nRanks - 1;
    reduceCopy.lsaReduceSum(coopCta(), (i) => src.lsaPtr(last - i), last + 1, dst.localPtr(), u64(count));
  },
);

export const sumsOfPlaces: Case<'reduce-copy/lsa-reduce-sum/places'> = reduceCopyCase({
  id: 'reduce-copy/lsa-reduce-sum/places',
  mirrors: 'ncclLsaReduceSum with a lambda',
  type: bf16,
  act: byPointers,
  scalars: ['u64'],
  expected: ({ src, dst }, call, rank) =>
    replaced(
      itemAt(dst, rank),
      call.to,
      reduced(
        'bf16',
        src.toReversed().map((values) => part(values, call.from, call)),
      ),
    ),
});

const byThread: Act = deviceFn(
  { name: 'byThread', use: { reduceCopy, Team: team } },
  ({ reduceCopy, Team, coopThread, threadIdx }, comm: DevComm, { src, dst, count }: ReduceCopyOperands) => {
    // A single thread, over this rank and the next but not the third.
    const both = Team({ nRanks: 2, rank: 0, stride: comm.lsaRank === 2 ? -1 : 1 });
    if (threadIdx.x === 0)
      reduceCopy.lsaReduceSum(coopThread(), src.window, src.offset, dst.localPtr(), count, both, { unroll: 8 });
  },
);

export const sumsOfTeams: Case<'reduce-copy/lsa-reduce-sum/team'> = reduceCopyCase({
  id: 'reduce-copy/lsa-reduce-sum/team',
  mirrors: 'ncclLsaReduceSum with a window and a team, by one thread',
  type: f32,
  act: byThread,
  expected: ({ src, dst }, call, rank) =>
    replaced(
      itemAt(dst, rank),
      call.to,
      reduced('f32', [part(src[rank], call.from, call), part(src[rank === 2 ? 1 : rank + 1], call.from, call)]),
    ),
});

const toAll: Act = deviceFn(
  { name: 'toAll', use: { reduceCopy } },
  ({ reduceCopy, coopCta }, comm: DevComm, { src, dst, count }: ReduceCopyOperands) => {
    if (comm.rank === 1) reduceCopy.lsaCopy(coopCta(), src.localPtr(), dst, count, comm);
  },
);

export const copiesToAll: Case<'reduce-copy/lsa-copy'> = reduceCopyCase({
  id: 'reduce-copy/lsa-copy',
  mirrors: 'ncclLsaCopy',
  type: u8,
  act: toAll,
  expected: ({ src, dst }, call, rank) => replaced(itemAt(dst, rank), call.to, part(src[1], call.from, call)),
});

const strided: Act = deviceFn(
  { name: 'strided', use: { reduceCopy } },
  ({ reduceCopy, coopCta, i32 }, comm: DevComm, { src, dst, count, displ }: ReduceCopyOperands) => {
    if (comm.rank === 0) reduceCopy.localReduceSum(coopCta(), 3, src.localPtr(), displ, dst.localPtr(), i32(count));
    else if (comm.rank === 1) reduceCopy.localCopy(coopCta(), src.localPtr(), 2, dst.localPtr(), displ, count);
    else reduceCopy.localReduceSumCopy(coopCta(), 2, src.localPtr(), displ, 3, dst.localPtr(), displ, count);
  },
);

export const stridedRegions: Case<'reduce-copy/strided'> = reduceCopyCase({
  id: 'reduce-copy/strided',
  mirrors: 'ncclLocalReduceSum, ncclLocalCopy, ncclLocalReduceSumCopy',
  type: i16,
  act: strided,
  expected: ({ src, dst }, call, rank) => {
    const own = itemAt(dst, rank);
    const region = (i: number): ElementValues => part(src[rank], call.from + i * call.displ, call);
    const stored = (n: number, values: ElementValues): ElementValues =>
      Array.from({ length: n }, (_, i) => call.to + i * call.displ).reduce(
        (before, at) => replaced(before, at, values),
        own,
      );
    if (rank === 0) return stored(1, reduced('i16', [region(0), region(1), region(2)]));
    return rank === 1 ? stored(2, region(0)) : stored(3, reduced('i16', [region(0), region(1)]));
  },
});

const inPlace: Act = deviceFn(
  { name: 'inPlace', use: { reduceCopy } },
  ({ reduceCopy, coopCta, min, u32 }, comm: DevComm, { src, count }: ReduceCopyOperands) => {
    // Each rank has its own slice, with an awkward size.
    const each = (count + u32(2)) / u32(3);
    const first = min(each * u32(comm.rank), count);
    const slice = (i: number): ReturnType<SymPtr['lsaPtr']> => src.lsaPtr(i).offset(first);
    reduceCopy.lsaReduceSumLsaCopy(coopCta(), src.T, slice, 3, slice, 3, min(each, count - first));
  },
);

export const sumsInPlace: Case<'reduce-copy/lsa-reduce-sum-lsa-copy'> = reduceCopyCase({
  id: 'reduce-copy/lsa-reduce-sum-lsa-copy',
  mirrors: 'ncclLsaReduceSumLsaCopy, in place: an all-reduce',
  type: u32,
  act: inPlace,
  inPlace: true,
  expected: ({ src }, call, rank) =>
    replaced(
      itemAt(src, rank),
      call.from,
      reduced(
        'u32',
        src.map((values) => part(values, call.from, call)),
      ),
    ),
});

const betweenTeams: Act = deviceFn(
  { name: 'betweenTeams', use: { reduceCopy, Team: team } },
  ({ reduceCopy, Team, coopCta }, comm: DevComm, { src, dst, count }: ReduceCopyOperands) => {
    // From the first and the last rank to the first two.
    const outer = Team({ nRanks: 2, rank: 0, stride: 2 });
    const first = Team({ nRanks: 2, rank: 0, stride: 1 });
    if (comm.rank === 0) reduceCopy.lsaReduceSumCopy(coopCta(), src, outer, dst, first, count);
  },
);

export const sumsBetweenTeams: Case<'reduce-copy/lsa-reduce-sum-copy/teams'> = reduceCopyCase({
  id: 'reduce-copy/lsa-reduce-sum-copy/teams',
  mirrors: 'ncclLsaReduceSumCopy with two teams',
  type: f32,
  act: betweenTeams,
  expected: ({ src, dst }, call, rank) =>
    rank === 2
      ? itemAt(dst, 2)
      : replaced(
          itemAt(dst, rank),
          call.to,
          reduced('f32', [part(src[0], call.from, call), part(src[2], call.from, call)]),
        ),
});

const byWindows: Act = deviceFn(
  { name: 'byWindows', use: { reduceCopy } },
  ({ reduceCopy, coopCta }, comm: DevComm, { src, dst, count }: ReduceCopyOperands) => {
    if (comm.rank === 2)
      reduceCopy.lsaReduceSumCopy(coopCta(), src.T, src.window, src.offset, dst.window, dst.offset, count, comm);
  },
);

export const sumsOfWindows: Case<'reduce-copy/lsa-reduce-sum-copy/windows'> = reduceCopyCase({
  id: 'reduce-copy/lsa-reduce-sum-copy/windows',
  mirrors: 'ncclLsaReduceSumCopy with windows',
  type: bf16,
  act: byWindows,
  expected: ({ src, dst }, call, rank) =>
    replaced(
      itemAt(dst, rank),
      call.to,
      reduced(
        'bf16',
        src.map((values) => part(values, call.from, call)),
      ),
    ),
});

const largest: Act = deviceFn(
  { name: 'largest', use: { reduceCopy } },
  ({ reduceCopy, coopCta, max }, comm: DevComm, { src, dst, count }: ReduceCopyOperands) => {
    if (comm.rank === 0)
      reduceCopy.lsaReduceLsaCopy(
        coopCta(),
        src.T,
        (i) => src.lsaPtr(i),
        3,
        (i) => dst.lsaPtr(2 * i),
        2,
        (a, b) => max(a, b * 2),
        count,
      );
  },
);

export const ownOperator: Case<'reduce-copy/lsa-reduce-lsa-copy'> = reduceCopyCase({
  id: 'reduce-copy/lsa-reduce-lsa-copy',
  mirrors: 'ncclLsaReduceLsaCopy with an operator that is not a sum',
  type: bf16,
  act: largest,
  expected: ({ src, dst }, call, rank) =>
    rank === 1
      ? itemAt(dst, 1)
      : replaced(
          itemAt(dst, rank),
          call.to,
          reduced(
            'bf16',
            src.map((values) => part(values, call.from, call)),
            (a, b) => Math.max(Number(a), Number(b) * 2),
          ),
        ),
});
