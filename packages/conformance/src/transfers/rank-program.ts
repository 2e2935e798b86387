import type { Communicator } from '@nccl-ts/communicator';

/** Types whose elements have 1, 2, 4 and 8 bytes. Each can hold all whole numbers up to 256. */
export type TransferElement = 'u8' | 'bf16' | 'i32' | 'f64';

/** The program of a rank. It resolves to the problem there, or to `undefined`. */
export type RankProgram = (comm: Communicator, element: TransferElement) => Promise<string | undefined>;
