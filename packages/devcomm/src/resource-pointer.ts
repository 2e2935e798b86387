import type { Team } from '@nccl-ts/topology';
import {
  deviceFn,
  intrinsic,
  typeParam,
  u32,
  u8,
  windowPointer,
  type DeviceFn,
  type Ptr,
  type StructParam,
  type TypeFn,
} from '@nccl-ts/kernel';
import { devCommParam, type KernelDevComm } from './dev-comm.ts';
import { symPtr, type SymPtr } from './sym-ptr-param.ts';
import { teamRankToLsa } from './team-functions.ts';

/** Resource handles count in units of this many bytes. */
const UNIT = 128;

/**
 * Returns the calling rank's copy of the resource buffer that `bufHandle` identifies.
 *
 * @see ncclGetResourceBufferLocalPointer
 */
export const resourceLocalPointer: DeviceFn<(comm: KernelDevComm, type: TypeFn, bufHandle: number) => Ptr> = deviceFn(
  { name: 'resourceLocalPointer', use: { windowPointer, UNIT } },
  ({ windowPointer, UNIT, addr }, comm, type, bufHandle) =>
    windowPointer(comm.resourceWindow, type, addr(bufHandle) * UNIT, comm.lsaRank),
);

/**
 * Returns the copy of a resource buffer at LSA rank `peer`. It is not checked; an access outside
 * faults.
 *
 * @see ncclGetResourceBufferLsaPointer
 */
export const resourceLsaPointer: DeviceFn<(comm: KernelDevComm, type: TypeFn, bufHandle: number, peer: number) => Ptr> =
  deviceFn(
    { name: 'resourceLsaPointer', use: { windowPointer, UNIT } },
    ({ windowPointer, UNIT, addr }, comm, type, bufHandle, peer) =>
      windowPointer(comm.resourceWindow, type, addr(bufHandle) * UNIT, peer),
  );

/**
 * Returns the copy of a resource buffer at member `peer` of `team`, which must be in the calling
 * rank's LSA domain. With `teamWorld(comm)` that is a world rank. It is not checked; an access
 * outside faults.
 *
 * @see ncclGetResourceBufferPeerPointer
 */
export const resourcePeerPointer: DeviceFn<
  (comm: KernelDevComm, type: TypeFn, bufHandle: number, team: Team, peer: number) => Ptr
> = deviceFn(
  { name: 'resourcePeerPointer', use: { resourceLsaPointer, teamRankToLsa } },
  ({ resourceLsaPointer, teamRankToLsa }, comm, type, bufHandle, team, peer) =>
    resourceLsaPointer(comm, type, bufHandle, teamRankToLsa(comm, team, peer)),
);

/**
 * Returns the byte offset of a resource buffer in the communicator's resource window.
 *
 * @see ncclGetResourceBufferOffset
 */
export const resourceBufferOffset: DeviceFn<(bufHandle: number) => number> = deviceFn(
  { name: 'resourceBufferOffset', use: { UNIT } },
  ({ UNIT, addr }, bufHandle) => addr(bufHandle) * UNIT,
);

/** The fields of a symmetric pointer. Its other members are methods. */
const pointerTo: StructParam<Pick<SymPtr, 'window' | 'offset' | 'T'>> = symPtr(u8);
const bufferUse = { resourceBufferOffset, pointerTo };

/**
 * Returns a resource buffer as a symmetric pointer to elements of type T. NCCL's is a pointer to
 * `char`.
 *
 * @see ncclGetResourceBuffer
 */
export const resourceBuffer: DeviceFn<(comm: KernelDevComm, type: TypeFn, bufHandle: number) => SymPtr> = intrinsic(
  {
    name: 'resourceBuffer',
    pure: true,
    use: bufferUse,
    params: { comm: devCommParam, type: typeParam, bufHandle: u32 },
  },
  ({ resourceBufferOffset, pointerTo }, { comm, type, bufHandle }) =>
    pointerTo({ window: comm.resourceWindow, offset: resourceBufferOffset(bufHandle), T: type }),
);
