import { sim } from '@nccl-ts/backend-sim';
import { World, type Communicator } from '@nccl-ts/communicator';

/** The number of ranks, and how many of them are in a load-store domain. */
export interface Shape {
  readonly ranks: number;
  readonly lsaSize: number;
}

/** Runs a program in check mode. @returns the results of every rank, and the findings. */
export async function checked<T>(
  { ranks, lsaSize }: Shape,
  program: (comm: Communicator) => Promise<T>,
  seed = 1,
): Promise<{ readonly results: readonly T[]; readonly findings: readonly string[] }> {
  const backend = sim({ ranks, lsaSize, mode: 'check', seed });
  let results: readonly T[];
  {
    await using world = await World.open({ backend });
    results = await world.run(program);
  }
  return { results, findings: backend.report().findings.map(({ message }) => message) };
}
