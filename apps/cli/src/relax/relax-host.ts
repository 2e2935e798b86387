import { relaxProgram } from '@nccl-ts/relax';
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
export async function relaxHost(host: HostProgram, options: RelaxHostOptions): Promise<void> {
  const { ranks, lsaSize, local, kernel, grid = 2, block = 32, seconds, json } = options;
  let doing = '';
  using progress = showProgress(() => doing, process.stderr);
  const report = await relaxProgram(host, {
    ...(ranks === undefined ? {} : { ranks }),
    ...(lsaSize === undefined ? {} : { lsaSize }),
    ...(local === undefined ? {} : { local }),
    ...(kernel === undefined ? {} : { kernel }),
    launch: { grid, block },
    seconds,
    textOf: authorText,
    onProgress: (what) => {
      doing = what;
    },
  });
  progress.done();
  printOut(json === true ? programJson(report) : relativePaths(programText(report)));
}
