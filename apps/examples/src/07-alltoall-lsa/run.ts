import { World, type Communicator } from '@nccl-ts/communicator';
import { u32 } from '@nccl-ts/kernel';
import { receivedChunks, sentChunks } from '../all-to-all-data.ts';
import { own, type ExampleOptions } from '../example.ts';
import { eachRound, roundsIn } from '../rounds.ts';
import { sentinels } from '../sentinel.ts';
import { firstMismatch, printVerdict, type Mismatch } from '../verify.ts';
import { allToAllSentinel } from './sentinel-kernel.ts';
import { allToAllSimple } from './simple-kernel.ts';

export interface AllToAllLsaOptions extends ExampleOptions {
  readonly algorithm: 'simple' | 'sentinel';
  /** The number of 16-byte lines that each rank has for each rank of its LSA team. */
  readonly lines: number;
  /** The number of rounds, each with different data. */
  readonly rounds: number;
  readonly ctas: number;
  /** The number of threads of a CTA, in whole warps. */
  readonly threads: number;
}

/**
 * Runs NCCL's `contrib/custom_algos/alltoall`, an all-to-all within each LSA team. It ends with a
 * barrier, or with data that signals its own arrival.
 *
 * @returns true if every rank received every chunk in every round.
 */
export async function runAllToAllLsa(options: AllToAllLsaOptions): Promise<boolean> {
  const { backend, print, algorithm, lines, rounds, ctas, threads } = options;
  print(`All-to-all within each LSA team, ${algorithm}`);
  await using world = await World.open({ backend });
  const lsaSize = world.comm(0).teamLsa().nRanks;
  print(
    `  ${world.nRanks} ranks in LSA teams of ${lsaSize}, ${lines} lines of 16 bytes from each to each, ` +
      `${ctas} CTAs of ${threads} threads, rounds: ${rounds}`,
  );
  const mismatches = algorithm === 'simple' ? await simple(world, options) : await sentinel(world, options);
  return printVerdict(mismatches, print);
}

/**
 * The kernel's barrier is at its end, so the host ensures before each step that all ranks are
 * ready.
 */
async function simple(
  world: World,
  { pause, lines, rounds, ctas, threads }: AllToAllLsaOptions,
): Promise<readonly (Mismatch | undefined)[]> {
  const made = await world.run(async (comm) => {
    const words = 4 * lines * comm.teamLsa().nRanks;
    const send = await comm.allocWindow(u32, words);
    const recv = await comm.allocWindow(u32, words);
    return { send, recv, devComm: await comm.createDevComm({ lsaBarrierCount: ctas }) };
  });
  let mismatches: readonly (Mismatch | undefined)[] = [];
  for (let round = 0; round < rounds; round++) {
    await world.run(async (comm) => own(made, comm).send.write(sent(comm, lines, round)));
    mismatches = await world.run(async (comm) => {
      const { send, recv, devComm } = own(made, comm);
      await pause?.();
      await comm.launch(allToAllSimple, { grid: ctas, block: threads }, { send, recv, lines, comm: devComm });
      return firstMismatch(await recv.read(), received(comm, lines, round));
    });
    if (mismatches.some((mismatch) => mismatch !== undefined)) break;
  }
  return mismatches;
}

/** Only the data synchronizes the ranks, from the first round to the last. */
async function sentinel(
  world: World,
  { pause, lines, rounds, ctas, threads }: AllToAllLsaOptions,
): Promise<readonly (Mismatch | undefined)[]> {
  return world.run(async (comm) => {
    const total = lines * comm.teamLsa().nRanks;
    const send = await comm.allocWindow(u32, 4 * total);
    const buffers = [
      await comm.allocWindow(u32, 4 * total),
      await comm.allocWindow(u32, 4 * total),
      await comm.allocWindow(u32, 4 * total),
    ] as const;
    const given = roundsIn(comm, await comm.allocWindow(u32, 4 * total * rounds), 4 * total);
    const kept = roundsIn(comm, await comm.allocWindow(u32, 4 * total * rounds), 4 * total);
    const devComm = await comm.createDevComm({ lsaBarrierCount: ctas });
    await pause?.();
    for (const buffer of buffers) await buffer.write(sentinels(4 * total));
    await given.all.write(eachRound(rounds, (round) => sent(comm, lines, round)));
    for (let round = 0; round < rounds; round++) {
      const [recv, clear] = [buffers[round % 3] ?? buffers[0], buffers[(round + 2) % 3] ?? buffers[0]];
      await pause?.();
      await given.give(round, send);
      const args = { send, recv, clear, lines, meet: round === 0, comm: devComm };
      await comm.launch(allToAllSentinel, { grid: ctas, block: threads }, args);
      await kept.keep(round, recv);
    }
    return firstMismatch(
      await kept.all.read(),
      eachRound(rounds, (round) => received(comm, lines, round)),
    );
  });
}

function sent(comm: Communicator, lines: number, round: number): Uint32Array {
  const { rank, nRanks } = comm.teamLsa();
  return Uint32Array.from(sentChunks(rank, nRanks, 4 * lines, round));
}

function received(comm: Communicator, lines: number, round: number): Uint32Array {
  const { rank, nRanks } = comm.teamLsa();
  return Uint32Array.from(receivedChunks(rank, nRanks, 4 * lines, round));
}
