import { handleParam, i32, type HandleParam } from '@nccl-ts/kernel';

/**
 * A symmetric window as kernels see it: memory of one size on every rank. Pointers into it come
 * from `lsa.pointer` and its kin. `lsaRank` and `worldRank` are the calling rank's own.
 *
 * @see ncclWindow_t
 */
export interface Window {
  readonly kind: 'window';
  readonly lsaRank: number;
  readonly worldRank: number;
}

/** A window as the host passes it to a launch: what `allocWindow` and `registerWindow` give. */
export interface WindowArg {
  readonly kind: 'window';
}

/** The type of a parameter that takes a window. */
export const window: HandleParam<Window, WindowArg> = handleParam({
  handle: 'Window',
  fields: { lsaRank: i32, worldRank: i32 },
});
