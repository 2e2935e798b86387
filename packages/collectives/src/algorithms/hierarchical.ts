import { ANY_THREADS } from '../backend-shape.ts';
import { hierarchicalAllGather } from '../kernels/hierarchical-all-gather.ts';
import { hierarchicalAllReduce } from '../kernels/hierarchical-all-reduce.ts';
import { hierarchicalAllToAll } from '../kernels/hierarchical-all-to-all.ts';
import { hierarchicalBroadcast } from '../kernels/hierarchical-broadcast.ts';
import { hierarchicalGather } from '../kernels/hierarchical-gather.ts';
import { hierarchicalReduceScatter } from '../kernels/hierarchical-reduce-scatter.ts';
import { hierarchicalReduce } from '../kernels/hierarchical-reduce.ts';
import { hierarchicalScatter } from '../kernels/hierarchical-scatter.ts';
import { HIERARCHICAL_CHUNK_BYTES, HIERARCHICAL_CTAS, scratchBytes } from '../kernels/rail-position.ts';
import { defineAlgorithm, type AlgorithmSpec } from './algorithm-spec.ts';

/**
 * Loads and stores within each load-store domain, and the network between ranks with the same LSA
 * rank. It is the only algorithm for several domains.
 */
export const hierarchical: AlgorithmSpec = /* @__PURE__ */ defineAlgorithm({
  makers: {
    allReduce: hierarchicalAllReduce,
    broadcast: hierarchicalBroadcast,
    reduce: hierarchicalReduce,
    allGather: hierarchicalAllGather,
    reduceScatter: hierarchicalReduceScatter,
    allToAll: hierarchicalAllToAll,
    gather: hierarchicalGather,
    scatter: hierarchicalScatter,
  },
  spansDomains: true,
  reusesScratch: true,
  inRankOrder: false,
  room: () => ({ ctas: HIERARCHICAL_CTAS, threads: ANY_THREADS }),
  // Sends and receives use the same network connections, of which there are few.
  scratch: async (comm, { devComm, scales }) => {
    const { nRanks, lsaSize } = comm;
    const bytes = scratchBytes(HIERARCHICAL_CTAS, nRanks, nRanks / lsaSize, HIERARCHICAL_CHUNK_BYTES);
    const window = await comm.allocWindow('u8', bytes);
    return { devComm, scratch: { scratch: window.symPtr(), scales } };
  },
  obstacle: ({ nRanks, lsaSize }) => (lsaSize < nRanks ? undefined : 'the communicator has only one load-store domain'),
});
