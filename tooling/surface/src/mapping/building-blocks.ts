import { mapped, membersMapped, planned, type SurfaceEntry } from '../entry.ts';

/** nccl_device/ll_a2a.h and reduce_copy.h. */
export const buildingBlocks: readonly SurfaceEntry[] = [
  ...mapped({
    ncclLLA2AHandle: 'devcomm:LLA2AHandle',
    ncclLLA2AHandle_t: 'devcomm:LLA2AHandle',
    ncclLLA2ACalcSlots: 'devcomm:llA2ACalcSlots',
    ncclLLA2ACreateRequirement: 'devcomm:llA2ACreateRequirement',
    ncclLLA2ASession: 'll-a2a:LLA2ASession',
    'ncclLLA2ASession::ncclLLA2ASession': 'll-a2a:session ll-a2a:LLA2AOptions',
    // The end of the block that creates the session.
    'ncclLLA2ASession::~ncclLLA2ASession': 'll-a2a:session',
  }),
  ...membersMapped('ncclLLA2AHandle', 'devcomm:LLA2AHandle', 'bufHandle nSlots'),
  ...membersMapped('ncclLLA2ASession', 'll-a2a:LLA2ASession', 'send bcast recv recvUnrolled recvReduce endEpoch'),
  ...mapped({
    ncclLsaReduceSum: 'reduce-copy:lsaReduceSum',
    ncclLocalReduceSum: 'reduce-copy:localReduceSum',
    ncclLsaCopy: 'reduce-copy:lsaCopy',
    ncclLocalCopy: 'reduce-copy:localCopy',
    ncclLsaReduceSumCopy: 'reduce-copy:lsaReduceSumCopy',
    ncclLocalReduceSumCopy: 'reduce-copy:localReduceSumCopy',
    ncclLsaReduceSumLsaCopy: 'reduce-copy:lsaReduceSumLsaCopy',
    ncclLsaReduceLsaCopy: 'reduce-copy:lsaReduceLsaCopy',
    ncclMultimemReduceSum: 'reduce-copy:multimemReduceSum',
    ncclMultimemCopy: 'reduce-copy:multimemCopy',
    ncclMultimemReduceSumCopy: 'reduce-copy:multimemReduceSumCopy',
    ncclLsaReduceSumMultimemCopy: 'reduce-copy:lsaReduceSumMultimemCopy',
    ncclMultimemReduceSumLsaCopy: 'reduce-copy:multimemReduceSumLsaCopy',
    ncclMultimemReduceSumMultimemCopy: 'reduce-copy:multimemReduceSumMultimemCopy',
    ncclLsaReduceMultimemCopy: 'reduce-copy:lsaReduceMultimemCopy',
  }),
  ...planned('reduce-copy', 'tma', 'ncclLsaCopyTma'),
];
