import { deviceFn, windowPointer, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import type { DevComm } from './dev-comm.ts';

/** Resource handles count in units of this many bytes. */
const UNIT = 128;

/**
 * The calling rank's copy of the resource buffer that `bufHandle` names.
 *
 * @see ncclGetResourceBufferLocalPointer
 */
export const resourceLocalPointer: DeviceFn<(comm: DevComm, type: TypeFn, bufHandle: number) => Ptr> = deviceFn(
  { name: 'resourceLocalPointer', use: { windowPointer, UNIT } },
  ({ windowPointer, UNIT, addr }, comm: DevComm, type: TypeFn, bufHandle: number) =>
    windowPointer(comm.resourceWindow, type, addr(bufHandle) * UNIT, comm.lsaRank),
);

/**
 * The copy of a resource buffer at LSA rank `peer`. No check: an access outside faults.
 *
 * @see ncclGetResourceBufferLsaPointer
 */
export const resourceLsaPointer: DeviceFn<(comm: DevComm, type: TypeFn, bufHandle: number, peer: number) => Ptr> =
  deviceFn(
    { name: 'resourceLsaPointer', use: { windowPointer, UNIT } },
    ({ windowPointer, UNIT, addr }, comm: DevComm, type: TypeFn, bufHandle: number, peer: number) =>
      windowPointer(comm.resourceWindow, type, addr(bufHandle) * UNIT, peer),
  );
