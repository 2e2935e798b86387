import { allReduceTest } from './nccl-tests-params.ts';

/** Launches allReduceMultimemKernel<float> of NCCL's tests. */
export default allReduceTest('allReduceMultimemKernel', { lsaBarrierCount: 2, lsaMultimem: true });
