import { deviceFn, type CoopLike, type DeviceFn, type TypeFn } from '@nccl-ts/kernel';
import { alike, inPacks } from './in-packs.ts';
import { joinSources, type Join } from './join-sources.ts';
import type { ReduceCopyOptions } from '../reduce-copy-options.ts';
import { packing } from './packing.ts';
import type { Region } from './region.ts';

/** The sources, the destinations, and the reduction. */
export interface Reduction extends Join {
  readonly src: Region;
  readonly dst: Region;
}

/** Reduces element `at` of all sources, one after the other, to all destinations. */
const reduceElement = deviceFn(
  { name: 'reduceElement', use: { packing } },
  ({ packing }, T: TypeFn, at: number, of: Reduction) => {
    const { src, dst, op, before, after } = of;
    const A = packing.accumulator(T);
    // One statement loads and widens for all sources, because shaders with more code compile
    // slowly.
    let total = A(0);
    for (let i = 0; i < src.n; i++) {
      const loaded = A(src.at(i).load(at));
      const next = before === undefined ? loaded : A(before(loaded, i));
      if (i === 0) total = next;
      else total = A(op === undefined ? total + next : op(total, next));
    }
    const result = after === undefined ? T(total) : T(A(after(total)));
    for (let i = 0; i < dst.n; i++) dst.at(i).store(at, result);
  },
);

/** The same for the 16 bytes that start at element `at`. */
const reducePack = deviceFn(
  { name: 'reducePack', use: { packing, joinSources } },
  ({ packing, joinSources, vec }, T: TypeFn, at: number, of: Reduction) => {
    const { src, dst } = of;
    const V = vec(T, packing.width(T));
    const load = (i: number): number => src.at(i).offset(at).cast(V).load(0);
    const store = (total: number): void => {
      for (let i = 0; i < dst.n; i++) dst.at(i).offset(at).cast(V).store(0, total);
    };
    joinSources(T, V, packing.width(T), src.n, load, store, of);
  },
);

/**
 * Reduces `packs` times 16 bytes, `step` elements apart. All sources are loaded before the first is
 * used.
 */
const reducePacks = deviceFn(
  { name: 'reducePacks', use: { packing, joinSources } },
  (
    { packing, joinSources, localArray, unroll, vec },
    T: TypeFn,
    at: number,
    step: number,
    packs: number,
    sources: number,
    of: Reduction,
  ) => {
    const { src, dst } = of;
    const V = vec(T, packing.width(T));
    const came = localArray(V, packs * sources);
    for (const i of unroll(sources)) {
      for (const k of unroll(packs)) {
        came[k * sources + i] = src
          .at(i)
          .offset(at + k * step)
          .cast(V)
          .load(0);
      }
    }
    for (const k of unroll(packs)) {
      const load = (i: number): number => came.load(k * sources + i);
      const store = (total: number): void => {
        for (let i = 0; i < dst.n; i++) {
          dst
            .at(i)
            .offset(at + k * step)
            .cast(V)
            .store(0, total);
        }
      };
      joinSources(T, V, packing.width(T), sources, load, store, of);
    }
  },
);

/**
 * Reduces all sources to all destinations, with `count` elements each, in the order of the sources.
 * The constant `symmetric` promises that all sources are aligned like the first one, and all
 * destinations like the first one.
 */
export const reduceElements: DeviceFn<
  (coop: CoopLike, type: TypeFn, of: Reduction, count: number, symmetric: boolean, options: ReduceCopyOptions) => void
> = deviceFn(
  { name: 'reduceElements', use: { alike, inPacks, packing, reduceElement, reducePack, reducePacks } },
  ({ alike, inPacks, packing, reduceElement, reducePack, reducePacks }, coop, T, of, count, symmetric, options) => {
    const sources = options.sources === undefined ? 0 : options.sources;
    const misalignment = of.dst.at(0).misalignment(16);
    const together = symmetric
      ? of.src.at(0).misalignment(16) === misalignment
      : alike(of.src.at, of.src.n, misalignment) && alike(of.dst.at, of.dst.n, misalignment);
    inPacks(
      coop,
      T,
      misalignment,
      together,
      count,
      sources === 0 ? 1 : packing.inFlight(T, options.unroll),
      (at, step, packs) => {
        if (sources === 0) reducePack(T, at, of);
        else reducePacks(T, at, step, packs, sources, of);
      },
      (at) => reduceElement(T, at, of),
      1,
    );
  },
);
