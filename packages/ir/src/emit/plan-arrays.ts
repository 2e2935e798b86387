import type { ArrayId } from '../expression.ts';
import type { Module } from '../module.ts';
import { valueBytes } from '../arithmetic/bytes.ts';

/**
 * The position of an array in its space, in bytes, and its index in the space's table of bounds.
 */
export interface ArrayLayout {
  readonly low: number;
  readonly high: number;
  readonly region: number;
}

/** The layout of a kernel's arrays in a CTA's shared memory and in each thread's own. */
export interface ArrayPlan {
  readonly layouts: readonly ArrayLayout[];
  /**
   * The bytes of shared memory of a CTA, and of one thread's own memory. Both are multiples of 16.
   */
  readonly bytes: { readonly shared: number; readonly local: number };
  /**
   * The bounds of each region. Region 0 is empty. Addresses begin at 16, so that no array is at the
   * null address.
   */
  readonly bounds: { readonly shared: readonly ArrayBounds[]; readonly local: readonly ArrayBounds[] };
}

export type ArrayBounds = Pick<ArrayLayout, 'low' | 'high'>;

/** The alignment of every array, which is the largest alignment of any value. */
const alignment = 16;

/** Lays out the arrays of `module`, one after the other. */
export function planArrays(module: Module): ArrayPlan {
  const ends = { shared: alignment, local: alignment };
  const bounds = { shared: [{ low: 0, high: 0 }], local: [{ low: 0, high: 0 }] };
  const layouts = module.arrays.map(({ space, element, length }): ArrayLayout => {
    const low = Math.ceil(ends[space] / alignment) * alignment;
    const high = low + valueBytes(element) * length;
    ends[space] = high;
    return { low, high, region: bounds[space].push({ low, high }) - 1 };
  });
  const whole = (end: number): number => (end === alignment ? 0 : Math.ceil(end / alignment) * alignment);
  return { layouts, bytes: { shared: whole(ends.shared), local: whole(ends.local) }, bounds };
}

export function layoutOfArray(plan: ArrayPlan, id: ArrayId): ArrayLayout {
  const layout = plan.layouts[id];
  if (layout === undefined) throw new RangeError(`The module has no array ${id}.`);
  return layout;
}
