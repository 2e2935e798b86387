import { collectiveShapes, NcclError, type CollectiveName, type ScalarKind } from '@nccl-ts/core';
import { u32, u64 } from '@nccl-ts/kernel';
import { algorithmSpecs, type Algorithm } from './algorithm.ts';
import { paceOf, type BackendShape } from '../backend-shape.ts';
import { ll128Blocks } from '../fifo/ll128.ts';
import { sentinelWords } from '../fifo/sentinel.ts';
import type { ReductionName } from '../red-op.ts';
import { elementReductions } from '../kernels/element-reductions.ts';
import { elementRows, type ElementRow } from '../kernels/element-rows.ts';
import type { KernelShape } from '../kernels/kernel-shape.ts';
import { HIERARCHICAL_CHUNK_BYTES } from '../kernels/rail-position.ts';
import { reductionBy, reductions } from '../kernels/reductions.ts';
import type { AlgorithmKernels, KernelMaker } from './algorithm-spec.ts';

/**
 * The largest number of 16-byte accesses that a thread has in flight for all sources. Registers
 * limit it.
 */
const MOST_LOADS = 16;

/** The key of a kernel. */
export interface KernelKey {
  readonly collective: CollectiveName;
  readonly algorithm: Algorithm;
  readonly element: ScalarKind;
  readonly op: ReductionName | undefined;
  /** True if counts may exceed 32 bits. */
  readonly wide: boolean;
  /** The size of the load-store domain. */
  readonly lsaSize: number;
  readonly shape: BackendShape;
}

/**
 * The kernels of the collectives. Each is made at its first use and kept, because a world compiles
 * each kernel object once.
 */
export class KernelTable {
  readonly #made = new Map<string, AlgorithmKernels>();

  /**
   * Returns the same kernels for equivalent keys.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if collectives do not support the type.
   */
  get(key: KernelKey): AlgorithmKernels {
    const row = rowOf(key);
    const name = nameOf(key, row);
    let made = this.#made.get(name);
    if (made === undefined) {
      made = makerOf(key)(shapeOf(row, key));
      this.#made.set(name, made);
    }
    return made;
  }
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
  const maker = algorithmSpecs[algorithm].makers[collective];
  if (maker === undefined) throw new RangeError(`${collective} has no kernel for ${algorithm}.`);
  return maker;
}

/** A name that is equal for equal kernels. */
function nameOf({ collective, algorithm, element, op, wide, lsaSize, shape }: KernelKey, { bits }: ElementRow): string {
  const what = collectiveShapes[collective].reduces ? `${element} ${op ?? ''}` : bits.scalar;
  const { ranks, packs } = paceOf(shape, lsaSize);
  const rooms = [sentinelWords(shape.sentinel, lsaSize), ll128Blocks(shape.ll128, lsaSize), shape.wholeLines];
  const sizes = [shape.chunks.partBytes, shape.ring.slotBytes, ...rooms];
  return [collective, algorithm, what, wide, ranks, packs, ...sizes].join(' ');
}

function shapeOf({ T, A, bits }: ElementRow, key: KernelKey): KernelShape {
  const { collective, op = 'sum', wide, lsaSize, shape } = key;
  const pace = paceOf(shape, lsaSize);
  // With many sources, enough loads are in flight.
  const packs = pace.ranks === 0 ? 1 : Math.max(1, Math.min(pace.packs, MOST_LOADS / pace.ranks));
  const types = collectiveShapes[collective].reduces ? { T, A } : { T: bits, A: bits };
  return {
    ...types,
    count: wide ? u64 : u32,
    pace,
    scaled: op === 'preMulSum',
    reduction: reductionBy(op, { sources: pace.ranks, packs }),
    partial: op === 'avg' ? reductions.sum : reductions[op],
    finish: reductions[op],
    across: op === 'preMulSum' ? reductions.sum : reductions[op],
    element: elementReductions[op],
    slotBytes: shape.ring.slotBytes,
    partBytes: shape.chunks.partBytes,
    blockRoom: ll128Blocks(shape.ll128, lsaSize),
    wholeLines: shape.wholeLines,
    wordRoom: sentinelWords(shape.sentinel, lsaSize),
    chunkBytes: HIERARCHICAL_CHUNK_BYTES,
  };
}
