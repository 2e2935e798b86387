import { elementScalar, valueBytes, type Expression, type Module, type ValueType } from '@nccl-ts/ir';
import { at } from '@nccl-ts/core';
import type { PointerValue } from '@nccl-ts/backend-sim/internal';
import { alignmentOf, pointer, type EvaluationScope } from './evaluate.ts';
import { ThreadFault, Unsupported } from './thread-fault.ts';

/** One access: its location, and its content. */
export interface AccessLocation {
  readonly at: number;
  readonly bytes: number;
  readonly type: ValueType;
  readonly isLocal: boolean;
}

/**
 * Returns the location of a pointer. Throws `ThreadFault` if it is out of bounds or not aligned.
 */
export function locationOf(e: Expression, module: Module, scope: EvaluationScope): AccessLocation {
  const { address, region } = pointer(e, scope);
  if (e.type.kind !== 'pointer') throw new Unsupported('an access through something that is not a pointer');
  const { element, space } = e.type;
  const bytes = valueBytes(element);
  const [low, high] = bounds(space, region, module, scope);
  const offset = space === 'global' ? address : address - low;
  const access = { space, address: offset, bytes, region, ...(space === 'global' ? {} : { arrayBytes: high - low }) };
  if (address < low || address + bytes > high) throw new ThreadFault('outOfBounds', '', access);
  if (address % alignmentOf(bytes, elementScalar(element)) !== 0) throw new ThreadFault('misaligned', '', access);
  return { at: address, bytes, type: element, isLocal: space === 'local' };
}

function bounds(
  space: 'global' | 'shared' | 'local',
  region: number,
  module: Module,
  { regions, arrays, distanceTo }: EvaluationScope,
): readonly [number, number] {
  if (space === 'global') {
    const { low, high } = regions;
    return [at(low, region), at(high, region)];
  }
  const { low, high } = arrayBounds({ region }, module, arrays);
  const by = region === 0 ? 0 : distanceTo(region);
  return [low + by, high + by];
}

/**
 * Returns the addresses of the array that a pointer was made for; none if it points to nothing. For
 * an array of another CTA of the cluster, they are those of the thread's own CTA.
 */
export function arrayBounds(
  { region }: Pick<PointerValue, 'region'>,
  module: Module,
  arrays: EvaluationScope['arrays'],
): { readonly low: number; readonly high: number } {
  // A region of another CTA of the cluster has the number of all arrays added for each rank.
  const number = region === 0 ? -1 : (region - 1) % Math.max(1, arrays.length);
  const array = module.arrays[number];
  const place = arrays[number];
  if (array === undefined || place === undefined) return { low: 0, high: 0 };
  return { low: place.address, high: place.address + array.length * valueBytes(array.element) };
}
