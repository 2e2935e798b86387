import { alltoallTest } from './nccl-tests-params.ts';

/** Launches NvlAlltoAllKernelOptimized<float> of NCCL's tests. */
export default alltoallTest('NvlAlltoAllKernelOptimized', { lsaBarrierCount: 2 });
