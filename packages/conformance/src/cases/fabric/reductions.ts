import { cft, type CftOp } from '@nccl-ts/cft';
import { devComm, window } from '@nccl-ts/devcomm';
import { i32, i64, kernel, u32, u64, type Kernel, type HostOf } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { reductionRequires, withCounters } from './words.ts';

const types = { u32, i32, u64, i64 } as const;
type ElementName = keyof typeof types;

/** Elements of a part, and the byte of the counter, behind the longest part. */
const elements = 32;
const COUNTER = 256;

const params = { comm: devComm, win: window, out: window };
type ReductionKernel = Kernel<{ readonly [Name in keyof typeof params]: HostOf<(typeof params)[Name]> }>;

interface ReductionRow {
  readonly op: CftOp;
  readonly element: ElementName;
}

/** Every operation, and every type with and without the order of a sign. */
const rows: readonly ReductionRow[] = [
  { op: 'sum', element: 'u32' },
  { op: 'sum', element: 'i64' },
  { op: 'min', element: 'i32' },
  { op: 'min', element: 'u32' },
  { op: 'max', element: 'u64' },
  { op: 'max', element: 'i64' },
  { op: 'and', element: 'u64' },
  { op: 'or', element: 'u32' },
  { op: 'xor', element: 'i32' },
];

const counted: readonly ReductionRow[] = [{ op: 'sum', element: 'u64' }];

/** Some are negative, so that the order of a sign matters. */
function given(rank: number, i: number): bigint {
  return BigInt(3 * i + 1 - 29 * rank);
}

/** The bits of all ranks' elements combined, and of the one that was there. */
function result({ op, element }: ReductionRow, ranks: readonly number[], i: number): bigint {
  const bits = element.endsWith('64') ? 64 : 32;
  const ordered = (a: bigint): bigint => (element.startsWith('i') ? BigInt.asIntN(bits, a) : BigInt.asUintN(bits, a));
  const combine = (a: bigint, b: bigint): bigint => {
    switch (op) {
      case 'sum':
        return a + b;
      case 'min':
        return ordered(a) < ordered(b) ? a : b;
      case 'max':
        return ordered(a) > ordered(b) ? a : b;
      case 'and':
        return a & b;
      case 'or':
        return a | b;
      case 'xor':
        return a ^ b;
    }
  };
  return BigInt.asUintN(bits, ranks.map((rank) => given(rank, i)).reduce(combine));
}

/** Elements as the words of a window of u32. */
function wordsOf({ element }: ReductionRow, values: readonly bigint[]): readonly number[] {
  if (!element.endsWith('64')) return values.map((value) => Number(BigInt.asUintN(32, value)));
  return values.flatMap((value) => [value, value >> 32n].map((half) => Number(BigInt.asUintN(32, half))));
}

/** Every rank combines its part into all copies, or into those of its multicast group. */
function reducing({ op, element }: ReductionRow, WAY: 'each' | 'multicast', COUNTS: boolean): ReductionKernel {
  const use = { cft, lsa, T: types[element], OP: op, SIZE: element.endsWith('64') ? 8 : 4, WAY, COUNTS, COUNTER };
  return kernel(
    { name: `fabricReduce_${op}_${element}_${WAY}_${COUNTS}`, use, params },
    (
      { cft, lsa, T, OP, SIZE, WAY, COUNTS, COUNTER, coopCta, sharedArray, threadIdx, i32, u32, u64 },
      { comm, win, out },
    ) => {
      const smem = sharedArray(u64, 2);
      const part = sharedArray(T, 32);
      const t = threadIdx.x;
      const fabric = cft.session(coopCta(), smem);
      const bar = lsa.barrierSession(coopCta(), comm, 0);
      part.store(t, T(i32(3 * t + 1) - 29 * comm.rank));
      cft.memFence(coopCta(), 'release', 'generic', 'fabric', 'block');
      const bytes = u32(32 * SIZE);
      const at = u64(COUNTER);
      if (WAY === 'multicast') {
        const le = cft.multimemLeInfo(win, 0, comm);
        if (COUNTS) fabric.redMultimemCounted(coopCta(), le.leId, le.leOffset, le.leOffset + at, OP, part, bytes);
        else fabric.redMultimem(coopCta(), le.leId, le.leOffset, OP, part, bytes);
      } else {
        for (let peer = 0; peer < comm.nRanks; peer++) {
          const le = cft.peerLeInfo(win, 0, peer, comm);
          if (COUNTS) fabric.redCounted(coopCta(), le.leId, le.leOffset, le.leOffset + at, OP, part, bytes);
          else fabric.red(coopCta(), le.leId, le.leOffset, OP, part, bytes);
        }
      }
      fabric.submit(coopCta());
      fabric.flush(coopCta());
      if (COUNTS) {
        const all = u64(WAY === 'multicast' ? comm.lsaSize : comm.nRanks) * u64(bytes);
        fabric.waitCounted(coopCta(), 'acquire', 'generic', lsa.localPointer(win, u64, COUNTER), all);
      } else {
        cft.memFence(coopCta(), 'release', 'fabric', 'generic', 'system');
        bar.sync(coopCta(), 'acq_rel');
        cft.memFence(coopCta(), 'acquire', 'fabric', 'generic', 'system');
      }
      for (let i = t; i < bytes / 4; i += 32) {
        lsa.localPointer(out, u32, 0).store(i, lsa.localPointer(win, u32, 0).load(i));
      }
    },
  );
}

/** Every rank combines the copies of its multicast group in its own shared memory. */
function pulling({ op, element }: ReductionRow): ReductionKernel {
  const use = { cft, lsa, T: types[element], OP: op, SIZE: element.endsWith('64') ? 8 : 4 };
  return kernel(
    { name: `fabricPullReduce_${op}_${element}`, use, params },
    ({ cft, lsa, T, OP, SIZE, coopWarp, sharedArray, threadIdx, i32, u64 }, { comm, win, out }) => {
      const smem = sharedArray(u64, 2);
      const part = sharedArray(T, 32);
      const t = threadIdx.x;
      const fabric = cft.session(coopWarp(), smem);
      const bar = lsa.barrierSession(coopWarp(), comm, 0);
      lsa.localPointer(win, T, 0).store(t, T(i32(3 * t + 1) - 29 * comm.rank));
      cft.memFence(coopWarp(), 'release', 'generic', 'fabric', 'system');
      bar.sync(coopWarp(), 'acq_rel');
      cft.memFence(coopWarp(), 'acquire', 'generic', 'fabric', 'system');
      const le = cft.multimemLeInfo(win, 0, comm);
      fabric.pullRed(coopWarp(), le.leId, le.leOffset, OP, part, 32 * SIZE);
      fabric.submit(coopWarp());
      fabric.flush(coopWarp());
      lsa.localPointer(out, T, 0).store(t, part.load(t));
    },
  );
}

interface ReductionCase<Id extends string> {
  readonly id: Id;
  readonly mirrors: string;
  readonly rows: readonly ReductionRow[];
  readonly kernelOf: (row: ReductionRow) => ReductionKernel;
  readonly method: 'each' | 'multicast' | 'pull';
  readonly counts?: true;
}

/** One launch for each row; the elements that are there first are those of rank 0. */
function reductionCase<const Id extends string>(of: ReductionCase<Id>): Case<Id> {
  const { id, mirrors, method: way, counts = false } = of;
  const all = of.rows.map((row) => [row, of.kernelOf(row)] as const);
  const requires = { ...reductionRequires, ...(counts ? { ncclVersion: 23203 } : {}) };
  return defineCase({
    id,
    mirrors,
    requires: way === 'each' ? requires : { ...requires, multimem: true, subgroups: true },
    ranks: way === 'each' ? [1, 2, 4] : [2, 4],
    ...(way === 'each' ? {} : { lsaSizes: [2] }),
    kernels: all.map(([, each]) => each),
    run: async ({ run, shape: { ranks, lsaSize } }) => {
      await run(async (comm) => {
        const size = COUNTER / 4 + 2;
        const win = await comm.allocWindow('u32', size, withCounters);
        const out = await comm.allocWindow('u32', 2 * elements);
        const cftCaps = way === 'each' ? 'cft' : 'cftMultimem';
        const dev = await comm.createDevComm({ cftCaps, lsaBarrierCount: 1 });
        const group = way === 'each' ? count(ranks) : count(lsaSize, comm.rank - comm.lsaRank);
        for (const [row, launched] of all) {
          const initial = wordsOf(
            row,
            count(elements).map((i) => given(0, i)),
          );
          await win.write([...initial, ...count(size - initial.length).map(() => 0)]);
          await meet(comm);
          await comm.launch(launched, { grid: 1, block: elements }, { comm: dev, win, out });
          const members = way === 'pull' ? group : [0, ...group];
          const expected = wordsOf(
            row,
            count(elements).map((i) => result(row, members, i)),
          );
          expectValues(
            `rank ${comm.rank}: ${row.op} of ${row.element}`,
            (await out.read()).subarray(0, expected.length),
            expected,
          );
          await meet(comm);
        }
      });
    },
  });
}

export const fabricRed: Case<'fabric/red/unicast'> = reductionCase({
  id: 'fabric/red/unicast',
  mirrors: 'ncclCft::red: every rank combines its elements into those of every rank, for each operation',
  rows,
  kernelOf: (row) => reducing(row, 'each', false),
  method: 'each',
});

export const fabricRedCounted: Case<'fabric/red/counted'> = reductionCase({
  id: 'fabric/red/counted',
  mirrors: 'ncclCft::redCounted: the same, with one counter for each rank',
  rows: counted,
  kernelOf: (row) => reducing(row, 'each', true),
  method: 'each',
  counts: true,
});

export const fabricRedMulticast: Case<'fabric/red/multicast'> = reductionCase({
  id: 'fabric/red/multicast',
  mirrors: 'ncclCft::redMultimem: into the copies of a multicast group, by one operation of each rank',
  rows: counted,
  kernelOf: (row) => reducing(row, 'multicast', false),
  method: 'multicast',
});

export const fabricRedMulticastCounted: Case<'fabric/red/multicast-counted'> = reductionCase({
  id: 'fabric/red/multicast-counted',
  mirrors: 'ncclCft::redMultimemCounted: the same, with one counter for each rank',
  rows: counted,
  kernelOf: (row) => reducing(row, 'multicast', true),
  method: 'multicast',
  counts: true,
});

export const fabricPullRed: Case<'fabric/pull-red'> = reductionCase({
  id: 'fabric/pull-red',
  mirrors: 'ncclCft::pullRed: the copies of a multicast group, combined in shared memory, for each operation',
  rows,
  kernelOf: pulling,
  method: 'pull',
});
