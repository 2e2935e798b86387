import { NcclError, type ScalarKind } from '@nccl-ts/core';
import { u32, u64 } from '@nccl-ts/kernel';
import type { Algorithm } from '../algorithm.ts';
import { collectiveShapes, type CollectiveName } from '../collective.ts';
import type { ReductionName } from '../red-op.ts';
import type {
  ChunkReduceKernel,
  CopyKernel,
  CopyShape,
  ReduceKernel,
  ReduceShape,
  HierarchicalCopyKernel,
  HierarchicalReduceKernel,
  LLCopyKernel,
  LLReduceKernel,
  RingCopyKernel,
  RingReduceKernel,
  SentinelReduceKernel,
} from './collective-kernel.ts';
import { elementReductions } from './element-reductions.ts';
import { reductionBy, reductions } from './reductions.ts';
import { copyKernel, reduceKernel } from './collective-form.ts';
import {
  copyGroupKernel,
  llGroupKernel,
  reduceGroupKernel,
  type GroupKernel,
  type LLGroupKernel,
} from './group-kernel.ts';
import { llKernel } from './ll-form.ts';
import { HIERARCHICAL_CHUNK_BYTES, paceOf, type BackendShape } from '../backend-shape.ts';
import { elementRows, kernelMakers, type ElementRow, type KernelMaker } from './kernel-makers.ts';

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
  const types = elementRows[element];
  if (types !== undefined) return types;
  throw new NcclError(
    'NCCL_INVALID_ARGUMENT',
    `${collective}: elements of type ${element} are none of NCCL's; it has ${Object.keys(elementRows).join(', ')}.`,
  );
}

function makerOf({ collective, algorithm }: KernelKey): KernelMaker {
  const maker = kernelMakers[collective][algorithm];
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

function makeKernel(maker: KernelMaker, row: ElementRow, key: KernelKey): TypedKernel {
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
  maker: Extract<KernelMaker, { readonly kind: 'copy' | 'reduce' | 'llCopy' | 'llReduce' }>,
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
