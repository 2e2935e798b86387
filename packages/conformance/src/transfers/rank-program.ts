import type { Communicator } from '@nccl-ts/communicator';

/** Types whose elements take 1, 2, 4 and 8 bytes; each has all whole numbers up to 256. */
export type TransferElement = 'u8' | 'bf16' | 'i32' | 'f64';

/** The program of a rank; it resolves with the problem there, or undefined. */
export type RankProgram = (comm: Communicator, element: TransferElement) => Promise<string | undefined>;
