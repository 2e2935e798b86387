import { handleParam, i32, type HandleParam } from '@nccl-ts/kernel';

/**
 * A symmetric window in a kernel: memory of one size on every rank. `lsa.pointer` and similar
 * functions return pointers into it. `lsaRank` and `worldRank` are those of the calling rank.
 *
 * @see ncclWindow_t
 */
export interface KernelWindow {
  readonly kind: 'window';
  readonly lsaRank: number;
  readonly worldRank: number;
}

/** A window as an argument of a launch: the result of `allocWindow` or `registerWindow`. */
export interface WindowArg {
  readonly kind: 'window';
}

/** The parameter type for a window. */
export const windowParam: HandleParam<KernelWindow, WindowArg> = handleParam({
  handle: 'Window',
  fields: { lsaRank: i32, worldRank: i32 },
});

/**
 * The same as {@link windowParam}.
 *
 * @deprecated Browsers have a global of this name, which a program without the import gets instead:
 * write `windowParam`.
 * @alias
 */
export const window: HandleParam<KernelWindow, WindowArg> = windowParam;

/**
 * The same as {@link KernelWindow}.
 *
 * @deprecated Browsers have a global type of this name: write `KernelWindow`.
 */
export type Window = KernelWindow;
