import type { ArrayId, Module } from '@nccl-ts/ir';

import { alignment, byteSize } from './types.ts';

/** Where an array lies in its space, and its number in the space's table of bounds. */
export interface ArrayPlace {
  readonly low: number;
  readonly high: number;
  readonly region: number;
}

/** How the arrays of a kernel lie in a CTA's shared memory and in each thread's own. */
export interface ArrayPlan {
  readonly places: readonly ArrayPlace[];
  readonly sharedBytes: number;
  /** Bytes of one thread, a multiple of 16. */
  readonly localBytes: number;
  /** Bounds by region; region 0 is empty. Addresses begin at 16, so that no array is at the null address. */
  readonly shared: readonly Pick<ArrayPlace, 'low' | 'high'>[];
  readonly local: readonly Pick<ArrayPlace, 'low' | 'high'>[];
}

const start = 16;

export function planArrays(module: Module): ArrayPlan {
  const ends = { shared: start, local: start };
  const tables = { shared: [{ low: 0, high: 0 }], local: [{ low: 0, high: 0 }] };
  const places = module.arrays.map((declaration): ArrayPlace => {
    const { space, element, length } = declaration;
    const align = Math.max(alignment(element), 16);
    const low = Math.ceil(ends[space] / align) * align;
    const high = low + byteSize(element) * length;
    ends[space] = high;
    return { low, high, region: tables[space].push({ low, high }) - 1 };
  });
  const round = (bytes: number): number => (bytes === start ? 0 : Math.ceil(bytes / 16) * 16);
  return {
    places,
    sharedBytes: round(ends.shared),
    localBytes: round(ends.local),
    shared: tables.shared,
    local: tables.local,
  };
}

export function arrayPlace(plan: ArrayPlan, id: ArrayId): ArrayPlace {
  const place = plan.places[id];
  if (place === undefined) throw new RangeError(`The module has no array ${id}.`);
  return place;
}
