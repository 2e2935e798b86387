import { allReduceTest } from './nccl-tests-params.ts';

/** Launches allReduceMultimemVectorizedKernel<float> of NCCL's tests. */
export default allReduceTest('allReduceMultimemVectorizedKernel', { lsaBarrierCount: 2, lsaMultimem: true });
