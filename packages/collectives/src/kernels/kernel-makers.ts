import type { ScalarKind } from '@nccl-ts/core';
import { bf16, e4m3, e5m2, f16, f32, f64, i32, i64, i8, u16, u32, u64, u8 } from '@nccl-ts/kernel';
import type { Algorithm } from '../algorithm.ts';
import type { CollectiveName } from '../collective.ts';
import type { CollectiveKernels } from './collective-kernels.ts';
import type { ElementParam, KernelShape } from './kernel-shape.ts';
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
import { sentinelAllReduce } from './sentinel-all-reduce.ts';
import { twoShotAllReduce } from './two-shot-all-reduce.ts';

/** A type that collectives take, and the type that it is reduced in. */
export interface ElementRow {
  readonly T: ElementParam;
  readonly A: ElementParam;
  /** The type in which its bits are copied. */
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

/** Makes the kernels of one algorithm of a collective. */
export type KernelMaker = (shape: KernelShape) => CollectiveKernels;

/** The kernel makers of each algorithm of each collective. */
export const kernelMakers: Readonly<Record<CollectiveName, Readonly<Partial<Record<Algorithm, KernelMaker>>>>> =
  Object.freeze({
    allReduce: {
      twoShot: twoShotAllReduce,
      oneShot: oneShotAllReduce,
      chunked: chunkedAllReduce,
      ll: llAllReduce,
      sentinel: sentinelAllReduce,
      ring: ringAllReduce,
      hierarchical: hierarchicalAllReduce,
    },
    broadcast: {
      twoShot: pushBroadcast,
      ring: ringBroadcast,
      hierarchical: hierarchicalBroadcast,
    },
    reduce: {
      twoShot: pushReduce,
      hierarchical: hierarchicalReduce,
    },
    allGather: {
      direct: pushAllGather,
      ll: llAllGather,
      ring: ringAllGather,
      hierarchical: hierarchicalAllGather,
    },
    reduceScatter: {
      direct: pullReduceScatter,
      ll: llReduceScatter,
      ring: ringReduceScatter,
      hierarchical: hierarchicalReduceScatter,
    },
    allToAll: {
      direct: pushAllToAll,
      ll: llAllToAll,
      hierarchical: hierarchicalAllToAll,
    },
    gather: {
      direct: pushGather,
      hierarchical: hierarchicalGather,
    },
    scatter: {
      direct: pullScatter,
      hierarchical: hierarchicalScatter,
    },
  });
