import { deviceFn, type CoopLike, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import { post, type EndpointKind, type OperationKind } from './primitives.ts';

/** The arguments of every operation. */
export interface Operation {
  readonly coop: CoopLike;
  readonly leId: number;
  readonly leOffset: number;
  readonly bytes: number;
}

/** The arguments of an operation that reads shared memory. */
export interface PutOperation extends Operation {
  readonly source: Ptr;
}

/** The arguments of an operation that writes shared memory. */
export interface GetOperation extends Operation {
  readonly destination: Ptr;
}

/** Selects all bytes of each 16. */
const ALL = 0xffff;

/**
 * Synchronizes all threads of the group, one of which then initiates the operation. If
 * `counterOffset` is given, the word there counts the bytes. Each bit of `mask` selects one byte of
 * each 16.
 */
const transfer = deviceFn(
  { name: 'transfer', use: { post, ALL } },
  (
    { post, ALL, requires, u32, u64 },
    smem: Ptr,
    kind: OperationKind,
    endpoint: EndpointKind,
    { coop, leId, leOffset, bytes }: Operation,
    near: Ptr,
    counterOffset?: number,
    mask?: number,
  ) => {
    coop.sync();
    if (coop.threadRank() === 0) {
      requires(
        near.misalignment(16) === 0 && bytes % 16 === 0,
        'an operation of the fabric over {} bytes: its shared memory begins at a multiple of 16, and its size is one',
        bytes,
      );
      const counting = counterOffset === undefined ? 'plain' : 'counted';
      const counter = counterOffset === undefined ? u64(0) : counterOffset;
      const selected = mask === undefined ? u32(ALL) : mask;
      post(smem, kind, endpoint, counting, leId, leOffset, counter, near, bytes, selected);
    }
  },
);

export const put: DeviceFn<(smem: Ptr, endpoint: EndpointKind, call: PutOperation) => void> = deviceFn(
  { name: 'put', use: { transfer } },
  ({ transfer }, smem, endpoint, call) => transfer(smem, 'put', endpoint, call, call.source),
);

/** Initiates a put whose bytes the word at `counterOffset` counts. */
export const putCounted: DeviceFn<
  (smem: Ptr, endpoint: EndpointKind, call: PutOperation & { readonly counterOffset: number }) => void
> = deviceFn({ name: 'putCounted', use: { transfer } }, ({ transfer }, smem, endpoint, call) =>
  transfer(smem, 'put', endpoint, call, call.source, call.counterOffset),
);

/** Initiates a put of the bytes of each 16 that `cpMask` selects. */
export const putCpMask: DeviceFn<
  (smem: Ptr, endpoint: EndpointKind, call: PutOperation & { readonly cpMask: number }) => void
> = deviceFn({ name: 'putCpMask', use: { transfer } }, ({ transfer }, smem, endpoint, call) =>
  transfer(smem, 'put', endpoint, call, call.source, undefined, call.cpMask),
);

export const get: DeviceFn<(smem: Ptr, call: GetOperation) => void> = deviceFn(
  { name: 'get', use: { transfer } },
  ({ transfer }, smem, call) => transfer(smem, 'get', 'unicast', call, call.destination),
);
