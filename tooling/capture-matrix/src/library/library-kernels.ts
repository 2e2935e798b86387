import { allCases } from '@nccl-ts/conformance';

import { collectiveKernels } from './collective-kernels.ts';
import type { NamedKernel } from './named-kernel.ts';
import { otherForms } from './other-forms.ts';

/**
 * The library's own kernels, and those of the conformance suite, which call every function of the
 * device API.
 */
export function libraryKernels(): readonly NamedKernel[] {
  const ofCases = allCases.flatMap(({ id, kernels }) =>
    kernels.map((kernel, nth): NamedKernel => ({
      id: `${id}#${nth}`,
      kernel,
      common: nth === 0,
    })),
  );
  return [...collectiveKernels(), ...ofCases, { id: otherForms.name, kernel: otherForms, common: true }];
}
