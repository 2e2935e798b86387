import { World, type Communicator } from '@nccl-ts/communicator';
import { at } from '@nccl-ts/core';
import { f32, u32 } from '@nccl-ts/kernel';
import { own, type ExampleOptions } from '../example.ts';
import { eachRound, roundsIn } from '../rounds.ts';
import { sentinels } from '../sentinel.ts';
import { firstMismatch, printVerdict, type Mismatch } from '../verify.ts';
import { allReduceOneShot } from './one-shot-kernel.ts';
import { allReduceTwoShot } from './two-shot-kernel.ts';
import { allReduceTwoShotSentinel } from './two-shot-sentinel-kernel.ts';

export type MulticastAlgorithm = 'one-shot' | 'two-shot' | 'two-shot-sentinel';

export interface AllReduceMulticastOptions extends ExampleOptions {
  readonly algorithm: MulticastAlgorithm;
  /** The number of lines of four floats that each rank sums, with two shots. */
  readonly linesPerRank: number;
  /** The number of rounds, each with different data. */
  readonly rounds: number;
  readonly ctas: number;
  readonly threads: number;
}

/**
 * Runs NCCL's `contrib/custom_algos/allreduce`, an AllReduce within each LSA team by multicast
 * addresses.
 *
 * @returns true if every rank had every sum in every round.
 */
export async function runAllReduceMulticast(options: AllReduceMulticastOptions): Promise<boolean> {
  const { backend, print, algorithm, linesPerRank, rounds, ctas, threads } = options;
  print(`AllReduce by multicast addresses, ${algorithm}`);
  await using world = await World.open({ backend });
  const lsaSize = world.comm(0).teamLsa().nRanks;
  print(
    `  ${world.nRanks} ranks in LSA teams of ${lsaSize}, ${4 * linesPerRank * lsaSize} floats, ` +
      `${ctas} CTAs of ${threads} threads, rounds: ${rounds}`,
  );
  const mismatches = algorithm === 'two-shot-sentinel' ? await sentinel(world, options) : await simple(world, options);
  return printVerdict(mismatches, print);
}

/**
 * The caller of these kernels must ensure that all ranks are ready, so the host synchronizes them
 * before each step.
 */
async function simple(
  world: World,
  { pause, algorithm, linesPerRank, rounds, ctas, threads }: AllReduceMulticastOptions,
): Promise<readonly (Mismatch | undefined)[]> {
  const made = await world.run(async (comm) => {
    const floats = 4 * linesPerRank * comm.teamLsa().nRanks;
    const send = await comm.allocWindow(f32, floats);
    const recv = await comm.allocWindow(f32, floats);
    return { send, recv, devComm: await comm.createDevComm({ lsaMultimem: true, lsaBarrierCount: ctas }) };
  });
  const kernel = algorithm === 'one-shot' ? allReduceOneShot : allReduceTwoShot;
  let mismatches: readonly (Mismatch | undefined)[] = [];
  for (let round = 0; round < rounds; round++) {
    await world.run(async (comm) => own(made, comm).send.write(summands(comm, comm.rank, linesPerRank, round)));
    mismatches = await world.run(async (comm) => {
      const { send, recv, devComm } = own(made, comm);
      await pause?.();
      const lines = linesPerRank * comm.teamLsa().nRanks;
      await comm.launch(kernel, { grid: ctas, block: threads }, { send, recv, lines, comm: devComm });
      return firstMismatch(await recv.read(), sums(comm, linesPerRank, round));
    });
    if (mismatches.some((mismatch) => mismatch !== undefined)) break;
  }
  return mismatches;
}

/** Only the data synchronizes the ranks, from the first round to the last. */
async function sentinel(
  world: World,
  { pause, linesPerRank, rounds, ctas, threads }: AllReduceMulticastOptions,
): Promise<readonly (Mismatch | undefined)[]> {
  return world.run(async (comm) => {
    const lines = linesPerRank * comm.teamLsa().nRanks;
    // The data of all rounds is written before the ranks synchronize in the first.
    const send = await comm.allocWindow(f32, 4 * lines * rounds);
    const buffers = [
      await comm.allocWindow(u32, 4 * lines),
      await comm.allocWindow(u32, 4 * lines),
      await comm.allocWindow(u32, 4 * lines),
    ] as const;
    const kept = roundsIn(comm, await comm.allocWindow(f32, 4 * lines * rounds), 4 * lines);
    const devComm = await comm.createDevComm({ lsaMultimem: true, lsaBarrierCount: ctas });
    await pause?.();
    for (const buffer of buffers) await buffer.write(sentinels(4 * lines));
    await send.write(eachRound(rounds, (round) => summands(comm, comm.rank, linesPerRank, round)));
    for (let round = 0; round < rounds; round++) {
      const [recv, clear] = [buffers[round % 3] ?? buffers[0], buffers[(round + 2) % 3] ?? buffers[0]];
      const turn = { send, sendLine: round * lines, recv, clear, lines, meet: round === 0, comm: devComm };
      await pause?.();
      await comm.launch(allReduceTwoShotSentinel, { grid: ctas, block: threads }, turn);
      await kept.keep(round, recv);
    }
    return firstMismatch(
      await kept.all.read(),
      eachRound(rounds, (round) => sums(comm, linesPerRank, round)),
    );
  });
}

/**
 * The values that a rank contributes. They are small integers, so that sums are exact in any order.
 */
function summands(comm: Communicator, rank: number, linesPerRank: number, round: number): Float32Array {
  const length = 4 * linesPerRank * comm.teamLsa().nRanks;
  return new Float32Array(length).map((_, i) => (rank + 1) * ((i % 512) + 1) + round);
}

function sums(comm: Communicator, linesPerRank: number, round: number): Float32Array {
  const { rank, nRanks } = comm.teamLsa();
  const parts = Array.from({ length: nRanks }, (_, i) => summands(comm, comm.rank - rank + i, linesPerRank, round));
  return at(parts, 0).map((_, i) => parts.reduce((sum, part) => sum + at(part, i), 0));
}
