import { RESOURCE_UNIT } from '@nccl-ts/window';
import { deviceFn, multicastPointer, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import type { KernelDevComm } from './dev-comm.ts';
import type { MultimemHandle } from './multimem-handle.ts';

/**
 * Returns the multicast address of a resource buffer over the ranks of `handle`; null for a null
 * handle.
 *
 * @see ncclGetResourceBufferMultimemPointer
 */
export const resourceMultimemPointer: DeviceFn<
  (comm: KernelDevComm, type: TypeFn, bufHandle: number, handle: MultimemHandle) => Ptr
> = deviceFn(
  { name: 'resourceMultimemPointer', use: { multicastPointer, RESOURCE_UNIT } },
  ({ multicastPointer, RESOURCE_UNIT, addr }, comm, type, bufHandle, handle) =>
    multicastPointer(comm.resourceWindow, type, addr(bufHandle) * RESOURCE_UNIT, handle.mcBasePtr),
);

/**
 * Returns the multicast address over the LSA team; null if the device communicator has no
 * `lsaMultimem`.
 *
 * @see ncclGetResourceBufferLsaMultimemPointer
 */
export const resourceLsaMultimemPointer: DeviceFn<(comm: KernelDevComm, type: TypeFn, bufHandle: number) => Ptr> =
  deviceFn(
    { name: 'resourceLsaMultimemPointer', use: { multicastPointer, RESOURCE_UNIT } },
    ({ multicastPointer, RESOURCE_UNIT, addr }, comm, type, bufHandle) =>
      multicastPointer(comm.resourceWindow, type, addr(bufHandle) * RESOURCE_UNIT, comm.lsaMultimem.mcBasePtr),
  );
