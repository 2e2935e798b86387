import { at, type FlowPoint } from '@nccl-ts/core';
import type { NestedSlices } from './nest-slices.ts';

/**
 * Returns the index of the slice in which a flow begins or ends; undefined if no slice spans the
 * time.
 */
export function bindFlow({ slices, parents }: NestedSlices, { time, side }: FlowPoint): number | undefined {
  const outwards = (from: number, spans: (index: number) => boolean): number | undefined => {
    let index = from;
    while (index >= 0 && !spans(index)) index = parents[index] ?? -1;
    return index < 0 ? undefined : index;
  };
  const startOf = (index: number): number => slices[index]?.start ?? Infinity;
  const endOf = (index: number): number => slices[index]?.end ?? -Infinity;
  // An earlier slice on the same level ended before the last one began. So only the slices around
  // the last one remain.
  const ending = outwards(
    countUntil(slices.length, (index) => startOf(index) >= time) - 1,
    (index) => endOf(index) >= time,
  );
  const starting = outwards(
    countUntil(slices.length, (index) => startOf(index) > time) - 1,
    // Prefers the slice that continues longest if the flow has no length.
    (index) => endOf(index) > time || startOf(index) === time,
  );
  if (ending === undefined || starting === undefined) return ending ?? starting;
  const depthOf = (index: number): number => at(slices, index).depth;
  const chosen = side ?? (depthOf(starting) > depthOf(ending) ? 'starting' : 'ending');
  return chosen === 'ending' ? ending : starting;
}

/**
 * Returns the number of the `count` ascending elements that precede the first one for which
 * `reached` holds.
 */
function countUntil(count: number, reached: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = Math.trunc((low + high) / 2);
    if (reached(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
