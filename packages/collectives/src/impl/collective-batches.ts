import { NcclError, scalarInfo } from '@nccl-ts/core';
import { overlap, type BufferPointer } from '../buffer.ts';
import type { CollectiveCall } from '../call.ts';
import { collectiveShapes } from '../collective.ts';
import { GROUP_WIDTH } from '../kernels/group-kernel.ts';
import type { KernelKey, TypedGroupKernel } from '../kernels/kernel-table.ts';
import { kernelTable } from './collective-state.ts';
import type { PlannedCall } from './open-group.ts';
import { shapeOn } from './shape-on.ts';

/** Elements that a kernel can count to with 32 bits and room to spare. */
const NARROW = 2 ** 31;

/** What one launch does: several calls where there is a `kernel` for that, one otherwise. */
export interface Batch {
  readonly kernel: TypedGroupKernel | undefined;
  readonly calls: readonly PlannedCall[];
}

interface OpenBatch extends Batch {
  readonly calls: PlannedCall[];
  /** Where its first call stands. */
  readonly first: number;
}

/**
 * Which calls go together: those of one kind, algorithm, type, operator and stream, at the place of the first of them. It depends on
 * nothing but what all ranks ask for alike, so that all decide alike.
 *
 * @throws NcclError `NCCL_INVALID_USAGE` where a call would be done beside or before another one that stores what it touches, or
 *   touches what it stores.
 */
export function batchesOf(planned: readonly PlannedCall[]): readonly Batch[] {
  const batches: OpenBatch[] = [];
  planned.forEach((one, i) => {
    const kernel = planned.length === 1 ? undefined : kernelTable.getGroup(keyOf(one));
    const batch = kernel === undefined ? undefined : batches.find((open) => takes(open, kernel, one));
    if (batch === undefined) {
      batches.push({ kernel, calls: [one], first: i });
      return;
    }
    for (const { call } of planned.slice(batch.first, i)) checkApart(call, one.call);
    batch.calls.push(one);
  });
  return batches;
}

function takes({ kernel, calls }: OpenBatch, wanted: TypedGroupKernel, { call }: PlannedCall): boolean {
  return kernel === wanted && calls.length < GROUP_WIDTH && calls[0]?.call.options.stream === call.options.stream;
}

/** What the kernel of a call is looked up by. */
export function keyOf({ call, selection }: PlannedCall): KernelKey {
  const { name, comm, element, count, op } = call;
  const shape = collectiveShapes[name];
  const times = shape.send === 'each' || shape.recv === 'each' ? comm.nRanks : 1;
  return {
    collective: name,
    algorithm: selection.algorithm,
    element,
    op: op?.name,
    wide: count * times >= NARROW,
    lsaSize: comm.lsaSize,
    shape: shapeOn(comm),
  };
}

function checkApart(one: CollectiveCall, other: CollectiveCall): void {
  const [a, b] = [touchedBy(one), touchedBy(other)];
  const meet = (x: readonly Region[], y: readonly Region[]): boolean =>
    x.some((region) => y.some((against) => meets(region, against)));
  if (!meet(a.stores, [...b.stores, ...b.loads]) && !meet(a.loads, b.stores)) return;
  throw new NcclError(
    'NCCL_INVALID_USAGE',
    `group: ${textOf(one)} and ${textOf(other)} touch the same memory, and one of them stores there; what is in a group is done ` +
      'at the same time, in no order.',
  );
}

function textOf({ name, count, element }: CollectiveCall): string {
  return `${name} of ${count} ${element}`;
}

interface Region {
  readonly at: BufferPointer;
  readonly bytes: number;
}

/** What of this rank's memory a call loads and stores. Of other ranks than the root, one of the two is not touched. */
function touchedBy({ name, comm, count, element, root, send, recv }: CollectiveCall): {
  readonly loads: readonly Region[];
  readonly stores: readonly Region[];
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

function meets(one: Region, other: Region): boolean {
  return overlap(one.at, one.bytes, other.at, other.bytes).kind !== 'apart';
}
