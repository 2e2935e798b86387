import { NcclError, ResultCode } from '@nccl-ts/core';
import { createTopology, type Topology } from '@nccl-ts/topology';
import type { NcclLibrary } from '../ffi/nccl-library.ts';
import type { CudaDevice } from './cuda-device.ts';
import type { ResolvedPlace } from './process-place.ts';

/** NCCL's communicators of the ranks of this process. */
export interface Communicators {
  readonly topology: Topology;
  /** In the order of the devices. */
  readonly handles: readonly number[];
}

/**
 * Makes the communicators: of all ranks, one for each GPU of this process; or of one rank of a world of several
 * processes. Blocks until all processes have come.
 *
 * @throws NcclError what NCCL says.
 */
export function createCommunicators(
  nccl: NcclLibrary,
  devices: readonly CudaDevice[],
  place: ResolvedPlace | undefined,
): Communicators {
  const handles = place === undefined ? allOf(nccl, devices) : [oneOf(nccl, devices, place)];
  try {
    return { topology: topologyOf(nccl, handles, place?.nRanks ?? devices.length), handles };
  } catch (error) {
    for (const handle of handles) nccl.call('ncclCommAbort', handle);
    throw error;
  }
}

function allOf(nccl: NcclLibrary, devices: readonly CudaDevice[]): readonly number[] {
  const comms = new BigUint64Array(devices.length);
  const ordinals = Int32Array.from(devices, ({ ordinal }) => ordinal);
  nccl.check('ncclCommInitAll', comms, devices.length, ordinals);
  return Array.from(comms, Number);
}

function oneOf(nccl: NcclLibrary, devices: readonly CudaDevice[], place: ResolvedPlace): number {
  const [device] = devices;
  if (device === undefined) throw new RangeError('A rank without a GPU.');
  device.makeCurrent();
  // With NCCL_COMM_ID set, every process makes the same id.
  const id = place.uniqueId ?? nccl.uniqueId();
  return nccl.handle('ncclCommInitRank', place.nRanks, nccl.uniqueIdArgument(id), place.rank);
}

function topologyOf(nccl: NcclLibrary, handles: readonly number[], nRanks: number): Topology {
  const [first] = handles;
  const { nRanks: lsaSize } = nccl.teamLsa(first ?? 0);
  if (lsaSize >= 1 && nRanks % lsaSize === 0) return createTopology({ ranks: nRanks, lsaSize });
  throw new NcclError(
    'NCCLTS_NOT_SUPPORTED',
    'NCCL cannot say which ranks reach the memory of one another: these GPUs have no symmetric memory, which the device API ' +
      'needs (virtual memory management of the driver, NCCL_CUMEM_ENABLE not 0, NCCL_WIN_ENABLE not 0).',
    { details: { lsaSize, nRanks } },
  );
}

/** Throws what a communicator met on its own, such as a network that went away. */
export function checkCommunicators(
  nccl: NcclLibrary,
  ranks: readonly { readonly rank: number; readonly comm: number }[],
): void {
  for (const { rank, comm } of ranks) {
    const result = nccl.asyncError(comm);
    const isWell = result === ResultCode.Success || result === ResultCode.InProgress;
    if (!isWell) throw nccl.failure(`The communicator of rank ${rank}`, result, comm);
  }
}
