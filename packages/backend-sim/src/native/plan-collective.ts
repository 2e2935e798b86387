import { at, collectiveShapes, scalarInfo } from '@nccl-ts/core';
import type { CollectiveWork } from '@nccl-ts/transport';
import { laneReduction } from './lane-reduction.ts';
import type { NativePart, NativeWork } from './native-work.ts';

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

/**
 * Returns the reads and writes that the collective needs, as few as possible. They follow from the
 * collective's shape: the ranks that send and receive, and the parts of their buffers.
 */
export function planCollective(request: NativeCollective): NativeWork {
  const { collective, element, count, root } = request;
  const shape = collectiveShapes[collective];
  const bytes = count * scalarInfo[element].bytes;
  // The buffers of the root alone count, on the side that has only one.
  const isRootAlone = (side: 'send' | 'recv'): boolean =>
    shape.rooted && (shape.reduces || shape.recv === 'each') === (side === 'recv');
  const used = (side: 'send' | 'recv'): readonly Used[] =>
    request[side].map((address, rank) => ({ address, rank })).filter(({ rank }) => !isRootAlone(side) || rank === root);
  const [from, to] = [used('send'), used('recv')];
  const partOf = ({ address }: Used, ofRank: Used, parts: 'one' | 'each'): number =>
    parts === 'one' ? address : address + ofRank.rank * bytes;
  const move = (sources: readonly Used[], destinations: readonly Used[]): NativePart => {
    const [source, destination] = [at(sources, 0), at(destinations, 0)];
    const ends = {
      sources: sources.map((one) => partOf(one, destination, shape.send)),
      destinations: destinations.map((one) => partOf(one, source, shape.recv)),
      bytes,
    };
    if (shape.reduces) return { kind: 'reduce', element, reduction: request.reduction ?? 'sum', ...ends };
    return { kind: 'copy', source: at(ends.sources, 0), destinations: ends.destinations, bytes };
  };
  // What is the same for all receivers is read once.
  const groups = shape.send === 'one' ? [to] : to.map((one) => [one]);
  const sources = shape.reduces ? [from] : from.map((one) => [one]);
  return sources.flatMap((some) => groups.map((all) => move(some, all)));
}

/** A buffer of a rank. */
interface Used {
  readonly rank: number;
  readonly address: number;
}
