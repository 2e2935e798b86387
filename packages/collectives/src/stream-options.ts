import type { Stream } from '@nccl-ts/communicator';

/** The options of every operation, which are its last argument. */
export interface StreamOptions {
  /** @default the default stream */
  readonly stream?: Stream;
}
