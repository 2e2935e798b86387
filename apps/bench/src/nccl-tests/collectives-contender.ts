import {
  algorithmsOf,
  allGather,
  allReduce,
  allToAll,
  broadcast,
  collectiveNames,
  gather,
  reduce,
  reduceScatter,
  scatter,
  type Algorithm,
  type CollectiveOptions,
  type ReduceOp,
} from '@nccl-ts/collectives';
import { reduceOpOf } from './bench-op.ts';
import type { BenchCollective } from './bench-program.ts';
import type { BenchCall, Contender, RankBuffers } from './contender.ts';
import { allToAllv, hypercube, sendRecv } from './send-recv-calls.ts';

interface Arguments extends RankBuffers {
  readonly count: number;
  readonly chunks: readonly number[];
  readonly op: ReduceOp;
  readonly root: number;
  readonly options: CollectiveOptions;
}

const calls: Readonly<Record<BenchCollective, (call: Arguments) => Promise<void>>> = {
  allReduce: async ({ comm, send, recv, count, op, options }) => allReduce(comm, send, recv, count, op, options),
  broadcast: async ({ comm, send, recv, count, root, options }) => broadcast(comm, send, recv, count, root, options),
  reduce: async ({ comm, send, recv, count, op, root, options }) => reduce(comm, send, recv, count, op, root, options),
  allGather: async ({ comm, send, recv, count, options }) => allGather(comm, send, recv, count, options),
  reduceScatter: async ({ comm, send, recv, count, op, options }) =>
    reduceScatter(comm, send, recv, count, op, options),
  allToAll: async ({ comm, send, recv, count, options }) => allToAll(comm, send, recv, count, options),
  gather: async ({ comm, send, recv, count, root, options }) => gather(comm, send, recv, count, root, options),
  scatter: async ({ comm, send, recv, count, root, options }) => scatter(comm, send, recv, count, root, options),
  sendRecv: async ({ count, ...buffers }) => sendRecv(buffers, count),
  hypercube: async ({ count, ...buffers }) => hypercube(buffers, count),
  allToAllv: async ({ chunks, ...buffers }) => allToAllv(buffers, chunks),
};

/** Its algorithms, in the order of -D. Empty if it consists of sends and receives. */
export function algorithmsFor(collective: BenchCollective): readonly Algorithm[] {
  const found = collectiveNames.find((name) => name === collective);
  return found === undefined ? [] : algorithmsOf[found];
}

/** The collectives of this repository, with the default selection or with one algorithm. */
export function collectivesContender(algorithm?: Algorithm): Contender {
  const options: CollectiveOptions = algorithm === undefined ? {} : { algorithm };
  return {
    name: algorithm === undefined ? 'nccl-ts' : `nccl-ts ${algorithm}`,
    refuses: ({ program }, inPlace) => {
      if (!inPlace) return undefined;
      if (program.inPlace === 'none') return `${program.name} does not work in place`;
      // The others still read a rank's send data while it receives.
      return algorithm === 'oneShot' ? 'oneShot does not work in place' : undefined;
    },
    prepare: async () => undefined,
    start: async ({ program, type, op, root, count, chunks = [] }: BenchCall, ranks) => {
      const call = calls[program.collective];
      await Promise.all(
        ranks.map(async (rank) => {
          const reduceOp = reduceOpOf(op ?? 'sum', type.kind, rank.comm.rank);
          await call({ ...rank, count, chunks, op: reduceOp, root, options });
        }),
      );
    },
    finish: async () => undefined,
  };
}
