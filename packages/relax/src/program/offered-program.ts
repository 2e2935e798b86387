import type { HostProgram } from '@nccl-ts/checker';
import { World } from '@nccl-ts/communicator';
import type { Backend } from '@nccl-ts/transport';
import type { OfferedProgram } from '../predicted-times.ts';
import { ChangedKernels } from './changed-kernels.ts';
import { dividedBy, hostLaunch, RANKS } from './check-program.ts';
import type { JudgedProgramPlace, ProgramRelaxReport } from './program-report.ts';
import type { RelaxProgramOptions } from './relax-program.ts';

/** The program of a host, with the offers of its report, on the most ranks that were checked. */
export function offeredProgram(
  host: HostProgram,
  { places, joint }: ProgramRelaxReport,
  { ranks = RANKS, lsaSize, launch }: Pick<RelaxProgramOptions, 'ranks' | 'lsaSize' | 'launch'> = {},
): OfferedProgram {
  const named = places.flatMap(({ place, to }, i): readonly (readonly [number, string])[] =>
    to === undefined ? [] : [[i, `${place.at} ${place.name}`]],
  );
  return {
    ranks: Math.max(...dividedBy(lsaSize, ranks)),
    ...(lsaSize === undefined ? {} : { lsaSize }),
    offers: new Map(named),
    joint,
    withOffers: (chosen) =>
      changedProgram(
        host,
        places.filter((_, i) => chosen.includes(i)),
        launch,
      ),
  };
}

function changedProgram(
  host: HostProgram,
  offers: readonly JudgedProgramPlace[],
  launch: RelaxProgramOptions['launch'],
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
