/** The number of threads of a warp. */
export const WARP_SIZE = 32;
