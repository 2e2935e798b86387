import type { Communicator, DevComm } from '@nccl-ts/communicator';
import { isNcclError, NcclError } from '@nccl-ts/core';
import { llA2ACalcSlots, llA2ACreateRequirement } from '@nccl-ts/devcomm';
import { HIERARCHICAL_CHUNK_BYTES, HIERARCHICAL_CTAS } from '../backend-shape.ts';
import { sentinelRequirement, sentinelWords } from '../fifo/sentinel.ts';
import { P2P_SLOT_BYTES, stepFifoRequirement } from '../fifo/step-fifo.ts';
import { chunkRequirement } from '../kernels/chunked-all-reduce.ts';
import type { CollectivePlaces } from '../kernels/collective-frame.ts';
import { farSignals } from '../kernels/far-transfer.ts';
import { signalRequirement } from '../kernels/one-sided.ts';
import { scratchBytes } from '../kernels/rail-place.ts';
import { scaleRequirement } from '../kernels/rank-scales.ts';
import { hasDomains, reachesAll } from './reach.ts';
import { shapeOn } from './shape-on.ts';

/** What the collectives of one rank have made for themselves; the communicator owns and closes it. */
export interface CollectiveState {
  readonly devComm: DevComm;
  readonly places: CollectivePlaces;
  /** Where the links between each two ranks are. */
  readonly p2pFifo: number;
  /** Where one-sided signals are counted. */
  readonly signals: number;
  /** The first signal of the network that counts them, where there is one: a signal for each rank. */
  readonly farSignals: number;
}

const states = new WeakMap<Communicator, Promise<CollectiveState>>();

/**
 * The communicator's state; made, by all ranks together, when it is first asked for.
 *
 * @param what what needs it, for the message where a rank never comes.
 */
export async function collectiveState(comm: Communicator, what?: () => string): Promise<CollectiveState> {
  let state = states.get(comm);
  if (state === undefined) {
    state = createState(comm);
    states.set(comm, state);
    // What could not be made may be asked for again.
    state.catch(() => states.delete(comm));
  }
  try {
    return await state;
  } catch (error) {
    if (what === undefined || !isNcclError(error) || error.code !== 'NCCLTS_DEADLOCK') throw error;
    throw new NcclError(
      error.code,
      `${what()}: the first operation of a communicator makes, with all ranks, what all operations need. ${error.message}`,
      { cause: error },
    );
  }
}

async function createState(comm: Communicator): Promise<CollectiveState> {
  const { barriers, ll, ring: rings, chunks: chunking, sentinel: words } = shapeOn(comm);
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
      sentinelRequirement(words, comm.lsaSize),
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
    throw new RangeError('A device communicator without the resources it was asked for.');
  }
  return {
    devComm,
    places: {
      ringFifo: ring.bufHandle,
      chunks: chunks.bufHandle,
      sentinels: { buffers: sentinels.bufHandle, room: sentinelWords(words, comm.lsaSize) },
      scales: scales.bufHandle,
      scratch: window.symPtr(),
      llSlots: slots.handleOf(llSlots),
    },
    p2pFifo: p2p.bufHandle,
    signals: signals.bufHandle,
    farSignals: farSignals(comm.nRanks),
  };
}
