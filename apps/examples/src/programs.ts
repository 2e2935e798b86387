export { allReduceKernel } from './01-allreduce-lsa/all-reduce-kernel.ts';
export { sumGradients } from './02-digits/sum-gradients-kernel.ts';
export { runAllToAllGin } from './03-alltoall-gin/run.ts';
export { runAllToAllHybrid } from './04-alltoall-hybrid/run.ts';
export { runRmsNorm, type RmsNormForm } from './05-rmsnorm/run.ts';
export { runAllReduceMulticast, type MulticastAlgorithm } from './06-allreduce-multicast/run.ts';
export { runAllToAllLsa } from './07-alltoall-lsa/run.ts';
export { runMoe } from './08-moe/run.ts';
export type { ExampleOptions } from './example.ts';
