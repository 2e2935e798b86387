export { cuda } from './cuda-backend.ts';
export type { CudaBackend } from './cuda-backend.ts';
export type { CudaOptions } from './cuda-options.ts';
export type { CudaParam, CudaSource, EmitCudaOptions, NcclVersionCode, PrintPart, PrintSite } from './cuda-source.ts';
export { emitCuda } from './emit-cuda/emit-cuda.ts';
export { probe } from './probe.ts';
export type { CudaReport, ProbedGpu, ProbeItem, ProbeName } from './probe.ts';
export type { CudaWorld, EventHandle, OpenTimes } from './runtime/cuda-world.ts';
export type { GraphKernelAttributes } from './runtime/cuda-graph.ts';
