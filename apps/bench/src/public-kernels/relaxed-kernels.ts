import { readdirSync } from 'node:fs';
import { harness } from '@nccl-ts/harness';
import { turbomindGather } from './cases/further.ts';
import { pcieCollectives } from './cases/pcie.ts';
import type { PublicKernel } from './public-kernel.ts';
import { publicKernels } from './public-kernels.ts';

/** The mark of a kernel's text without what can go, as `nccl-ts relax --write` wrote it. */
export const RELAXED = 'joint';

/**
 * Kernels that are relaxed, beside those whose times are compared. No rule of the model comes from
 * them, and no prediction of them counts in the tables of published kernels.
 */
const relaxable: readonly PublicKernel[] = [...publicKernels, turbomindGather, ...pcieCollectives];

/**
 * The kernels of a folder of relaxed texts, where `KERNEL.ptx` is that of KERNEL: each as it is,
 * and with that text.
 *
 * @throws RangeError if a file is of no kernel, or of one with several texts.
 */
export function relaxedKernels(folder: string): readonly PublicKernel[] {
  const names = readdirSync(folder).flatMap((file) => /^(.+)\.ptx$/.exec(file)?.[1] ?? []);
  return names.toSorted().flatMap((name) => {
    const kernel = relaxable.find((one) => one.name === name);
    if (kernel === undefined) throw new RangeError(`There is no kernel ${name} to relax.`);
    return [kernel, withText(kernel)];
  });
}

function withText(kernel: PublicKernel): PublicKernel {
  return {
    ...kernel,
    name: `${kernel.name}~${RELAXED}`,
    source: `${kernel.source}, relaxed`,
    harness: (bytes) => {
      const given = kernel.harness(bytes);
      if (given.kernels !== undefined || typeof given.kernel !== 'string')
        throw new RangeError(`${kernel.name} has several texts.`);
      return harness({ ...given, kernel: `${kernel.name}~${RELAXED}.ptx` });
    },
  };
}
