import { alltoallTest } from './nccl-tests-params.ts';

/** Launches HybridAlltoAllKernel<float> of NCCL's tests. */
export default alltoallTest('HybridAlltoAllKernel', {
  ginConnectionType: 'full',
  ginSignalCount: 2,
  barrierCount: 2,
  lsaBarrierCount: 2,
});
