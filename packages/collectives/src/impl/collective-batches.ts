import { collectiveShapes, NcclError, scalarInfo } from '@nccl-ts/core';
import type { AlgorithmKernels } from '../algorithms/algorithm-spec.ts';
import { overlap, type BufferPointer } from '../buffer.ts';
import type { CollectiveCall } from '../call.ts';
import { GROUP_WIDTH } from '../kernels/collective-kernels.ts';
import type { LaunchedCall } from './open-group.ts';

/** The calls of one launch. */
export interface LaunchBatch {
  readonly kernels: AlgorithmKernels;
  readonly calls: readonly [LaunchedCall, ...LaunchedCall[]];
}

interface OpenBatch extends LaunchBatch {
  readonly calls: [LaunchedCall, ...LaunchedCall[]];
  /** The index of the batch's first call. */
  readonly first: number;
}

/**
 * Groups the calls that share a launch: those of one kind, algorithm, type, operator and stream, at
 * the position of the first of them. The grouping depends only on values that all ranks share, so
 * all ranks group alike.
 *
 * @throws NcclError `NCCL_INVALID_USAGE` if a call uses data that another call stores, and would
 *   run beside it or in another order.
 */
export function batchesOf(planned: readonly LaunchedCall[]): readonly LaunchBatch[] {
  const batches: OpenBatch[] = [];
  planned.forEach((one, i) => {
    const { kernels } = one.selected;
    const batch = batches.find((open) => takes(open, kernels, one));
    if (batch === undefined) {
      batches.push({ kernels, calls: [one], first: i });
      return;
    }
    for (const { call } of planned.slice(batch.first, i)) checkDisjoint(call, one.call);
    batch.calls.push(one);
  });
  return batches;
}

function takes(
  { kernels, calls: [first, ...others] }: OpenBatch,
  wanted: AlgorithmKernels,
  { call }: LaunchedCall,
): boolean {
  return kernels === wanted && others.length < GROUP_WIDTH - 1 && first.call.options.stream === call.options.stream;
}

function checkDisjoint(one: CollectiveCall, other: CollectiveCall): void {
  const [a, b] = [touchedBy(one), touchedBy(other)];
  const meet = (x: readonly BufferRange[], y: readonly BufferRange[]): boolean =>
    x.some((region) => y.some((against) => meets(region, against)));
  if (!meet(a.stores, [...b.stores, ...b.loads]) && !meet(a.loads, b.stores)) return;
  throw new NcclError(
    'NCCL_INVALID_USAGE',
    `group: ${textOf(one)} and ${textOf(other)} touch the same memory, and one of them stores there; what is in a group is done ` +
      'at the same time, in no particular order.',
  );
}

function textOf({ name, count, element }: CollectiveCall): string {
  return `${name} of ${count} ${element}`;
}

interface BufferRange {
  readonly at: BufferPointer;
  readonly bytes: number;
}

/**
 * The regions of this rank's memory that a call loads and stores. On ranks other than the root, one
 * of the two buffers is unused.
 */
function touchedBy({ name, comm, count, element, root, send, recv }: CollectiveCall): {
  readonly loads: readonly BufferRange[];
  readonly stores: readonly BufferRange[];
} {
  const shape = collectiveShapes[name];
  const bytes = count * scalarInfo[element].bytes;
  const times = { one: bytes, each: bytes * comm.nRanks } as const;
  const isAside = shape.rooted && comm.rank !== root;
  const rootReceives = shape.reduces || shape.recv === 'each';
  return {
    loads: isAside && !rootReceives ? [] : [{ at: send, bytes: times[shape.send] }],
    stores: isAside && rootReceives ? [] : [{ at: recv, bytes: times[shape.recv] }],
  };
}

function meets(one: BufferRange, other: BufferRange): boolean {
  return overlap(one.at, one.bytes, other.at, other.bytes).kind !== 'apart';
}
