import { flashinfer } from './cases/flashinfer.ts';
import { further } from './cases/further.ts';
import { mscclpp } from './cases/mscclpp.ts';
import { sglang } from './cases/sglang.ts';
import { triton } from './cases/triton.ts';
import { transformerEngine } from './cases/userbuffers.ts';
import { vllm } from './cases/vllm.ts';
import type { PublicKernel } from './public-kernel.ts';

/** All published kernels whose times are predicted and measured. */
export const publicKernels: readonly PublicKernel[] = [
  ...flashinfer,
  ...vllm,
  ...sglang,
  ...mscclpp,
  ...transformerEngine,
  ...triton,
  ...further,
];

/**
 * Those that a list of names separated by commas chooses; all without a list.
 *
 * @throws RangeError if there is no kernel of a name.
 */
export function kernelsNamed(list: string | undefined): readonly PublicKernel[] {
  if (list === undefined) return publicKernels;
  return list.split(',').map((name) => {
    const found = publicKernels.find((kernel) => kernel.name === name);
    if (found !== undefined) return found;
    throw new RangeError(`There is no kernel ${name}; there are ${publicKernels.map((one) => one.name).join(', ')}.`);
  });
}
