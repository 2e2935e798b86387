import { allReduceTest } from './nccl-tests-params.ts';

/** Launches allReduceLsaKernel<float> of NCCL's tests. */
export default allReduceTest('allReduceLsaKernel', { lsaBarrierCount: 2 });
