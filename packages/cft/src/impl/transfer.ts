import {
  deviceFn,
  deviceModule,
  type AuthorOf,
  type CoopLike,
  type DeviceFn,
  type DeviceModule,
  type Ptr,
} from '@nccl-ts/kernel';
import { post, type Counting, type EndpointKind, type OperationKind } from './primitives.ts';

/** The location and size of an operation's data. Each bit of `mask` selects one byte of each 16. */
interface Transfer {
  readonly leId: number;
  readonly leOffset: number;
  readonly counterOffset: number;
  readonly near: Ptr;
  readonly bytes: number;
  readonly mask: number;
}

/** Synchronizes all threads of `coop`, one of which then initiates the operation. */
const transfer: DeviceFn<
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

/** Selects all bytes of each 16. */
const ALL = 0xffff;

/** Initiates an operation whose bytes are not counted. */
const plain: DeviceFn<
  (
    smem: Ptr,
    coop: CoopLike,
    kind: OperationKind,
    endpoint: EndpointKind,
    leId: number,
    leOffset: number,
    near: Ptr,
    bytes: number,
  ) => void
> = deviceFn(
  { name: 'plainTransfer', use: { transfer, ALL } },
  (
    { transfer, ALL, u32, u64 },
    smem: Ptr,
    coop: CoopLike,
    kind: OperationKind,
    endpoint: EndpointKind,
    leId: number,
    leOffset: number,
    near: Ptr,
    bytes: number,
  ) => {
    const of = { leId, leOffset, counterOffset: u64(0), near, bytes, mask: u32(ALL) };
    transfer(smem, coop, kind, endpoint, 'plain', of);
  },
);

/** Initiates a put whose bytes the word at `counterOffset` counts. */
const counted: DeviceFn<
  (
    smem: Ptr,
    coop: CoopLike,
    endpoint: EndpointKind,
    leId: number,
    leOffset: number,
    counterOffset: number,
    near: Ptr,
    bytes: number,
  ) => void
> = deviceFn(
  { name: 'countedPut', use: { transfer, ALL } },
  (
    { transfer, ALL, u32 },
    smem: Ptr,
    coop: CoopLike,
    endpoint: EndpointKind,
    leId: number,
    leOffset: number,
    counterOffset: number,
    near: Ptr,
    bytes: number,
  ) => {
    const of = { leId, leOffset, counterOffset, near, bytes, mask: u32(ALL) };
    transfer(smem, coop, 'put', endpoint, 'counted', of);
  },
);

/** Initiates a put of the bytes of each 16 that `mask` selects. */
const masked: DeviceFn<
  (
    smem: Ptr,
    coop: CoopLike,
    endpoint: EndpointKind,
    leId: number,
    leOffset: number,
    near: Ptr,
    bytes: number,
    mask: number,
  ) => void
> = deviceFn(
  { name: 'maskedPut', use: { transfer } },
  (
    { transfer, u64 },
    smem: Ptr,
    coop: CoopLike,
    endpoint: EndpointKind,
    leId: number,
    leOffset: number,
    near: Ptr,
    bytes: number,
    mask: number,
  ) => {
    const of = { leId, leOffset, counterOffset: u64(0), near, bytes, mask };
    transfer(smem, coop, 'put', endpoint, 'plain', of);
  },
);

/** The functions of `transfers` in device functions. */
export interface Transfers {
  readonly plain: AuthorOf<typeof plain>;
  readonly counted: AuthorOf<typeof counted>;
  readonly masked: AuthorOf<typeof masked>;
}

/** The operations of a session, to endpoints of both kinds: `use: { transfers }`. */
export const transfers: DeviceModule<Transfers> = deviceModule('transfers', { plain, counted, masked });
