import { World } from '@nccl-ts/communicator';
import type { CheckOptions } from '@nccl-ts/backend-sim';
import type { CheckReport } from '@nccl-ts/findings';
import type { CheckEngine } from './check-engine.ts';
import type { Run } from './plan-run.ts';
import { showProgress } from './progress.ts';

/** Checks what every rank is to do, and says meanwhile how far it is, where somebody looks. */
export async function runCheck(
  engine: CheckEngine,
  options: CheckOptions,
  run: Run,
  what?: string,
): Promise<CheckReport> {
  const { ranks, schedules } = options;
  let runs = 0;
  const doing = what ?? `checking ${run.name} on ${ranks} ranks`;
  // The engine may run one of them twice.
  const schedule = (): string => (schedules === undefined ? `${runs}` : `${Math.min(runs, schedules)} of ${schedules}`);
  using progress = showProgress(() => `${doing}, schedule ${schedule()}`, process.stderr);
  const report = await engine(options, async (backend) => {
    runs++;
    await using world = await World.open({ backend });
    await world.run(run.onRank);
  }).catch((error: unknown) => {
    throw run.failure(error);
  });
  progress.done();
  return report;
}
