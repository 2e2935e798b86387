import * as fc from 'fast-check';
import { Bounds } from '../../../src/watch/bounds.ts';

export const KEYS = 64;
export const key = fc.nat(KEYS - 1);
export const bound = fc.integer({ min: 1, max: 9 });

/**
 * The same as plain maps. A map that was passed on as final does not change again. Changes are made
 * to a copy.
 */
export class Pair {
  readonly bounds: Bounds;
  readonly plain: Map<number, number>;
  isFinal = false;

  constructor(bounds = new Bounds(), plain = new Map<number, number>()) {
    this.bounds = bounds;
    this.plain = plain;
  }

  copy(): Pair {
    const bounds = new Bounds();
    bounds.join(this.bounds, this.isFinal);
    return new Pair(bounds, new Map(this.plain));
  }
}
