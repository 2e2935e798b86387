import type { PtxAddressBase, PtxOperand } from '@nccl-ts/ptx';
import type { FlowAddress } from './flow-address.ts';

/** A place in the local memory of a thread. */
interface LocalPlace {
  readonly offset: number;
  /** True if an index is added to it. */
  readonly isIndexed: boolean;
}

/**
 * The addresses that threads keep in local memory, where compilers copy arrays of pointers to index
 * them. An index leads up to the next place from which another array is indexed.
 */
export class LocalMemory {
  readonly #places = new Map<string, LocalPlace>();
  readonly #kept = new Map<number | undefined, Map<string, FlowAddress>>();
  readonly #arrays = new Set<number>();

  /** Follows an address of local memory through a move or an addition. True if that is new. */
  move(opcode: string, into: string, from: readonly PtxOperand[]): boolean {
    const [a, b] = from;
    if (this.#places.has(into)) return false;
    if (a?.kind === 'symbol' && a.name.startsWith('__local_depot')) {
      this.#places.set(into, { offset: Number(a.offset), isIndexed: false });
      return true;
    }
    for (const [one, by] of [
      [a, b],
      [b, a],
    ] as const) {
      const place = one?.kind === 'register' ? this.#places.get(one.name) : undefined;
      if (place === undefined) continue;
      if (opcode !== 'add') this.#places.set(into, place);
      else if (by?.kind === 'integer') {
        this.#places.set(into, { ...place, offset: place.offset + Number(by.value) });
      } else this.#places.set(into, { ...place, isIndexed: true });
      return true;
    }
    return false;
  }

  /** Keeps an address in the word at `index` of those that a store writes. True if that is new. */
  keep(
    at: Extract<PtxOperand, { readonly kind: 'address' }>,
    index: number,
    key: string,
    address: FlowAddress,
  ): boolean {
    const place = this.#placeOf(at.base);
    const offset = place === undefined || place.isIndexed ? undefined : place.offset + Number(at.offset) + 8 * index;
    const kept = this.#kept.get(offset) ?? new Map<string, FlowAddress>();
    this.#kept.set(offset, kept);
    if (kept.has(key) || kept.size > MOST_KEPT) return false;
    kept.set(key, address);
    return true;
  }

  /** The addresses that the word at `index` of those that a load reads may be. */
  loaded(at: Extract<PtxOperand, { readonly kind: 'address' }>, index: number): readonly FlowAddress[] {
    const place = this.#placeOf(at.base);
    if (place === undefined) return [...this.#kept.values()].flatMap((kept) => [...kept.values()]);
    const offset = place.offset + Number(at.offset) + 8 * index;
    if (place.isIndexed) this.#arrays.add(offset);
    const end = place.isIndexed ? Math.min(...[...this.#arrays].filter((one) => one > offset)) : offset + 8;
    return [...this.#kept].flatMap(([where, kept]) =>
      where === undefined || (where >= offset && where < end) ? [...kept.values()] : [],
    );
  }

  #placeOf(base: PtxAddressBase | undefined): LocalPlace | undefined {
    if (base === undefined) return undefined;
    return base.kind === 'register' ? this.#places.get(base.name) : { offset: 0, isIndexed: false };
  }
}

const MOST_KEPT = 64;
