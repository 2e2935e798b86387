import { check, explore } from '@nccl-ts/checker';
import type { SimBackend, SimOptions } from '@nccl-ts/backend-sim';
import { World, type Communicator } from '@nccl-ts/communicator';
import type { CheckReport, Verdict } from '@nccl-ts/findings';

/** Returns the operations of each rank's host as a program for one world. */
export function hosts(run: (comm: Communicator) => Promise<void>): (backend: SimBackend) => Promise<void> {
  return async (backend) => {
    const world = await World.open({ backend });
    await world.run(run);
    await world.close();
  };
}

/**
 * Returns the reports of every strategy for some seeds, of the exhaustive check, and of the graph
 * engine alone, by name.
 */
export async function reportsOf(
  options: SimOptions,
  program: (backend: SimBackend) => Promise<void>,
): Promise<ReadonlyMap<string, CheckReport>> {
  const reports = new Map<string, CheckReport>();
  for (const strategy of ['random', 'pct', 'late'] as const) {
    for (const seed of [1, 2, 3, 4])
      reports.set(`${strategy} ${seed}`, await check({ ...options, strategy, seed }, program));
  }
  reports.set('exhaustive', await check({ ...options, strategy: 'exhaustive' }, program));
  const { report } = await explore({ ...options, mode: 'check' }, program, { runs: 10_000 });
  if (report !== undefined) reports.set('graph', report);
  return reports;
}

/** Returns the verdicts of all of them, each once. */
export async function verdictsOf(
  options: SimOptions,
  program: (backend: SimBackend) => Promise<void>,
): Promise<readonly Verdict[]> {
  const reports = await reportsOf(options, program);
  return [...new Set([...reports.values()].map(({ verdict }) => verdict))];
}
