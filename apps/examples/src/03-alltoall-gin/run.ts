import { World } from '@nccl-ts/communicator';
import { f32 } from '@nccl-ts/kernel';
import { receivedChunks, sentChunks } from '../all-to-all-data.ts';
import type { ExampleOptions } from '../example.ts';
import { eachRound, roundsIn } from '../rounds.ts';
import { firstMismatch, printVerdict } from '../verify.ts';
import { allToAllGin } from './all-to-all-kernel.ts';

export interface AllToAllGinOptions extends ExampleOptions {
  /** The number of floats from each rank to each rank. */
  readonly count: number;
  /** The number of rounds, each with different data. */
  readonly rounds: number;
  readonly ctas: number;
  /** At least the number of ranks minus one. */
  readonly threads: number;
}

/**
 * Runs NCCL's example `06_device_api/02_alltoall_gin`, an all-to-all that uses only puts over the
 * network.
 *
 * Only the kernel synchronizes the ranks between rounds. A rank's next chunks are ready as soon as
 * its kernel has ended.
 *
 * @returns true if every rank received every chunk in every round.
 */
export async function runAllToAllGin(options: AllToAllGinOptions): Promise<boolean> {
  const { backend, print, pause, count, rounds, ctas, threads } = options;
  print('All-to-all through the network (GIN)');
  await using world = await World.open({ backend });
  const { nRanks } = world;
  print(`  ${nRanks} ranks, ${count} floats from each to each, ${ctas} CTAs of ${threads} threads, rounds: ${rounds}`);

  const mismatches = await world.run(async (comm) => {
    const send = await comm.allocWindow(f32, nRanks * count);
    const recv = await comm.allocWindow(f32, nRanks * count);
    const devComm = await comm.createDevComm({
      ginConnectionType: 'full',
      worldGinBarrierCount: ctas,
      ginSignalCount: ctas,
    });
    const words = nRanks * count;
    const given = roundsIn(comm, await comm.allocWindow(f32, rounds * words), words);
    const received = roundsIn(comm, await comm.allocWindow(f32, rounds * words), words);
    await given.all.write(eachRound(rounds, (round) => sentChunks(comm.rank, nRanks, count, round)));
    for (let round = 0; round < rounds; round++) {
      await pause?.();
      await given.give(round, send);
      await comm.launch(allToAllGin, { grid: ctas, block: threads }, { send, recv, count, comm: devComm });
      await received.keep(round, recv);
    }
    const expected = eachRound(rounds, (round) => receivedChunks(comm.rank, nRanks, count, round));
    return firstMismatch(await received.all.read(), expected);
  });
  print(`  Kernels have ended on all ranks`);
  return printVerdict(mismatches, print);
}
