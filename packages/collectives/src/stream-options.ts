import type { Stream } from '@nccl-ts/communicator';

/** What every operation takes last. */
export interface StreamOptions {
  /** @default the default stream */
  readonly stream?: Stream;
}
