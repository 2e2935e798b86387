import type { ScalarKind } from '@nccl-ts/core';
import { bf16, e4m3, e5m2, f16, f32, f64, i32, i64, i8, u16, u32, u64, u8 } from '@nccl-ts/kernel';
import type { Algorithm } from '../algorithm.ts';
import type { CollectiveName } from '../collective.ts';
import type {
  ChunkReduceKernel,
  ChunkReduceShape,
  CopyShape,
  ElementParam,
  ReduceShape,
  HierarchicalCopyKernel,
  HierarchicalCopyShape,
  HierarchicalReduceKernel,
  HierarchicalReduceShape,
  LLReduceShape,
  RingCopyKernel,
  RingCopyShape,
  RingReduceKernel,
  RingReduceShape,
  SentinelReduceKernel,
  SentinelReduceShape,
} from './collective-kernel.ts';
import { chunkedAllReduce } from './chunked-all-reduce.ts';
import { hierarchicalAllGather } from './hierarchical-all-gather.ts';
import { hierarchicalAllReduce } from './hierarchical-all-reduce.ts';
import { hierarchicalAllToAll } from './hierarchical-all-to-all.ts';
import { hierarchicalBroadcast } from './hierarchical-broadcast.ts';
import { hierarchicalGather } from './hierarchical-gather.ts';
import { hierarchicalReduce } from './hierarchical-reduce.ts';
import { hierarchicalReduceScatter } from './hierarchical-reduce-scatter.ts';
import { hierarchicalScatter } from './hierarchical-scatter.ts';
import { llAllGather, llAllToAll } from './ll-copy.ts';
import { llAllReduce, llReduceScatter } from './ll-reduce.ts';
import { oneShotAllReduce } from './one-shot-all-reduce.ts';
import { pullReduceScatter } from './pull-reduce-scatter.ts';
import { pullScatter } from './pull-scatter.ts';
import { pushAllGather } from './push-all-gather.ts';
import { pushAllToAll } from './push-all-to-all.ts';
import { pushBroadcast } from './push-broadcast.ts';
import { pushGather } from './push-gather.ts';
import { pushReduce } from './push-reduce.ts';
import { ringAllGather } from './ring-all-gather.ts';
import { ringAllReduce } from './ring-all-reduce.ts';
import { ringBroadcast } from './ring-broadcast.ts';
import { ringReduceScatter } from './ring-reduce-scatter.ts';
import type { CopyForm, ReduceForm } from './collective-form.ts';
import type { LLForm } from './ll-form.ts';
import { sentinelAllReduce } from './sentinel-all-reduce.ts';
import { twoShotAllReduce } from './two-shot-all-reduce.ts';

/** A type that collectives take, and the type that it is reduced in. */
export interface ElementRow {
  readonly T: ElementParam;
  readonly A: ElementParam;
  /** What its bits are copied as. */
  readonly bits: ElementParam;
}

function row(T: ElementParam, bits: ElementParam, A: ElementParam = T): ElementRow {
  return Object.freeze({ T, A, bits });
}

/** NCCL's types. */
export const elementRows: Readonly<Partial<Record<ScalarKind, ElementRow>>> = Object.freeze({
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

/** How the kernels of one algorithm of a collective are made. */
export type KernelMaker =
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

/** Which algorithm of which collective is made how. */
export const kernelMakers: Readonly<Record<CollectiveName, Readonly<Partial<Record<Algorithm, KernelMaker>>>>> =
  Object.freeze({
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
