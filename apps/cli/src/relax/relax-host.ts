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
  const program = {
    ...(ranks === undefined ? {} : { ranks }),
    ...(lsaSize === undefined ? {} : { lsaSize }),
    launch: { grid, block },
  };
  const report = await relaxProgram(host, {
    ...program,
    ...(local === undefined ? {} : { local }),
    ...(kernel === undefined ? {} : { kernel }),
    seconds,
    textOf: authorText,
    onProgress,
  });
  const times = await predictedTimes(offeredProgram(host, report, program), machine, onProgress);
  progress.done();
  printOut(json === true ? programJson(report, times) : relativePaths(programText(report, times)));
}
