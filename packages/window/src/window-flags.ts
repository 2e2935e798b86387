/**
 * Flags of a window's registration, with NCCL's integers. Combine them with `|`.
 *
 * `CollSymmetric`: every rank registers a buffer of the same size, and kernels may reach peers
 * through it. `StrictOrdering`: network operations on it are ordered, which VA signals need.
 *
 * `GinOnly`: only the network uses the window, and its memory is mapped for no peer. Neither
 * kernels nor hosts can make pointers through it. NCCL does not say if a rank can reach its own
 * copy through it. Here it cannot: pass the buffer itself for that, or register it a second time.
 * New in NCCL 2.32.
 *
 * `CftCounted`: the window has counted endpoints of the compute fabric instead of uncounted ones.
 * New in NCCL 2.32.
 *
 * @see NCCL_WIN_DEFAULT, NCCL_WIN_COLL_SYMMETRIC, NCCL_WIN_STRICT_ORDERING, NCCL_WIN_GIN_ONLY,
 *   NCCL_WIN_CFT_COUNTED
 */
export const WindowFlags: {
  readonly Default: 0;
  readonly CollSymmetric: 1;
  readonly StrictOrdering: 2;
  readonly GinOnly: 4;
  readonly CftCounted: 8;
} = Object.freeze({
  Default: 0,
  CollSymmetric: 1,
  StrictOrdering: 2,
  GinOnly: 4,
  CftCounted: 8,
});

/** Any combination of the bits by `|`, whose type is a number. Other numbers are refused. */
export type WindowFlags = number;

/** True if `value` is a combination of the bits. */
export function isWindowFlags(value: unknown): value is WindowFlags {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 15;
}

/** True if all bits of `flag` are set in `flags`. */
export function hasWindowFlag(flags: WindowFlags, flag: WindowFlags): boolean {
  return (flags & flag) === flag;
}

/**
 * The address of a window's buffer is a multiple of this many bytes.
 *
 * @see NCCL_WIN_REQUIRED_ALIGNMENT
 */
export const WIN_ALIGNMENT = 4096 as const;
