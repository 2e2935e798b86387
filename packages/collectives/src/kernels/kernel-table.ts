import { NcclError, type ScalarKind } from '@nccl-ts/core';
import { bf16, e4m3, e5m2, f16, f32, f64, i32, i64, i8, u16, u32, u64, u8, type ScalarParam } from '@nccl-ts/kernel';
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
import { llAllReduce } from './ll-all-reduce.ts';
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
  | { readonly kind: 'copy'; readonly make: (shape: CopyShape) => CopyKernel }
  | { readonly kind: 'ringCopy'; readonly make: (shape: RingCopyShape) => RingCopyKernel }
  | { readonly kind: 'llReduce'; readonly make: (shape: LLReduceShape) => LLReduceKernel }
  | { readonly kind: 'hierarchicalCopy'; readonly make: (shape: HierarchicalCopyShape) => HierarchicalCopyKernel }
  | { readonly kind: 'hierarchicalReduce'; readonly make: (shape: HierarchicalReduceShape) => HierarchicalReduceKernel }
  | { readonly kind: 'sentinelReduce'; readonly make: (shape: SentinelReduceShape) => SentinelReduceKernel }
  | { readonly kind: 'ringReduce'; readonly make: (shape: RingReduceShape) => RingReduceKernel }
  | { readonly kind: 'chunkReduce'; readonly make: (shape: ChunkReduceShape) => ChunkReduceKernel }
  | { readonly kind: 'reduce'; readonly make: (shape: ReduceShape) => ReduceKernel };

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
    ring: { kind: 'ringCopy', make: ringAllGather },
    hierarchical: { kind: 'hierarchicalCopy', make: hierarchicalAllGather },
  },
  reduceScatter: {
    direct: { kind: 'reduce', make: pullReduceScatter },
    ring: { kind: 'ringReduce', make: ringReduceScatter },
    hierarchical: { kind: 'hierarchicalReduce', make: hierarchicalReduceScatter },
  },
  allToAll: {
    direct: { kind: 'copy', make: pushAllToAll },
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
  | { readonly kind: 'llReduce'; readonly kernel: LLReduceKernel; readonly element: ScalarKind }
  | { readonly kind: 'hierarchicalCopy'; readonly kernel: HierarchicalCopyKernel; readonly element: ScalarKind }
  | { readonly kind: 'hierarchicalReduce'; readonly kernel: HierarchicalReduceKernel; readonly element: ScalarKind }
  | { readonly kind: 'sentinelReduce'; readonly kernel: SentinelReduceKernel; readonly element: ScalarKind }
  | { readonly kind: 'ringReduce'; readonly kernel: RingReduceKernel; readonly element: ScalarKind }
  | { readonly kind: 'chunkReduce'; readonly kernel: ChunkReduceKernel; readonly element: ScalarKind }
  | { readonly kind: 'copy'; readonly kernel: CopyKernel; readonly element: ScalarKind }
  | { readonly kind: 'reduce'; readonly kernel: ReduceKernel; readonly element: ScalarKind };

/** The collectives' kernels, each made when it is first asked for and then kept: worlds compile a kernel once. */
export class KernelTable {
  readonly #made = new Map<string, TypedKernel>();

  /** @throws NcclError `NCCL_INVALID_ARGUMENT` where collectives do not take the type. */
  get(key: KernelKey): TypedKernel {
    const { collective, algorithm, element, op, wide, lsaSize, shape } = key;
    const types = elements[element];
    const maker = makers[collective][algorithm];
    if (types === undefined) {
      throw new NcclError(
        'NCCL_INVALID_ARGUMENT',
        `${collective}: elements of type ${element} are none of NCCL's; it has ${Object.keys(elements).join(', ')}.`,
      );
    }
    if (maker === undefined) throw new RangeError(`${collective} has no kernel for ${algorithm}.`);
    const what = collectiveShapes[collective].reduces ? `${element} ${op ?? ''}` : types.bits.scalar;
    const { ranks, packs } = paceOf(shape, lsaSize);
    const sizes = [shape.chunks.partBytes, shape.ring.slotBytes];
    const name = [collective, algorithm, what, wide, ranks, packs, ...sizes].join(' ');
    const found = this.#made.get(name);
    if (found !== undefined) return found;
    const made = makeKernel(maker, types, key);
    this.#made.set(name, made);
    return made;
  }
}

function makeKernel(maker: Maker, { T, A, bits }: ElementRow, { op, wide, lsaSize, shape }: KernelKey): TypedKernel {
  const count = wide ? u64 : u32;
  const pace = paceOf(shape, lsaSize);
  const { partBytes } = shape.chunks;
  const reduction = reductions[op ?? 'sum'];
  // With many sources there are enough loads under way.
  const packs = pace.ranks === 0 ? 1 : Math.max(1, Math.min(pace.packs, MOST_LOADS / pace.ranks));
  const ofAll = reductionBy(op ?? 'sum', { sources: pace.ranks, packs });
  const element = elementReductions[op ?? 'sum'];
  const { slotBytes } = shape.ring;
  const chunkBytes = HIERARCHICAL_CHUNK_BYTES;
  const moved = { T: bits, count, pace };
  const reduced = { T, A, count, pace };
  const scaled = op === 'preMulSum';
  switch (maker.kind) {
    case 'copy':
      return { kind: maker.kind, kernel: maker.make(moved), element: bits.scalar };
    case 'ringCopy':
      return { kind: maker.kind, kernel: maker.make({ ...moved, slotBytes }), element: bits.scalar };
    case 'hierarchicalCopy':
      return { kind: maker.kind, kernel: maker.make({ ...moved, chunkBytes }), element: bits.scalar };
    case 'reduce':
      return { kind: maker.kind, kernel: maker.make({ ...reduced, scaled, reduction: ofAll }), element: T.scalar };
    case 'chunkReduce': {
      const kernel = maker.make({ ...reduced, scaled, reduction: ofAll, partBytes });
      return { kind: maker.kind, kernel, element: T.scalar };
    }
    case 'llReduce':
      return { kind: maker.kind, kernel: maker.make({ ...reduced, element }), element: T.scalar };
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
        kernel: maker.make({ ...reduced, scaled, within, across, chunkBytes }),
        element: T.scalar,
      };
    }
  }
}
