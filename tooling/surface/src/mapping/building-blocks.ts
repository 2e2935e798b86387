import { of, planned, type Entry } from '../entry.ts';

/** nccl_device/ll_a2a.h and reduce_copy.h. */
export const buildingBlocks: readonly Entry[] = [
  ...planned(
    'll-a2a',
    `ncclLLA2AHandle ncclLLA2AHandle_t ${of('ncclLLA2AHandle', 'bufHandle nSlots')}
     ncclLLA2ACalcSlots ncclLLA2ACreateRequirement ncclLLA2ASession
     ${of('ncclLLA2ASession', 'ncclLLA2ASession ~ncclLLA2ASession send bcast recv recvUnrolled recvReduce endEpoch')}`,
  ),
  ...planned(
    'reduce-copy',
    `ncclLsaReduceSum ncclMultimemReduceSum ncclLocalReduceSum ncclLsaCopy ncclMultimemCopy ncclLocalCopy
     ncclLsaReduceSumCopy ncclMultimemReduceSumCopy ncclLocalReduceSumCopy ncclLsaReduceSumLsaCopy
     ncclLsaReduceSumMultimemCopy ncclMultimemReduceSumLsaCopy ncclMultimemReduceSumMultimemCopy
     ncclLsaReduceLsaCopy ncclLsaReduceMultimemCopy`,
  ),
];
