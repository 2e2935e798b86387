import type { Dim3 } from '../backend.ts';

/** The indices of a CTA and its grid. */
export interface CtaIdentity {
  readonly rank: number;
  readonly blockIdx: Dim3;
  readonly gridDim: Dim3;
  readonly blockDim: Dim3;
}
