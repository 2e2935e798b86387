import { offeredProgram, predictedTimes, relaxProgram, type NamedMachine } from '@nccl-ts/relax';
import { authorText } from '../module/author-text.ts';
import type { HostProgram } from '@nccl-ts/checker';
import { printOut } from '../output/print.ts';
import { relativePaths } from '../output/relative-paths.ts';
import { showProgress } from '../output/progress.ts';
import { programJson, programText } from './program-text.ts';

export interface RelaxHostOptions {
  readonly ranks?: readonly number[];
  readonly lsaSize?: number;
  readonly local?: true;
  readonly kernel?: string;
  readonly grid?: number;
  readonly block?: number;
  readonly seconds: number;
  readonly json?: true;
}

/** Says which synchronizations of the kernels that a host program launches are needed. */
export async function relaxHost(host: HostProgram, machine: NamedMachine, options: RelaxHostOptions): Promise<void> {
  const { ranks, lsaSize, local, kernel, grid = 2, block = 32, seconds, json } = options;
  let doing = '';
  using progress = showProgress(() => doing, process.stderr);
  const onProgress = (what: string): void => {
    doing = what;
  };
  const launch = { grid, block };
  const report = await relaxProgram(host, {
    ...(ranks === undefined ? {} : { ranks }),
    ...(lsaSize === undefined ? {} : { lsaSize }),
    ...(local === undefined ? {} : { local }),
    ...(kernel === undefined ? {} : { kernel }),
    launch,
    seconds,
    textOf: authorText,
    onProgress,
  });
  const counts = (ranks ?? [2, 3, 4]).filter((count) => lsaSize === undefined || count % lsaSize === 0);
  const chosen = (indices: readonly number[]) => report.places.filter((_, i) => indices.includes(i));
  const times = await predictedTimes(
    {
      ranks: Math.max(...counts),
      ...(lsaSize === undefined ? {} : { lsaSize }),
      offers: new Map(
        report.places.flatMap(({ place, to }, i) => (to === undefined ? [] : [[i, `${place.at} ${place.name}`]])),
      ),
      joint: report.joint,
      withOffers: (indices) => offeredProgram(host, chosen(indices), { launch }),
    },
    machine,
    onProgress,
  );
  progress.done();
  printOut(json === true ? programJson(report, times) : relativePaths(programText(report, times)));
}
