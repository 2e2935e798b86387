export { gpuAmounts } from './gpu-amounts.ts';
export { microBenchmarks } from './micro-benchmarks.ts';
export type { MicroAmounts, MicroOptions, MicroResult } from './micro-options.ts';
export { profileParameters, type ProfileParameter } from './profile-parameters.ts';
