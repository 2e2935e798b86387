import { cuda, emitCuda } from '@nccl-ts/backend-cuda';
import { validate } from '@nccl-ts/ir';
import type { Kernel } from '@nccl-ts/kernel';
import { allReduceKernel } from '../../src/01-allreduce-lsa/all-reduce-kernel.ts';
import { sumGradients } from '../../src/02-digits/sum-gradients-kernel.ts';
import { allToAllGin } from '../../src/03-alltoall-gin/all-to-all-kernel.ts';
import { allToAllHybrid } from '../../src/04-alltoall-hybrid/all-to-all-kernel.ts';
import { rmsNormGin } from '../../src/05-rmsnorm/gin-kernel.ts';
import { rmsNormHybrid } from '../../src/05-rmsnorm/hybrid-kernel.ts';
import { rmsNormLsa } from '../../src/05-rmsnorm/lsa-kernel.ts';
import { rmsNormMultimem } from '../../src/05-rmsnorm/multimem-kernel.ts';
import { rmsNormPush } from '../../src/05-rmsnorm/push-kernel.ts';
import { allReduceOneShot } from '../../src/06-allreduce-multicast/one-shot-kernel.ts';
import { allReduceTwoShot } from '../../src/06-allreduce-multicast/two-shot-kernel.ts';
import { allReduceTwoShotSentinel } from '../../src/06-allreduce-multicast/two-shot-sentinel-kernel.ts';
import { allToAllSentinel } from '../../src/07-alltoall-lsa/sentinel-kernel.ts';
import { allToAllSimple } from '../../src/07-alltoall-lsa/simple-kernel.ts';
import { combineTokens } from '../../src/08-moe/combine-kernel.ts';
import { dispatchTokens } from '../../src/08-moe/dispatch-kernel.ts';
import { weighTokens } from '../../src/08-moe/weigh-kernel.ts';

export const kernels: readonly Kernel[] = [
  allReduceKernel,
  sumGradients,
  allToAllGin,
  allToAllHybrid,
  rmsNormLsa,
  rmsNormMultimem,
  rmsNormPush,
  rmsNormGin,
  rmsNormHybrid,
  allReduceOneShot,
  allReduceTwoShot,
  allReduceTwoShotSentinel,
  allToAllSimple,
  allToAllSentinel,
  dispatchTokens,
  weighTokens,
  combineTokens,
];

/** NCCL 2.30.7, the version whose API the examples use. */
const ncclVersion = 23007;

export function cudaText(kernel: Kernel): string {
  // Multicast is only tested as text, because no world of GPUs has it.
  const result = validate(kernel.compile(), { ...cuda().capabilities, multimem: true });
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return emitCuda(result.module, { ncclVersion }).text;
}
