/** The number of threads of a warp. */
export const WARP_SIZE = 32;

/** The mask of all lanes of a warp. */
export const ALL_LANES = 0xffffffff;
