import { alltoallTest } from './nccl-tests-params.ts';

/** Launches NvlAlltoAllKernel<float> of NCCL's tests. */
export default alltoallTest('NvlAlltoAllKernel', { lsaBarrierCount: 2 });
