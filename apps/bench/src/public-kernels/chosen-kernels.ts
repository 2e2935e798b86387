import type { Harness } from '@nccl-ts/harness';
import { option } from '../option.ts';
import { kernelsNamed } from './public-kernels.ts';
import { whatIfs } from './what-if-kernels.ts';

interface ChosenKernel {
  readonly name: string;
  readonly bytes: number;
  readonly harness: Harness;
}

/**
 * The kernels and sizes of the command line: `--kernels NAME,...` or `--what-ifs all`, and -b 1024
 * -e 16777216.
 */
export function* chosenKernels(): Generator<ChosenKernel> {
  const [least, most] = [Number(option('-b', '1024')), Number(option('-e', '16777216'))];
  const kernels = option('--what-ifs') === undefined ? kernelsNamed(option('--kernels')) : whatIfs();
  for (const { name, sizes, harness } of kernels) {
    for (const bytes of sizes.filter((size) => size >= least && size <= most))
      yield { name, bytes, harness: harness(bytes) };
  }
}
