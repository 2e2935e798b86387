import { at, NcclError, ResultCode } from '@nccl-ts/core';
import { createTopology, type Topology } from '@nccl-ts/topology';
import type { NcclLibrary } from '../ffi/nccl-library.ts';
import type { CudaDevice } from './cuda-device.ts';
import type { ResolvedProcessRank } from './process-rank.ts';
import { ranksPerGpu, sharingRefused } from './shared-gpus.ts';

/** NCCL's communicators for the ranks of this process. */
export interface Communicators {
  readonly topology: Topology;
  /** In the order of the devices. */
  readonly handles: readonly number[];
}

/**
 * Creates the communicators of all ranks, each on its GPU. Blocks until they are connected. It also
 * creates missing contexts, several at a time, which is faster than creating them one by one
 * before.
 *
 * @throws NcclError with NCCL's error
 */
export function createAllCommunicators(nccl: NcclLibrary, ordinals: readonly number[]): Communicators {
  const comms = new BigUint64Array(ordinals.length);
  try {
    nccl.check('ncclCommInitAll', comms, ordinals.length, Int32Array.from(ordinals));
  } catch (error) {
    throw ranksPerGpu(ordinals) > 1 ? sharingRefused(error) : error;
  }
  return communicatorsOf(nccl, Array.from(comms, Number), ordinals.length);
}

/**
 * Creates the communicator of this process, which holds one of several ranks. Blocks until all
 * processes have joined.
 *
 * @throws NcclError with NCCL's error
 */
export function createOneCommunicator(
  nccl: NcclLibrary,
  device: CudaDevice,
  processRank: ResolvedProcessRank,
): Communicators {
  device.makeCurrent();
  // With NCCL_COMM_ID set, every process creates the same id.
  const id = processRank.uniqueId ?? nccl.uniqueId();
  const handle = nccl.handle('ncclCommInitRank', processRank.nRanks, nccl.uniqueIdArgument(id), processRank.rank);
  return communicatorsOf(nccl, [handle], processRank.nRanks);
}

/**
 * Returns new communicators, with their ranks' load-store domains. If these are unknown, it aborts
 * the communicators.
 *
 * @throws NcclError `NCCLTS_NOT_SUPPORTED`
 */
export function communicatorsOf(nccl: NcclLibrary, handles: readonly number[], nRanks: number): Communicators {
  try {
    return { topology: topologyOf(nccl, handles, nRanks), handles };
  } catch (error) {
    for (const handle of handles) nccl.call('ncclCommAbort', handle);
    throw error;
  }
}

function topologyOf(nccl: NcclLibrary, handles: readonly number[], nRanks: number): Topology {
  const { nRanks: lsaSize } = nccl.teamLsa(at(handles, 0));
  if (lsaSize >= 1 && nRanks % lsaSize === 0) return createTopology({ ranks: nRanks, lsaSize });
  throw new NcclError(
    'NCCLTS_NOT_SUPPORTED',
    "NCCL does not know which ranks can access each other's memory: these GPUs have no symmetric memory, which the device API " +
      'needs (virtual memory management of the driver, NCCL_CUMEM_ENABLE not 0, NCCL_WIN_ENABLE not 0).',
    { details: { lsaSize, nRanks } },
  );
}

/** Frees communicators. @throws NcclError with NCCL's error */
export function destroyCommunicators(
  nccl: NcclLibrary,
  ranks: readonly { readonly device: CudaDevice; readonly comm: number }[],
): void {
  for (const { device, comm } of ranks) {
    device.makeCurrent();
    nccl.check('ncclCommDestroy', comm);
  }
}

/** Throws a communicator's asynchronous error, such as a lost network connection. */
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
