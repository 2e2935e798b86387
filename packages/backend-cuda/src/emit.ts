/** The CUDA text alone, without what needs Node: pages show it. */
export { emitCuda } from './emit-cuda/emit-cuda.ts';
export type { CudaParam, CudaSource, EmitCudaOptions, NcclVersionCode, PrintPart, PrintSite } from './cuda-source.ts';
