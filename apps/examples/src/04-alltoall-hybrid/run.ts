import { World } from '@nccl-ts/communicator';
import { f32 } from '@nccl-ts/kernel';
import { receivedChunks, sentChunks } from '../all-to-all-data.ts';
import type { ExampleOptions } from '../example.ts';
import { eachRound, roundsIn } from '../rounds.ts';
import { firstMismatch, printVerdict } from '../verify.ts';
import { allToAllHybrid } from './all-to-all-kernel.ts';

export interface AllToAllHybridOptions extends ExampleOptions {
  /** The number of floats from each rank to each rank. */
  readonly count: number;
  /** The number of rounds, each with different data. */
  readonly rounds: number;
  readonly ctas: number;
  /** At least the number of domains minus one. */
  readonly threads: number;
}

/**
 * Runs NCCL's example `06_device_api/03_alltoall_hybrid`, an all-to-all by stores within a domain
 * and by puts across domains.
 *
 * @returns true if every rank received every chunk in every round.
 */
export async function runAllToAllHybrid(options: AllToAllHybridOptions): Promise<boolean> {
  const { backend, print, pause, count, rounds, ctas, threads } = options;
  print('All-to-all by stores within a domain, through the network (GIN) across domains');
  await using world = await World.open({ backend });
  const { nRanks } = world;
  print(`  ${nRanks} ranks, ${count} floats from each to each, ${ctas} CTAs of ${threads} threads, rounds: ${rounds}`);

  const results = await world.run(async (comm) => {
    const send = await comm.allocWindow(f32, nRanks * count);
    const recv = await comm.allocWindow(f32, nRanks * count);
    const devComm = await comm.createDevComm({ ginConnectionType: 'full', barrierCount: ctas, ginSignalCount: ctas });
    const local = comm.teamLsa().nRanks;
    const words = nRanks * count;
    const given = roundsIn(comm, await comm.allocWindow(f32, rounds * words), words);
    const received = roundsIn(comm, await comm.allocWindow(f32, rounds * words), words);
    await given.all.write(eachRound(rounds, (round) => sentChunks(comm.rank, nRanks, count, round)));
    for (let round = 0; round < rounds; round++) {
      await pause?.();
      await given.give(round, send);
      await comm.launch(allToAllHybrid, { grid: ctas, block: threads }, { send, recv, count, comm: devComm });
      await received.keep(round, recv);
    }
    const expected = eachRound(rounds, (round) => receivedChunks(comm.rank, nRanks, count, round));
    return { local, mismatch: firstMismatch(await received.all.read(), expected) };
  });
  for (const [rank, { local }] of results.entries()) {
    print(`  Rank ${rank} stored to ${local} ranks, itself among them, and put to ${nRanks - local}`);
  }
  return printVerdict(
    results.map(({ mismatch }) => mismatch),
    print,
  );
}
