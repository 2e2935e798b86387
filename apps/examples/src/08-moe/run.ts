import { World, type Communicator } from '@nccl-ts/communicator';
import { f32, u32 } from '@nccl-ts/kernel';
import type { ExampleOptions } from '../example.ts';
import { firstMismatch, printVerdict } from '../verify.ts';
import { batchOf, expectedCounts, expectedOutput, type MoeShape } from './batch.ts';
import { combineTokens } from './combine-kernel.ts';
import { dispatchTokens } from './dispatch-kernel.ts';
import { weighTokens } from './weigh-kernel.ts';

export interface MoeOptions extends ExampleOptions, MoeShape {
  /** How often, each time with other tokens. */
  readonly rounds: number;
  readonly threads: number;
}

/**
 * A layer of experts that are spread over the ranks, as in NCCL's `contrib/nccl_ep` where it looks for low latency: tokens
 * are dispatched to the experts that they are routed to, and what these make of them is combined. Within a domain by
 * stores, across domains by puts.
 *
 * @returns whether as many tokens came to every expert, and every rank got for each of its own, what they should have.
 */
export async function runMoe(options: MoeOptions): Promise<boolean> {
  const { backend, print, pause, tokens, topK, hidden, perRank, rounds, threads } = options;
  print('Mixture of experts: dispatch and combine');
  await using world = await World.open({ backend });
  const { nRanks } = world;
  print(`  ${nRanks} ranks with ${perRank} experts each, ${rounds} rounds`);
  print(`  ${tokens} tokens of ${hidden} floats on each rank, each to ${topK} experts`);

  const results = await world.run(async (comm) => {
    const launch = await layer(comm, options);
    let came = 0;
    for (let round = 0; round < rounds; round++) {
      const batches = Array.from({ length: nRanks }, (_, rank) => batchOf(rank, nRanks, round, options));
      const { x, routes, weights, counts, out } = launch;
      const batch = batches[comm.rank];
      if (batch === undefined) throw new RangeError(`rank ${comm.rank} has no batch`);
      await pause?.();
      await x.write(batch.x);
      await routes.write(batch.routes);
      await weights.write(batch.weights);
      await pause?.();
      await launch.dispatch({ grid: nRanks * perRank, block: threads });
      // The dispatch has let go of the tokens; the others may still be combining.
      await x.write(new Float32Array(batch.x.length).fill(-1));
      const counted = await counts.read();
      const wrongCount = firstMismatch(counted, expectedCounts(comm.rank, batches, options));
      await pause?.();
      await launch.combine({ grid: nRanks * perRank, block: threads });
      const mismatch = wrongCount ?? firstMismatch(await out.read(), expectedOutput(batch, options));
      came += counted.reduce((sum, count) => sum + count, 0);
      if (mismatch !== undefined) return { came, mismatch };
    }
    return { came, mismatch: undefined };
  });
  for (const [rank, { came }] of results.entries()) print(`  Rank ${rank}: ${came} tokens came to its experts`);
  return printVerdict(
    results.map(({ mismatch }) => mismatch),
    print,
  );
}

/** The layer on one rank: its memory, and what launches its kernels. */
async function layer(comm: Communicator, { tokens, topK, hidden, perRank }: MoeShape) {
  const experts = comm.nRanks * perRank;
  const floats = async (count: number) => comm.allocWindow(f32, count);
  const words = async (count: number) => comm.allocWindow(u32, count);
  const x = await floats(tokens * hidden);
  const routes = await words(tokens * topK);
  const weights = await floats(tokens * topK);
  const out = await floats(tokens * hidden);
  const inbox = await floats(experts * tokens * hidden);
  const outbox = await floats(experts * tokens * hidden);
  const returned = await floats(tokens * topK * hidden);
  const origins = await words(experts * tokens);
  const counts = await words(experts);
  const [sentFlags, madeFlags] = [await words(experts), await words(experts)];
  const devComm = await comm.createDevComm({ ginConnectionType: 'full', ginSignalCount: 2 * experts });
  const boxes = { inbox, origins, counts, tokens, hidden, perRank, comm: devComm };
  return {
    x,
    routes,
    weights,
    counts,
    out,
    dispatch: async (config: { grid: number; block: number }): Promise<void> =>
      comm.launch(dispatchTokens, config, { ...boxes, routes, x, flags: sentFlags, topK }),
    combine: async (config: { grid: number; block: number }): Promise<void> => {
      await comm.launch(combineTokens, config, { ...boxes, outbox, returned, flags: madeFlags });
      await comm.launch(
        weighTokens,
        { grid: tokens, block: config.block },
        { returned, weights, out, tokens, topK, hidden },
      );
    },
  };
}
