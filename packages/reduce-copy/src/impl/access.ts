import {
  deviceFn,
  deviceModule,
  type AuthorOf,
  type DeviceFn,
  type DeviceModule,
  type Ptr,
  type TypeFn,
} from '@nccl-ts/kernel';
import { multimem } from '@nccl-ts/multimem';
import { packing } from './packing.ts';

/**
 * True if a multicast access can have several elements of the type, which is so for floats of up to
 * 32 bits.
 */
const inVectors: DeviceFn<(type: TypeFn) => boolean> = deviceFn(
  { name: 'inVectors' },
  ({ f32, f16, bf16, e4m3, e5m2 }, T) => T === f32 || T === f16 || T === bf16 || T === e4m3 || T === e5m2,
);

/**
 * Returns the sums over all copies of `n` elements of type T. `n` is 1, or the number of elements
 * in 4 or 16 bytes.
 */
const loadSums: DeviceFn<(type: TypeFn, n: number, p: Ptr) => number> = deviceFn(
  { name: 'loadSums', use: { multimem, packing, inVectors } },
  ({ multimem, packing, inVectors, vec }, T, n, p) =>
    n === 1
      ? multimem.loadReduce(p)
      : inVectors(T)
        ? multimem.loadReduce(p.cast(vec(T, n)))
        : packing.byLane(vec(T, n), n, (k) => multimem.loadReduce(p.offset(k))),
);

/** Stores `n` elements to all copies. */
const storeToAll: DeviceFn<(type: TypeFn, n: number, p: Ptr, v: number) => void> = deviceFn(
  { name: 'storeToAll', use: { multimem, inVectors } },
  ({ multimem, inVectors, vec, bitcast, lane, sizeOf, u32, u64 }, T, n, p, v) => {
    if (n === 1) multimem.store(p, v);
    else if (inVectors(T)) multimem.store(p.cast(vec(T, n)), v);
    else if (n * sizeOf(T) === 4) multimem.store(p.cast(u32), bitcast(u32, v));
    else {
      // Multicast accesses have no vectors of integers, so this stores two words of 8 bytes.
      const words = bitcast(vec(u64, 2), v);
      multimem.store(p.cast(u64), lane(words, 0));
      multimem.store(p.cast(u64).offset(1), lane(words, 1));
    }
  },
);

/**
 * The same for memory of one rank. 16 bytes are loaded at once. Smaller packs are loaded element by
 * element, because they may have only element alignment.
 */
const loadElements: DeviceFn<(type: TypeFn, n: number, p: Ptr) => number> = deviceFn(
  { name: 'loadElements', use: { packing } },
  ({ packing, vec }, T, n, p) =>
    n === 1
      ? p.load(0)
      : n === packing.width(T)
        ? p.cast(vec(T, n)).load(0)
        : packing.byLane(vec(T, n), n, (k) => p.load(k)),
);

/** Stores `n` elements to memory of one rank, by accesses like those of `loadElements`. */
const storeElements: DeviceFn<(type: TypeFn, n: number, p: Ptr, v: number) => void> = deviceFn(
  { name: 'storeElements', use: { packing } },
  ({ packing, vec, lane, unroll }, T, n, p, v) => {
    if (n === 1) p.store(0, v);
    else if (n === packing.width(T)) p.cast(vec(T, n)).store(0, v);
    else for (const k of unroll(n)) p.store(k, lane(v, k));
  },
);

/** The members of `access` in device functions. */
export interface Access {
  readonly load: AuthorOf<typeof loadElements>;
  readonly loadSums: AuthorOf<typeof loadSums>;
  readonly store: AuthorOf<typeof storeElements>;
  readonly storeToAll: AuthorOf<typeof storeToAll>;
}

/** Accesses to memory of one rank or through multicast addresses: `use: { access }`. */
export const access: DeviceModule<Access> = deviceModule('access', {
  load: loadElements,
  loadSums,
  store: storeElements,
  storeToAll,
});
