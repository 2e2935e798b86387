import { at, scalarInfo } from '@nccl-ts/core';
import type { CollectiveWork } from '@nccl-ts/transport';
import { laneReduction } from '../emit/lane-reduction.ts';
import type { NativePart, NativeWork } from '../plan/native-work.ts';

/** A collective over memory in one address space. */
export interface NativeCollective extends Omit<CollectiveWork, 'send' | 'recv'> {
  /** Addresses, by rank. */
  readonly send: readonly number[];
  readonly recv: readonly number[];
}

/** True if there are instructions for the reduction. */
export function isNative({ element, reduction }: Pick<NativeCollective, 'element' | 'reduction'>): boolean {
  return reduction === undefined || laneReduction(element, reduction) !== undefined;
}

/** Returns the reads and writes that the collective needs, as few as possible. */
export function planCollective(request: NativeCollective): NativeWork {
  const { collective, element, count, root, send, recv } = request;
  const bytes = count * scalarInfo[element].bytes;
  const ofRoot = (addresses: readonly number[]): number => at(addresses, root);
  const copy = (source: number, ...destinations: readonly number[]): NativePart => ({
    kind: 'copy',
    source,
    destinations,
    bytes,
  });
  const reduce = (sources: readonly number[], destinations: readonly number[]): NativePart => ({
    kind: 'reduce',
    element,
    reduction: request.reduction ?? 'sum',
    sources,
    destinations,
    bytes,
  });
  const shifted = (addresses: readonly number[], rank: number): readonly number[] =>
    addresses.map((address) => address + rank * bytes);
  switch (collective) {
    case 'allReduce':
      return [reduce(send, recv)];
    case 'reduce':
      return [reduce(send, [ofRoot(recv)])];
    case 'reduceScatter':
      return recv.map((destination, rank) => reduce(shifted(send, rank), [destination]));
    case 'broadcast':
      return [copy(ofRoot(send), ...recv)];
    case 'allGather':
      return send.map((source, rank) => copy(source, ...shifted(recv, rank)));
    case 'allToAll':
      return send.flatMap((source, from) => recv.map((to, rank) => copy(source + rank * bytes, to + from * bytes)));
    case 'gather':
      return send.map((source, rank) => copy(source, ofRoot(recv) + rank * bytes));
    case 'scatter':
      return recv.map((to, rank) => copy(ofRoot(send) + rank * bytes, to));
  }
}
