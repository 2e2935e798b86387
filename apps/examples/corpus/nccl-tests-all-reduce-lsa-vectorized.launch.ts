import { allReduceTest } from './nccl-tests-params.ts';

/** Launches allReduceLsaVectorizedKernel<float> of NCCL's tests. */
export default allReduceTest('allReduceLsaVectorizedKernel', { lsaBarrierCount: 2 });
