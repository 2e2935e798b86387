import { deviceFn, type CoopLike, type DeviceFn, type TypeFn } from '@nccl-ts/kernel';
import { access } from './access.ts';
import { requiresWords } from './contracts.ts';
import { alike, inPacks } from './in-packs.ts';
import { joinSources } from './join-sources.ts';
import { packing } from './packing.ts';
import type { Reduction } from './reduce-elements.ts';

/** The constants that say which regions are multicast addresses. */
export interface Through {
  readonly fromAll: boolean;
  readonly toAll: boolean;
}

/**
 * Reduces `n` elements, starting at element `at`. `n` is a constant: 1, or the number of elements
 * in 4 or 16 bytes.
 */
const reduceSome = deviceFn(
  { name: 'reduceSome', use: { packing, joinSources, access } },
  ({ packing, joinSources, access, vec }, T: TypeFn, n: number, at: number, of: Reduction, through: Through) => {
    const { src, dst, op } = of;
    const { fromAll, toAll } = through;
    const load = (i: number): number =>
      fromAll ? access.loadSums(T, n, src.at(i).offset(at)) : access.load(T, n, src.at(i).offset(at));
    const store = (total: number): void => {
      for (let i = 0; i < dst.n; i++) {
        if (toAll) access.storeToAll(T, n, dst.at(i).offset(at), total);
        else access.store(T, n, dst.at(i).offset(at), total);
      }
    };
    if (n === 1) {
      // An element here has 4 bytes or more, so its sums have the same type.
      const A = packing.accumulator(T);
      let total = A(0);
      for (let i = 0; i < src.n; i++) {
        const next = A(load(i));
        if (i === 0) total = next;
        else total = A(op === undefined ? total + next : op(total, next));
      }
      store(total);
    } else joinSources(T, vec(T, n), n, src.n, load, store, of);
  },
);

/**
 * Like `reduceElements`, with multicast addresses as sources, destinations or both. The constant
 * `symmetric` promises that all sources are aligned like the first one, and all destinations like
 * the first one.
 */
export const reduceThrough: DeviceFn<
  (coop: CoopLike, type: TypeFn, of: Reduction, through: Through, count: number, symmetric: boolean) => void
> = deviceFn(
  { name: 'reduceThrough', use: { alike, inPacks, packing, reduceSome, requiresWords } },
  ({ alike, inPacks, packing, reduceSome, requiresWords }, coop, T, of, through, count, symmetric) => {
    const { src, dst } = of;
    if (through.fromAll) requiresWords(coop, T, src.at, src.n, count);
    if (through.toAll) requiresWords(coop, T, dst.at, dst.n, count);
    const misalignment = dst.at(0).misalignment(16);
    const together = symmetric
      ? src.at(0).misalignment(16) === misalignment
      : alike(src.at, src.n, misalignment) && alike(dst.at, dst.n, misalignment);
    const each = packing.wordWidth(T);
    inPacks(
      coop,
      T,
      misalignment,
      together,
      count,
      1,
      (at, _step, _packs) => reduceSome(T, packing.width(T), at, of, through),
      (at) => reduceSome(T, each, at, of, through),
      each,
    );
  },
);
