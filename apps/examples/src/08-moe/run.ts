import { World, type Communicator } from '@nccl-ts/communicator';
import { f32, u32 } from '@nccl-ts/kernel';
import type { ExampleOptions } from '../example.ts';
import { eachRound, roundsIn } from '../rounds.ts';
import { firstMismatch, printVerdict } from '../verify.ts';
import { batchOf, expectedCounts, expectedOutput, type TokenBatch, type MoeShape } from './batch.ts';
import { combineTokens } from './combine-kernel.ts';
import { dispatchTokens } from './dispatch-kernel.ts';
import { weighTokens } from './weigh-kernel.ts';

export interface MoeOptions extends ExampleOptions, MoeShape {
  /** The number of rounds, each with different tokens. */
  readonly rounds: number;
  readonly threads: number;
}

/**
 * A layer of experts that are distributed over the ranks, as in the low-latency mode of NCCL's
 * `contrib/nccl_ep`. It dispatches tokens to their experts, and combines the experts' results. It
 * uses stores within a domain and puts across domains.
 *
 * @returns true if every expert received the expected tokens, and every rank the expected results.
 */
export async function runMoe(options: MoeOptions): Promise<boolean> {
  const { backend, print, pause, tokens, topK, hidden, perRank, rounds, threads } = options;
  print('Mixture of experts: dispatch and combine');
  await using world = await World.open({ backend });
  const { nRanks } = world;
  print(`  ${nRanks} ranks with ${perRank} experts each, rounds: ${rounds}`);
  print(`  ${tokens} tokens of ${hidden} floats on each rank, each to ${topK} experts`);

  const results = await world.run(async (comm) => {
    const { x, routes, weights, counts, out, dispatch, combine } = await layer(comm, options);
    const floatsOf = async (words: number) => roundsIn(comm, await comm.allocWindow(f32, rounds * words), words);
    const wordsOf = async (words: number) => roundsIn(comm, await comm.allocWindow(u32, rounds * words), words);
    const countsOf = await wordsOf(nRanks * perRank);
    const routesOf = await wordsOf(tokens * topK);
    const weightsOf = await floatsOf(tokens * topK);
    const outOf = await floatsOf(tokens * hidden);
    // One more batch, which overwrites the tokens.
    const xOf = roundsIn(comm, await comm.allocWindow(f32, (rounds + 1) * tokens * hidden), tokens * hidden);
    const batches = (round: number): readonly TokenBatch[] =>
      Array.from({ length: nRanks }, (_, rank) => batchOf(rank, nRanks, round, options));
    const mine = (round: number): TokenBatch => batchOf(comm.rank, nRanks, round, options);
    await xOf.all.write([
      ...eachRound(rounds, (round) => mine(round).x),
      ...new Float32Array(tokens * hidden).fill(-1),
    ]);
    await routesOf.all.write(eachRound(rounds, (round) => mine(round).routes));
    await weightsOf.all.write(eachRound(rounds, (round) => mine(round).weights));

    const config = { grid: nRanks * perRank, block: threads };
    for (let round = 0; round < rounds; round++) {
      await pause?.();
      await xOf.give(round, x);
      await routesOf.give(round, routes);
      await weightsOf.give(round, weights);
      await dispatch(config);
      // A layer may overwrite its tokens with its result, because the dispatch no longer reads
      // them.
      await xOf.give(rounds, x);
      await countsOf.keep(round, counts);
      await combine(config);
      await outOf.keep(round, out);
    }
    const counted = await countsOf.all.read();
    const mismatch =
      firstMismatch(
        counted,
        eachRound(rounds, (round) => expectedCounts(comm.rank, batches(round), options)),
      ) ??
      firstMismatch(
        await outOf.all.read(),
        eachRound(rounds, (round) => expectedOutput(mine(round), options)),
      );
    return { came: counted.reduce((sum, count) => sum + count, 0), mismatch };
  });
  for (const [rank, { came }] of results.entries()) print(`  Rank ${rank}: ${came} tokens came to its experts`);
  return printVerdict(
    results.map(({ mismatch }) => mismatch),
    print,
  );
}

/** The layer on one rank: its memory, and the functions that launch its kernels. */
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
  const other = await floats(experts * tokens * hidden);
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
      // The next operation may overwrite the outbox. It must not use the inbox, because other ranks
      // may be a round ahead.
      await roundsIn(comm, other, experts * tokens * hidden).give(0, outbox);
      await comm.launch(
        weighTokens,
        { grid: tokens, block: config.block },
        { returned, weights, out, tokens, topK, hidden },
      );
    },
  };
}
