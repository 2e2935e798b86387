import type { Dim3 } from '../backend.ts';

/** Which CTA of which grid it is. */
export interface CtaIdentity {
  readonly rank: number;
  readonly blockIdx: Dim3;
  readonly gridDim: Dim3;
  readonly blockDim: Dim3;
}
