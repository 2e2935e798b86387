import type { WindowCopies, WindowValue } from '@nccl-ts/codegen';

/** The size of the range of an endpoint's offsets that one window has. */
const WINDOW_SPAN = 2 ** 36;

const MULTICAST = 2 ** 30;
const COUNTED = 2 ** 29;

/** A window, and the copies of it that an endpoint reaches. */
export interface EndpointTarget {
  readonly window: WindowValue;
  readonly offset: number;
  /** The ranks of the window's communicator. */
  readonly ranks: readonly number[];
  readonly isMulticast: boolean;
  readonly isCounted: boolean;
}

/**
 * The numbers of endpoints, and the offsets of windows in them. A number is a rank of the window's
 * communicator. It has a bit for multicast endpoints, for which the rank is the first of the group,
 * and a bit for counted endpoints. Each window has a range of offsets.
 */
export class EndpointTable {
  readonly #numbers = new Map<WindowCopies, number>();
  readonly #windows: WindowValue[] = [];

  /** Returns the number of the endpoint of a rank, or of the group whose first rank it is. */
  idOf({ copies }: WindowValue, rank: number, isMulticast: boolean): number {
    return rank + (isMulticast ? MULTICAST : 0) + (copies.cftCounted ? COUNTED : 0);
  }

  baseOf(window: WindowValue): number {
    let number = this.#numbers.get(window.copies);
    if (number === undefined) {
      number = this.#windows.push(window) - 1;
      this.#numbers.set(window.copies, number);
    }
    return (number + 1) * WINDOW_SPAN;
  }

  /** Returns undefined if they lead to no window. */
  at(id: number, leOffset: number): EndpointTarget | undefined {
    const window = this.#windows[Math.floor(leOffset / WINDOW_SPAN) - 1];
    if (window === undefined) return undefined;
    const isMulticast = (id & MULTICAST) !== 0;
    const isCounted = (id & COUNTED) !== 0;
    const first = id & (COUNTED - 1);
    const count = isMulticast ? Number(window.fields['lsaSize']) : 1;
    if (first + count > window.copies.bases.length || isCounted !== window.copies.cftCounted) return undefined;
    const ranks = Array.from({ length: count }, (_, i) => first + i);
    return { window, offset: leOffset % WINDOW_SPAN, ranks, isMulticast, isCounted };
  }
}
