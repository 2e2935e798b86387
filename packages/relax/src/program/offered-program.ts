import type { HostProgram } from '@nccl-ts/checker';
import { World } from '@nccl-ts/communicator';
import type { Backend } from '@nccl-ts/transport';
import { ChangedKernels } from './changed-kernels.ts';
import { hostLaunch, type ProgramLaunch } from './check-program.ts';
import type { JudgedProgramPlace } from './program-report.ts';

/**
 * Returns a program of one world that runs `host` with the kernels that these offers make: places
 * of a report that say what is enough (`to`).
 *
 * @throws NcclError for kernels that are not valid with the changes, and the errors of `host`.
 */
export function offeredProgram(
  host: HostProgram,
  offers: readonly JudgedProgramPlace[],
  { launch }: Pick<ProgramLaunch, 'launch'> = {},
): (backend: Backend) => Promise<void> {
  const changes = offers.flatMap(({ place, to }) => (to === undefined ? [] : [{ place, to }]));
  return async (backend) => {
    const kernels = new ChangedKernels(changes, { rewritten: 'none' });
    await using world = await World.open({ backend: kernels.backend(backend) });
    await world.run(async (comm) => {
      await host(comm, hostLaunch(launch));
    });
  };
}
