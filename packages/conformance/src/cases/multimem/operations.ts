import { at as itemAt } from '@nccl-ts/core';
import type { Communicator } from '@nccl-ts/communicator';
import { devComm, window, type DevCommArg, type WindowArg } from '@nccl-ts/devcomm';
import {
  bf16,
  e4m3,
  e5m2,
  f16,
  f32,
  f64,
  i32,
  i64,
  kernel,
  u32,
  u64,
  type Kernel,
  type ScalarParam,
  type ValueParam,
} from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { multimem, type MultimemOp } from '@nccl-ts/multimem';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { combined, factsOf, filled, held, typeOf, valuesOf, type MultimemKind } from './multimem-values.ts';

type OperationKernel = Kernel<{ readonly comm: DevCommArg; readonly win: WindowArg; readonly other: WindowArg }>;

const params = { comm: devComm, win: window, other: window };
/** The number of accesses of a kernel, one for each thread. */
const accesses = 8;
const shapes = { ranks: [2, 4], lsaSizes: [2, 4] };

function nameOf(what: string, T: ValueParam, op = ''): string {
  return `${what}_${T.kind === 'scalar' ? T.scalar : `${T.element}x${T.width}`}${op === '' ? '' : `_${op}`}`;
}

/** Reduces all copies of `win` into the rank's own copy of `other`. */
function loadReduceKernel(T: ValueParam, op: MultimemOp): OperationKernel {
  return kernel(
    { name: nameOf('loadReduce', T, op), use: { lsa, multimem, T, op }, params },
    ({ lsa, multimem, T, op, threadIdx }, { comm, win, other }) => {
      const p = multimem.lsaPointer(win, T, 0, comm).offset(threadIdx.x);
      lsa.localPointer(other, T, 0).store(threadIdx.x, multimem.loadReduce(p, op));
    },
  );
}

/** Stores the rank's own copy of `other` to all copies of `win`, at an offset for each rank. */
function storeKernel(T: ValueParam): OperationKernel {
  return kernel(
    { name: nameOf('store', T), use: { lsa, multimem, T }, params },
    ({ lsa, multimem, T, threadIdx, blockDim }, { comm, win, other }) => {
      const p = multimem.lsaPointer(win, T, 0, comm).offset(comm.lsaRank * blockDim.x + threadIdx.x);
      multimem.store(p, lsa.localPointer(other, T, 0).load(threadIdx.x));
    },
  );
}

/** Combines the rank's own copy of `other` into all copies of `win`. */
function reduceKernel(T: ValueParam, op: MultimemOp): OperationKernel {
  return kernel(
    { name: nameOf('reduce', T, op), use: { lsa, multimem, T, op }, params },
    ({ lsa, multimem, T, op, threadIdx }, { comm, win, other }) => {
      const p = multimem.lsaPointer(win, T, 0, comm).offset(threadIdx.x);
      multimem.reduce(p, lsa.localPointer(other, T, 0).load(threadIdx.x), op);
    },
  );
}

/** The world ranks of the rank's domain. */
function nearOf(comm: Communicator): readonly number[] {
  const { rank, nRanks } = comm.teamLsa();
  return count(nRanks, comm.rank - rank);
}

function loadReduce<const Id extends string>(id: Id, T: ScalarParam<MultimemKind, unknown>): Case<Id> {
  const kind = T.scalar;
  const facts = factsOf[kind];
  const variants = facts.widths.flatMap((width) =>
    facts.loadReduce.map((op) => ({ width, op, launch: loadReduceKernel(typeOf(T, width), op) })),
  );
  return defineCase({
    id,
    mirrors: 'multimem.ld_reduce',
    requires: { multimem: true, scalars: facts.scalars },
    ...shapes,
    kernels: variants.map(({ launch }) => launch),
    run: async ({ run }) => {
      await run(async (comm) => {
        const dev = await comm.createDevComm({ lsaMultimem: true });
        for (const { width, op, launch } of variants) {
          const n = accesses * width;
          const win = await filled(comm, kind, valuesOf(kind, comm.rank, n));
          const other = await filled(comm, kind, count(n));
          await meet(comm);
          await comm.launch(launch, { grid: 1, block: accesses }, { comm: dev, win, other });
          const all = nearOf(comm).map((rank) => valuesOf(kind, rank, n));
          const expected = count(n).map((i) =>
            combined(
              kind,
              op,
              all.map((values) => itemAt(values, i)),
            ),
          );
          expectValues(`${op}, ${width} wide`, await held(other, kind), expected);
          expectValues('what was read', await held(win, kind), valuesOf(kind, comm.rank, n));
        }
      });
    },
  });
}

function store<const Id extends string>(id: Id, T: ScalarParam<MultimemKind, unknown>): Case<Id> {
  const kind = T.scalar;
  const { widths, scalars } = factsOf[kind];
  const variants = widths.map((width) => ({ width, launch: storeKernel(typeOf(T, width)) }));
  return defineCase({
    id,
    mirrors: 'multimem.st',
    requires: { multimem: true, scalars: scalars.filter((scalar) => scalar === kind) },
    ...shapes,
    kernels: variants.map(({ launch }) => launch),
    run: async ({ run, shape: { lsaSize } }) => {
      await run(async (comm) => {
        const dev = await comm.createDevComm({ lsaMultimem: true });
        for (const { width, launch } of variants) {
          const n = accesses * width;
          const win = await filled(
            comm,
            kind,
            count(n * lsaSize + width).map(() => 1),
          );
          const other = await filled(comm, kind, valuesOf(kind, comm.rank, n));
          await meet(comm);
          await comm.launch(launch, { grid: 1, block: accesses }, { comm: dev, win, other });
          await meet(comm);
          const stored = nearOf(comm).flatMap((rank) => valuesOf(kind, rank, n));
          expectValues(`${width} wide`, await held(win, kind), [...stored, ...wanted(kind, width)]);
        }
      });
    },
  });
}

/** The initial values that remain after the stored elements. */
function wanted(kind: MultimemKind, n: number): readonly (number | bigint)[] {
  return count(n).map(() => (kind === 'i64' || kind === 'u64' ? 1n : 1));
}

function reduce<const Id extends string>(id: Id, T: ScalarParam<MultimemKind, unknown>): Case<Id> {
  const kind = T.scalar;
  const facts = factsOf[kind];
  const variants = facts.widths.flatMap((width) =>
    facts.reduce.map((op) => ({ width, op, launch: reduceKernel(typeOf(T, width), op) })),
  );
  return defineCase({
    id,
    mirrors: 'multimem.red',
    requires: { multimem: true, scalars: facts.scalars },
    ...shapes,
    kernels: variants.map(({ launch }) => launch),
    run: async ({ run }) => {
      await run(async (comm) => {
        const dev = await comm.createDevComm({ lsaMultimem: true });
        for (const { width, op, launch } of variants) {
          const n = accesses * width;
          // Small and different on each rank, so that sums are exact and a missing update is
          // visible.
          const before = valuesOf(kind, 100 + comm.rank, n);
          const win = await filled(comm, kind, before);
          const other = await filled(comm, kind, valuesOf(kind, 50 + comm.rank, n));
          await meet(comm);
          await comm.launch(launch, { grid: 1, block: accesses }, { comm: dev, win, other });
          await meet(comm);
          const added = nearOf(comm).map((rank) => valuesOf(kind, 50 + rank, n));
          const expected = before.map((first, i) => combined(kind, op, [first, ...added.map((own) => itemAt(own, i))]));
          expectValues(`${op}, ${width} wide`, await held(win, kind), expected);
        }
      });
    },
  });
}

export const loadReduceI32: Case<'multimem/load-reduce/i32'> = loadReduce('multimem/load-reduce/i32', i32);
export const loadReduceU32: Case<'multimem/load-reduce/u32'> = loadReduce('multimem/load-reduce/u32', u32);
export const loadReduceI64: Case<'multimem/load-reduce/i64'> = loadReduce('multimem/load-reduce/i64', i64);
export const loadReduceU64: Case<'multimem/load-reduce/u64'> = loadReduce('multimem/load-reduce/u64', u64);
export const loadReduceF32: Case<'multimem/load-reduce/f32'> = loadReduce('multimem/load-reduce/f32', f32);
export const loadReduceF64: Case<'multimem/load-reduce/f64'> = loadReduce('multimem/load-reduce/f64', f64);
export const loadReduceF16: Case<'multimem/load-reduce/f16'> = loadReduce('multimem/load-reduce/f16', f16);
export const loadReduceBf16: Case<'multimem/load-reduce/bf16'> = loadReduce('multimem/load-reduce/bf16', bf16);
export const loadReduceE4m3: Case<'multimem/load-reduce/e4m3'> = loadReduce('multimem/load-reduce/e4m3', e4m3);
export const loadReduceE5m2: Case<'multimem/load-reduce/e5m2'> = loadReduce('multimem/load-reduce/e5m2', e5m2);

export const storeI32: Case<'multimem/store/i32'> = store('multimem/store/i32', i32);
export const storeU32: Case<'multimem/store/u32'> = store('multimem/store/u32', u32);
export const storeI64: Case<'multimem/store/i64'> = store('multimem/store/i64', i64);
export const storeU64: Case<'multimem/store/u64'> = store('multimem/store/u64', u64);
export const storeF32: Case<'multimem/store/f32'> = store('multimem/store/f32', f32);
export const storeF64: Case<'multimem/store/f64'> = store('multimem/store/f64', f64);
export const storeF16: Case<'multimem/store/f16'> = store('multimem/store/f16', f16);
export const storeBf16: Case<'multimem/store/bf16'> = store('multimem/store/bf16', bf16);
export const storeE4m3: Case<'multimem/store/e4m3'> = store('multimem/store/e4m3', e4m3);
export const storeE5m2: Case<'multimem/store/e5m2'> = store('multimem/store/e5m2', e5m2);

export const reduceI32: Case<'multimem/reduce/i32'> = reduce('multimem/reduce/i32', i32);
export const reduceU32: Case<'multimem/reduce/u32'> = reduce('multimem/reduce/u32', u32);
export const reduceI64: Case<'multimem/reduce/i64'> = reduce('multimem/reduce/i64', i64);
export const reduceU64: Case<'multimem/reduce/u64'> = reduce('multimem/reduce/u64', u64);
export const reduceF32: Case<'multimem/reduce/f32'> = reduce('multimem/reduce/f32', f32);
export const reduceF64: Case<'multimem/reduce/f64'> = reduce('multimem/reduce/f64', f64);
export const reduceF16: Case<'multimem/reduce/f16'> = reduce('multimem/reduce/f16', f16);
export const reduceBf16: Case<'multimem/reduce/bf16'> = reduce('multimem/reduce/bf16', bf16);
