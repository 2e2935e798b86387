/** Exports only the CUDA text, without the parts that need Node, for pages that show it. */
export { emitCuda } from './emit-cuda/emit-cuda.ts';
export type { CudaParam, CudaSource, EmitCudaOptions, NcclVersionCode, PrintPart, PrintSite } from './cuda-source.ts';
