import { handleParam, i32, type HandleParam } from '@nccl-ts/kernel';

/**
 * A symmetric window in a kernel: memory of one size on every rank. `lsa.pointer` and similar
 * functions return pointers into it. `lsaRank` and `worldRank` are those of the calling rank.
 *
 * @see ncclWindow_t
 */
export interface Window {
  readonly kind: 'window';
  readonly lsaRank: number;
  readonly worldRank: number;
}

/** A window as an argument of a launch: the result of `allocWindow` or `registerWindow`. */
export interface WindowArg {
  readonly kind: 'window';
}

/** The parameter type for a window. */
export const window: HandleParam<Window, WindowArg> = handleParam({
  handle: 'Window',
  fields: { lsaRank: i32, worldRank: i32 },
});
