import { alltoallTest } from './nccl-tests-params.ts';

/** Launches GinAlltoAllKernel<float> of NCCL's tests. */
export default alltoallTest('GinAlltoAllKernel', {
  ginConnectionType: 'full',
  ginSignalCount: 2,
  barrierCount: 2,
  lsaBarrierCount: 2,
});
