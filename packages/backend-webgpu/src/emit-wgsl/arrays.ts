import { valueBytes, type Module } from '@nccl-ts/ir';

/** Where an array lies in its space, in bytes, and its number in the table of bounds. */
export interface ArrayPlace {
  readonly low: number;
  readonly high: number;
  readonly region: number;
}

/** How the arrays of a kernel lie in a CTA's shared memory and in each thread's own. */
export interface ArrayPlan {
  readonly places: readonly ArrayPlace[];
  /** Words of each space; addresses begin at 16, so that no array is at the null address. */
  readonly words: { readonly shared: number; readonly local: number };
  /** Bounds by region; region 0 is empty. */
  readonly bounds: { readonly shared: readonly Bounds[]; readonly local: readonly Bounds[] };
}

export type Bounds = Pick<ArrayPlace, 'low' | 'high'>;

const start = 16;

export function planArrays(module: Module): ArrayPlan {
  const ends = { shared: start, local: start };
  const bounds = { shared: [{ low: 0, high: 0 }], local: [{ low: 0, high: 0 }] };
  const places = module.arrays.map(({ space, element, length }): ArrayPlace => {
    const low = Math.ceil(ends[space] / 16) * 16;
    const high = low + valueBytes(element) * length;
    ends[space] = high;
    return { low, high, region: bounds[space].push({ low, high }) - 1 };
  });
  const words = (bytes: number): number => (bytes === start ? 0 : Math.ceil(bytes / 4));
  return { places, words: { shared: words(ends.shared), local: words(ends.local) }, bounds };
}
