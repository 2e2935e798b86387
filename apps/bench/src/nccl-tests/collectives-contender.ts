import {
  algorithmsOf,
  collective,
  collectiveNames,
  type Algorithm,
  type CollectiveName,
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

/** An operation that is made of sends and receives. */
type Exchange = Exclude<BenchCollective, CollectiveName>;

const exchanges: Readonly<Record<Exchange, (call: Arguments) => Promise<void>>> = {
  sendRecv: async ({ count, ...buffers }) => sendRecv(buffers, count),
  hypercube: async ({ count, ...buffers }) => hypercube(buffers, count),
  allToAllv: async ({ chunks, ...buffers }) => allToAllv(buffers, chunks),
};

async function callOf(name: BenchCollective, call: Arguments): Promise<void> {
  return isExchange(name) ? exchanges[name](call) : collective(call.comm, name, call);
}

function isExchange(name: BenchCollective): name is Exchange {
  return Object.hasOwn(exchanges, name);
}

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
      await Promise.all(
        ranks.map(async (rank) => {
          const reduceOp = reduceOpOf(op ?? 'sum', type.kind, rank.comm.rank);
          await callOf(program.collective, { ...rank, count, chunks, op: reduceOp, root, options });
        }),
      );
    },
    finish: async () => undefined,
  };
}
