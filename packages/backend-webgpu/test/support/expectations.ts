import type { Expectation } from '@nccl-ts/conformance';

const subnormals = {
  when: {},
  code: 'mismatch',
  reason: 'WGSL lets implementations flush subnormal numbers to zero, and the software driver does',
  link: 'https://www.w3.org/TR/WGSL/#floating-point-evaluation',
} as const;

/** The permitted differences of software adapters from the suite's expectations. */
export const expectations: readonly Expectation[] = [
  { case: 'scalars/f32/subnormals', ...subnormals },
  { case: 'scalars/bf16/subnormals', ...subnormals },
];
