import type { Communicator, DevComm } from '@nccl-ts/communicator';
import { isNcclError, NcclError } from '@nccl-ts/core';
import type { BufferPointer } from '../buffer.ts';
import { P2P_SLOT_BYTES, stepFifoRequirement } from '../fifo/step-fifo.ts';
import { farSignals } from '../kernels/far-transfer.ts';
import { signalRequirement } from '../kernels/one-sided.ts';
import { HIERARCHICAL_CTAS } from '../kernels/rail-position.ts';
import { scaleRequirement } from '../kernels/rank-scales.ts';
import { oncePerCommunicator } from './once-per-communicator.ts';
import { hasDomains, reachesAll } from './reach.ts';
import { resourceAt } from './resource-at.ts';
import { shapeOn } from './shape-on.ts';

/**
 * The state that all operations of one rank share. The communicator owns and closes it. Algorithms
 * allocate their own scratch memory when they are first used.
 */
export interface CollectiveState {
  readonly devComm: DevComm;
  /** The locations at which ranks exchange their scalars, for each LSA barrier. */
  readonly scales: number;
  /** The memory of the links between each pair of ranks. */
  readonly p2pFifo: number;
  /** The memory that counts one-sided signals. */
  readonly signals: number;
  /**
   * Memory on every rank whose content nobody uses, for operations that use no memory or only
   * prepare others. It has `NOWHERE_BYTES` for each rank, twice.
   */
  readonly nowhere: BufferPointer<'u8'>;
  /**
   * The first of the network signals that count one-sided signals, if there is a network. Each rank
   * has one.
   */
  readonly farSignals: number;
}

/** Room for an element of any type. */
export const NOWHERE_BYTES = 16;

const stateOn = /* @__PURE__ */ oncePerCommunicator(createState);

/**
 * Returns the communicator's state. All ranks together create it when it is first requested.
 *
 * @param what the caller's name, for the message if a rank never takes part.
 */
export async function collectiveState(comm: Communicator, what?: () => string): Promise<CollectiveState> {
  if (what === undefined) return stateOn(comm);
  return withName(
    () => `${what()}: the first operation of a communicator allocates, with all ranks, what all operations need.`,
    async () => stateOn(comm),
  );
}

/** Puts `why` before the message if `action` never ends because a rank does not take part. */
export async function withName<T>(why: () => string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!isNcclError(error) || error.code !== 'NCCLTS_DEADLOCK') throw error;
    throw new NcclError(error.code, `${why()} ${error.message}`, { cause: error });
  }
}

async function createState(comm: Communicator): Promise<CollectiveState> {
  const { barriers } = shapeOn(comm);
  const devComm = await comm.createDevComm({
    lsaBarrierCount: barriers,
    ...(hasDomains(comm) && {
      barrierCount: HIERARCHICAL_CTAS,
      ginConnectionType: reachesAll(comm) ? 'full' : 'rail',
      ginSignalCount: farSignals(comm.nRanks) + comm.nRanks,
    }),
    resourceRequirementsList: [
      stepFifoRequirement(comm.nRanks, P2P_SLOT_BYTES),
      signalRequirement(comm.nRanks),
      scaleRequirement(barriers),
    ],
  });
  const window = await comm.allocWindow('u8', 2 * NOWHERE_BYTES * comm.nRanks);
  return {
    devComm,
    p2pFifo: resourceAt(devComm, 0).bufHandle,
    signals: resourceAt(devComm, 1).bufHandle,
    scales: resourceAt(devComm, 2).bufHandle,
    nowhere: window.symPtr(),
    farSignals: farSignals(comm.nRanks),
  };
}
