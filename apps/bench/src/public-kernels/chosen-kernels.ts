import type { Harness } from '@nccl-ts/harness';
import { option } from '../option.ts';
import { microKernels } from './cases/micro.ts';
import type { PublicKernel } from './public-kernel.ts';
import { kernelsNamed } from './public-kernels.ts';
import { relaxedKernels } from './relaxed-kernels.ts';
import { whatIfs } from './what-if-kernels.ts';

interface ChosenKernel {
  readonly name: string;
  readonly bytes: number;
  readonly harness: Harness;
}

/**
 * The kernels and sizes of the command line: `--kernels NAME,...`, `--what-ifs all`, `--micro all`
 * or `--relaxed FOLDER`, and -b 1024 -e 16777216. Micro-kernels have all of their rounds.
 */
export function* chosenKernels(): Generator<ChosenKernel> {
  const isMicro = option('--micro') !== undefined;
  const [least, most] = isMicro ? [0, Infinity] : [Number(option('-b', '1024')), Number(option('-e', '16777216'))];
  for (const { name, sizes, harness } of kernelsOfOptions(isMicro)) {
    for (const bytes of sizes.filter((size) => size >= least && size <= most))
      yield { name, bytes, harness: harness(bytes) };
  }
}

function kernelsOfOptions(isMicro: boolean): readonly PublicKernel[] {
  const relaxed = option('--relaxed');
  if (relaxed !== undefined) return relaxedKernels(relaxed);
  if (isMicro) return microKernels;
  return option('--what-ifs') === undefined ? kernelsNamed(option('--kernels')) : whatIfs();
}
