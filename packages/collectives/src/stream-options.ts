import type { Stream } from '@nccl-ts/communicator';

/** The last argument of every operation. */
export interface StreamOptions {
  /** @default the default stream */
  readonly stream?: Stream;
}
