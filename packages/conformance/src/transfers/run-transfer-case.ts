import type { World } from '@nccl-ts/communicator';
import type { TransferCase } from './transfer-case.ts';
import { rankPrograms } from './transfer-programs.ts';

/** Runs a case on a world of its shape. Returns the problem, or `undefined`. */
export async function runTransferCase(world: World, { program, element }: TransferCase): Promise<string | undefined> {
  const problems = await world.run(async (comm) => rankPrograms[program](comm, element));
  const rank = problems.findIndex((problem) => problem !== undefined);
  return rank < 0 ? undefined : `rank ${rank}: ${problems[rank]}`;
}
