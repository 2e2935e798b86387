import { NcclError, type ScalarKind } from '@nccl-ts/core';
import { bf16, e4m3, e5m2, f16, f32, f64, i32, i64, i8, u16, u32, u64, u8 } from '@nccl-ts/kernel';
import type { Algorithm } from '../algorithm.ts';
import { collectiveShapes, type CollectiveName } from '../collective.ts';
import type { ReductionName } from '../red-op.ts';
import type {
  ChunkReduceKernel,
  ChunkReduceShape,
  CopyKernel,
  CopyShape,
  ElementParam,
  ReduceKernel,
  ReduceShape,
  HierarchicalCopyKernel,
  HierarchicalCopyShape,
  HierarchicalReduceKernel,
  HierarchicalReduceShape,
  LLCopyKernel,
  LLReduceKernel,
  LLReduceShape,
  RingCopyKernel,
  RingCopyShape,
  RingReduceKernel,
  RingReduceShape,
  SentinelReduceKernel,
  SentinelReduceShape,
} from './collective-kernel.ts';
import { chunkedAllReduce } from './chunked-all-reduce.ts';
import { elementReductions } from './element-reductions.ts';
import { hierarchicalAllGather } from './hierarchical-all-gather.ts';
import { hierarchicalAllReduce } from './hierarchical-all-reduce.ts';
import { hierarchicalAllToAll } from './hierarchical-all-to-all.ts';
import { hierarchicalBroadcast } from './hierarchical-broadcast.ts';
import { hierarchicalGather } from './hierarchical-gather.ts';
import { hierarchicalReduce } from './hierarchical-reduce.ts';
import { hierarchicalReduceScatter } from './hierarchical-reduce-scatter.ts';
import { hierarchicalScatter } from './hierarchical-scatter.ts';
import { llAllGather } from './ll-all-gather.ts';
import { llAllReduce } from './ll-all-reduce.ts';
import { llAllToAll } from './ll-all-to-all.ts';
import { llReduceScatter } from './ll-reduce-scatter.ts';
import { oneShotAllReduce } from './one-shot-all-reduce.ts';
import { pullReduceScatter } from './pull-reduce-scatter.ts';
import { pullScatter } from './pull-scatter.ts';
import { pushAllGather } from './push-all-gather.ts';
import { pushAllToAll } from './push-all-to-all.ts';
import { pushBroadcast } from './push-broadcast.ts';
import { pushGather } from './push-gather.ts';
import { pushReduce } from './push-reduce.ts';
import { reductionBy, reductions } from './reductions.ts';
import { ringAllGather } from './ring-all-gather.ts';
import { ringAllReduce } from './ring-all-reduce.ts';
import { ringBroadcast } from './ring-broadcast.ts';
import { ringReduceScatter } from './ring-reduce-scatter.ts';
import { copyKernel, reduceKernel, type CopyForm, type ReduceForm } from './collective-form.ts';
import {
  copyGroupKernel,
  llGroupKernel,
  reduceGroupKernel,
  type GroupKernel,
  type LLGroupKernel,
} from './group-kernel.ts';
import { llKernel, type LLForm } from './ll-form.ts';
import { HIERARCHICAL_CHUNK_BYTES, paceOf, type BackendShape } from '../backend-shape.ts';
import { sentinelAllReduce } from './sentinel-all-reduce.ts';
import { twoShotAllReduce } from './two-shot-all-reduce.ts';

/** A type that collectives take, and the type that it is reduced in. */
interface ElementRow {
  readonly T: ElementParam;
  readonly A: ElementParam;
  /** What its bits are copied as. */
  readonly bits: ElementParam;
}

function row(T: ElementParam, bits: ElementParam, A: ElementParam = T): ElementRow {
  return Object.freeze({ T, A, bits });
}

/** NCCL's types. */
const elements: Readonly<Partial<Record<ScalarKind, ElementRow>>> = Object.freeze({
  i8: row(i8, u8),
  u8: row(u8, u8),
  i32: row(i32, u32),
  u32: row(u32, u32),
  i64: row(i64, u64),
  u64: row(u64, u64),
  f16: row(f16, u16, f32),
  bf16: row(bf16, u16, f32),
  f32: row(f32, u32),
  f64: row(f64, u64),
  e4m3: row(e4m3, u8, f16),
  e5m2: row(e5m2, u8, f16),
});

type Maker =
  | { readonly kind: 'copy'; readonly make: (shape: CopyShape) => CopyForm }
  | { readonly kind: 'ringCopy'; readonly make: (shape: RingCopyShape) => RingCopyKernel }
  | { readonly kind: 'llCopy'; readonly make: (shape: CopyShape) => LLForm }
  | { readonly kind: 'llReduce'; readonly make: (shape: LLReduceShape) => LLForm }
  | { readonly kind: 'hierarchicalCopy'; readonly make: (shape: HierarchicalCopyShape) => HierarchicalCopyKernel }
  | { readonly kind: 'hierarchicalReduce'; readonly make: (shape: HierarchicalReduceShape) => HierarchicalReduceKernel }
  | { readonly kind: 'sentinelReduce'; readonly make: (shape: SentinelReduceShape) => SentinelReduceKernel }
  | { readonly kind: 'ringReduce'; readonly make: (shape: RingReduceShape) => RingReduceKernel }
  | { readonly kind: 'chunkReduce'; readonly make: (shape: ChunkReduceShape) => ChunkReduceKernel }
  | { readonly kind: 'reduce'; readonly make: (shape: ReduceShape) => ReduceForm };

const makers: Readonly<Record<CollectiveName, Readonly<Partial<Record<Algorithm, Maker>>>>> = Object.freeze({
  allReduce: {
    twoShot: { kind: 'reduce', make: twoShotAllReduce },
    oneShot: { kind: 'reduce', make: oneShotAllReduce },
    chunked: { kind: 'chunkReduce', make: chunkedAllReduce },
    ll: { kind: 'llReduce', make: llAllReduce },
    sentinel: { kind: 'sentinelReduce', make: sentinelAllReduce },
    ring: { kind: 'ringReduce', make: ringAllReduce },
    hierarchical: { kind: 'hierarchicalReduce', make: hierarchicalAllReduce },
  },
  broadcast: {
    twoShot: { kind: 'copy', make: pushBroadcast },
    ring: { kind: 'ringCopy', make: ringBroadcast },
    hierarchical: { kind: 'hierarchicalCopy', make: hierarchicalBroadcast },
  },
  reduce: {
    twoShot: { kind: 'reduce', make: pushReduce },
    hierarchical: { kind: 'hierarchicalReduce', make: hierarchicalReduce },
  },
  allGather: {
    direct: { kind: 'copy', make: pushAllGather },
    ll: { kind: 'llCopy', make: llAllGather },
    ring: { kind: 'ringCopy', make: ringAllGather },
    hierarchical: { kind: 'hierarchicalCopy', make: hierarchicalAllGather },
  },
  reduceScatter: {
    direct: { kind: 'reduce', make: pullReduceScatter },
    ll: { kind: 'llReduce', make: llReduceScatter },
    ring: { kind: 'ringReduce', make: ringReduceScatter },
    hierarchical: { kind: 'hierarchicalReduce', make: hierarchicalReduceScatter },
  },
  allToAll: {
    direct: { kind: 'copy', make: pushAllToAll },
    ll: { kind: 'llCopy', make: llAllToAll },
    hierarchical: { kind: 'hierarchicalCopy', make: hierarchicalAllToAll },
  },
  gather: {
    direct: { kind: 'copy', make: pushGather },
    hierarchical: { kind: 'hierarchicalCopy', make: hierarchicalGather },
  },
  scatter: {
    direct: { kind: 'copy', make: pullScatter },
    hierarchical: { kind: 'hierarchicalCopy', make: hierarchicalScatter },
  },
});

/** Times 16 bytes that a thread has under way of all sources: what registers hold. */
const MOST_LOADS = 16;

/** What a kernel is looked up by. */
export interface KernelKey {
  readonly collective: CollectiveName;
  readonly algorithm: Algorithm;
  readonly element: ScalarKind;
  readonly op: ReductionName | undefined;
  /** The kernel counts beyond 32 bits. */
  readonly wide: boolean;
  /** Of the load-store domain. */
  readonly lsaSize: number;
  readonly shape: BackendShape;
}

/** A kernel, and what its pointers point at. */
export type TypedKernel =
  | { readonly kind: 'ringCopy'; readonly kernel: RingCopyKernel; readonly element: ScalarKind }
  | { readonly kind: 'llCopy'; readonly kernel: LLCopyKernel; readonly element: ScalarKind }
  | { readonly kind: 'llReduce'; readonly kernel: LLReduceKernel; readonly element: ScalarKind }
  | { readonly kind: 'hierarchicalCopy'; readonly kernel: HierarchicalCopyKernel; readonly element: ScalarKind }
  | { readonly kind: 'hierarchicalReduce'; readonly kernel: HierarchicalReduceKernel; readonly element: ScalarKind }
  | { readonly kind: 'sentinelReduce'; readonly kernel: SentinelReduceKernel; readonly element: ScalarKind }
  | { readonly kind: 'ringReduce'; readonly kernel: RingReduceKernel; readonly element: ScalarKind }
  | { readonly kind: 'chunkReduce'; readonly kernel: ChunkReduceKernel; readonly element: ScalarKind }
  | { readonly kind: 'copy'; readonly kernel: CopyKernel; readonly element: ScalarKind }
  | { readonly kind: 'reduce'; readonly kernel: ReduceKernel; readonly element: ScalarKind };

/** A kernel that does several calls, and what their pointers point at. */
export type TypedGroupKernel =
  | { readonly kind: 'group'; readonly kernel: GroupKernel; readonly element: ScalarKind }
  | { readonly kind: 'llGroup'; readonly kernel: LLGroupKernel; readonly element: ScalarKind };

/** The collectives' kernels, each made when it is first asked for and then kept: worlds compile a kernel once. */
export class KernelTable {
  readonly #made = new Map<string, TypedKernel>();
  readonly #groups = new Map<string, TypedGroupKernel>();

  /** @throws NcclError `NCCL_INVALID_ARGUMENT` where collectives do not take the type. */
  get(key: KernelKey): TypedKernel {
    const row = rowOf(key);
    return kept(this.#made, nameOf(key, row), () => makeKernel(makerOf(key), row, key));
  }

  /** The kernel that does several such calls in one launch; undefined where there is none. @throws NcclError as `get`. */
  getGroup(key: KernelKey): TypedGroupKernel | undefined {
    const maker = makerOf(key);
    const row = rowOf(key);
    if (maker.kind !== 'copy' && maker.kind !== 'reduce' && maker.kind !== 'llCopy' && maker.kind !== 'llReduce')
      return undefined;
    return key.op === 'preMulSum'
      ? undefined
      : kept(this.#groups, nameOf(key, row), () => makeGroupKernel(maker, row, key));
  }
}

function kept<T>(made: Map<string, T>, name: string, make: () => T): T {
  const found = made.get(name);
  if (found !== undefined) return found;
  const fresh = make();
  made.set(name, fresh);
  return fresh;
}

function rowOf({ collective, element }: KernelKey): ElementRow {
  const types = elements[element];
  if (types !== undefined) return types;
  throw new NcclError(
    'NCCL_INVALID_ARGUMENT',
    `${collective}: elements of type ${element} are none of NCCL's; it has ${Object.keys(elements).join(', ')}.`,
  );
}

function makerOf({ collective, algorithm }: KernelKey): Maker {
  const maker = makers[collective][algorithm];
  if (maker === undefined) throw new RangeError(`${collective} has no kernel for ${algorithm}.`);
  return maker;
}

/** Equal where the kernel is. */
function nameOf({ collective, algorithm, element, op, wide, lsaSize, shape }: KernelKey, { bits }: ElementRow): string {
  const what = collectiveShapes[collective].reduces ? `${element} ${op ?? ''}` : bits.scalar;
  const { ranks, packs } = paceOf(shape, lsaSize);
  const sizes = [shape.chunks.partBytes, shape.ring.slotBytes];
  return [collective, algorithm, what, wide, ranks, packs, ...sizes].join(' ');
}

/** What kernels are made for that move elements, and those that reduce them. */
function shapesOf(
  { T, A, bits }: ElementRow,
  { op, wide, lsaSize, shape }: KernelKey,
): { readonly moved: CopyShape; readonly reduced: ReduceShape } {
  const count = wide ? u64 : u32;
  const pace = paceOf(shape, lsaSize);
  // With many sources there are enough loads under way.
  const packs = pace.ranks === 0 ? 1 : Math.max(1, Math.min(pace.packs, MOST_LOADS / pace.ranks));
  const reduction = reductionBy(op ?? 'sum', { sources: pace.ranks, packs });
  return { moved: { T: bits, count, pace }, reduced: { T, A, count, pace, scaled: op === 'preMulSum', reduction } };
}

function makeKernel(maker: Maker, row: ElementRow, key: KernelKey): TypedKernel {
  const { T, bits } = row;
  const { op, shape } = key;
  const { moved, reduced } = shapesOf(row, key);
  const { partBytes } = shape.chunks;
  const reduction = reductions[op ?? 'sum'];
  const element = elementReductions[op ?? 'sum'];
  const { slotBytes } = shape.ring;
  const chunkBytes = HIERARCHICAL_CHUNK_BYTES;
  switch (maker.kind) {
    case 'copy':
      return { kind: maker.kind, kernel: copyKernel(maker.make(moved), moved), element: bits.scalar };
    case 'llCopy':
      return { kind: maker.kind, kernel: llKernel(maker.make(moved), moved), element: bits.scalar };
    case 'ringCopy':
      return { kind: maker.kind, kernel: maker.make({ ...moved, slotBytes }), element: bits.scalar };
    case 'hierarchicalCopy':
      return { kind: maker.kind, kernel: maker.make({ ...moved, chunkBytes }), element: bits.scalar };
    case 'reduce':
      return { kind: maker.kind, kernel: reduceKernel(maker.make(reduced), reduced), element: T.scalar };
    case 'chunkReduce':
      return { kind: maker.kind, kernel: maker.make({ ...reduced, partBytes }), element: T.scalar };
    case 'llReduce':
      return { kind: maker.kind, kernel: llKernel(maker.make({ ...reduced, element }), reduced), element: T.scalar };
    case 'sentinelReduce':
      return { kind: maker.kind, kernel: maker.make({ ...reduced, element }), element: T.scalar };
    case 'ringReduce': {
      const partial = op === 'avg' ? reductions.sum : reduction;
      return { kind: maker.kind, kernel: maker.make({ ...reduced, reduction, partial, slotBytes }), element: T.scalar };
    }
    case 'hierarchicalReduce': {
      // What scales does so once, at the start, and what divides at the end.
      const within = op === 'avg' ? reductions.sum : reduction;
      const across = op === 'preMulSum' ? reductions.sum : reduction;
      return {
        kind: maker.kind,
        kernel: maker.make({ ...reduced, within, across, chunkBytes }),
        element: T.scalar,
      };
    }
  }
}

function makeGroupKernel(
  maker: Extract<Maker, { readonly kind: 'copy' | 'reduce' | 'llCopy' | 'llReduce' }>,
  row: ElementRow,
  key: KernelKey,
): TypedGroupKernel {
  const { T, bits } = row;
  const { moved, reduced } = shapesOf(row, key);
  const element = elementReductions[key.op ?? 'sum'];
  switch (maker.kind) {
    case 'copy':
      return { kind: 'group', kernel: copyGroupKernel(maker.make(moved), moved), element: bits.scalar };
    case 'reduce':
      return { kind: 'group', kernel: reduceGroupKernel(maker.make(reduced), reduced), element: T.scalar };
    case 'llCopy':
      return { kind: 'llGroup', kernel: llGroupKernel(maker.make(moved), moved), element: bits.scalar };
    case 'llReduce': {
      const made = maker.make({ ...reduced, element });
      return { kind: 'llGroup', kernel: llGroupKernel(made, reduced), element: T.scalar };
    }
  }
}
