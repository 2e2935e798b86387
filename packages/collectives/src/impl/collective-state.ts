import type { Communicator, DevComm } from '@nccl-ts/communicator';
import { isNcclError, NcclError } from '@nccl-ts/core';
import { llA2ACalcSlots, llA2ACreateRequirement } from '@nccl-ts/devcomm';
import { HIERARCHICAL_CHUNK_BYTES, HIERARCHICAL_CTAS } from '../backend-shape.ts';
import { sentinelRequirement } from '../fifo/sentinel.ts';
import { P2P_SLOT_BYTES, stepFifoRequirement } from '../fifo/step-fifo.ts';
import { chunkRequirement } from '../kernels/chunked-all-reduce.ts';
import type { CollectivePlaces } from '../kernels/collective-frame.ts';
import { farSignals } from '../kernels/far-transfer.ts';
import { signalRequirement } from '../kernels/one-sided.ts';
import { scratchBytes } from '../kernels/rail-place.ts';
import { scaleRequirement } from '../kernels/rank-scales.ts';
import { hasDomains, reachesAll } from './reach.ts';
import { shapeOn } from './shape-on.ts';

/** The resources of one rank's collectives; the communicator owns and closes them. */
export interface CollectiveState {
  readonly devComm: DevComm;
  readonly places: CollectivePlaces;
  /** The location of the links between each pair of ranks. */
  readonly p2pFifo: number;
  /** The location of the counts of one-sided signals. */
  readonly signals: number;
  /** The first network signal that counts them, if there is a network: one signal for each rank. */
  readonly farSignals: number;
}

const states = new WeakMap<Communicator, Promise<CollectiveState>>();

/**
 * The communicator's state; all ranks make it together at the first use.
 *
 * @param what the operation that needs it, for the message if a rank never comes.
 */
export async function collectiveState(comm: Communicator, what?: () => string): Promise<CollectiveState> {
  let state = states.get(comm);
  if (state === undefined) {
    state = createState(comm);
    states.set(comm, state);
    // A state that could not be created may be requested again.
    state.catch(() => states.delete(comm));
  }
  try {
    return await state;
  } catch (error) {
    if (what === undefined || !isNcclError(error) || error.code !== 'NCCLTS_DEADLOCK') throw error;
    throw new NcclError(
      error.code,
      `${what()}: the first operation of a communicator makes, with all ranks, the resources of all operations. ${error.message}`,
      { cause: error },
    );
  }
}

async function createState(comm: Communicator): Promise<CollectiveState> {
  const { barriers, ll, ring: rings, chunks: chunking } = shapeOn(comm);
  const slots = llA2ACreateRequirement(ll.ctas, llA2ACalcSlots(comm.lsaSize * ll.threads, 8));
  const devComm = await comm.createDevComm({
    lsaBarrierCount: barriers,
    ...(hasDomains(comm) && {
      barrierCount: HIERARCHICAL_CTAS,
      ginConnectionType: reachesAll(comm) ? 'full' : 'rail',
      ginSignalCount: farSignals(comm.nRanks) + comm.nRanks,
    }),
    resourceRequirementsList: [
      stepFifoRequirement(rings.ctas, rings.slotBytes),
      stepFifoRequirement(comm.nRanks, P2P_SLOT_BYTES),
      signalRequirement(comm.nRanks),
      scaleRequirement(barriers),
      sentinelRequirement(comm.lsaSize),
      chunkRequirement(comm.lsaSize, chunking.ctas, chunking.partBytes),
      slots.requirement,
    ],
  });
  const domains = comm.nRanks / comm.lsaSize;
  const needed = domains === 1 ? 16 : scratchBytes(HIERARCHICAL_CTAS, comm.nRanks, domains, HIERARCHICAL_CHUNK_BYTES);
  const window = await comm.allocWindow('u8', needed);
  const [ring, p2p, signals, scales, sentinels, chunks, llSlots] = devComm.plan.resources;
  if (
    ring === undefined ||
    p2p === undefined ||
    signals === undefined ||
    scales === undefined ||
    sentinels === undefined ||
    chunks === undefined ||
    llSlots === undefined
  ) {
    throw new RangeError('A device communicator lacks the resources that it was created with.');
  }
  return {
    devComm,
    places: {
      ringFifo: ring.bufHandle,
      chunks: chunks.bufHandle,
      sentinels: sentinels.bufHandle,
      scales: scales.bufHandle,
      scratch: window.symPtr(),
      llSlots: slots.handleOf(llSlots),
    },
    p2pFifo: p2p.bufHandle,
    signals: signals.bufHandle,
    farSignals: farSignals(comm.nRanks),
  };
}
