import { deviceFn, type CoopLike, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import { post, type Counting, type EndpointKind, type OperationKind } from './primitives.ts';

/** The place and size of an operation's data. `mask` selects bytes of each 16. */
export interface Transfer {
  readonly leId: number;
  readonly leOffset: number;
  readonly counterOffset: number;
  readonly near: Ptr;
  readonly bytes: number;
  readonly mask: number;
}

/** All threads of `coop` synchronize, and one of them initiates the operation. */
export const transfer: DeviceFn<
  (smem: Ptr, coop: CoopLike, kind: OperationKind, endpoint: EndpointKind, counting: Counting, of: Transfer) => void
> = deviceFn(
  { name: 'transfer', use: { post } },
  (
    { post, requires },
    smem: Ptr,
    coop: CoopLike,
    kind: OperationKind,
    endpoint: EndpointKind,
    counting: Counting,
    of: Transfer,
  ) => {
    coop.sync();
    if (coop.threadRank() === 0) {
      requires(
        of.near.misalignment(16) === 0 && of.bytes % 16 === 0,
        'an operation of the fabric over {} bytes: its shared memory begins at a multiple of 16, and its size is one',
        of.bytes,
      );
      post(smem, kind, endpoint, counting, of.leId, of.leOffset, of.counterOffset, of.near, of.bytes, of.mask);
    }
  },
);
