/** The version of NCCL whose window torchcomms' nccl_ubx is compiled against. */
export const version = '2.31';

/** The element of bf16 after which the data of a pool starts: 1 KiB of pointers and flags. */
export const start = 512;

/** The byte of a pool at which its flags start, after a pointer of each rank. */
export const flagsAt = (nRanks: number) => 8 * nRanks;
