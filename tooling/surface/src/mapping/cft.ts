import { lacking, leftOut, mapped, membersMapped, planned, type SurfaceEntry } from '../entry.ts';

/** nccl_device/cft.h, cft_barrier.h and core.h: logical endpoints of the compute fabric. */
export const cft: readonly SurfaceEntry[] = [
  ...lacking('elements of floating point', {
    'ncclCft::red': 'cft:CftSession.red',
    'ncclCft::redCounted': 'cft:CftSession.redCounted',
    'ncclCft::redMultimem': 'cft:CftSession.redMultimem',
    'ncclCft::redMultimemCounted': 'cft:CftSession.redMultimemCounted',
    'ncclCft::pullRed': 'cft:CftSession.pullRed',
    ncclCftOpSum: "cft:CftOp='sum'",
    ncclCftOpMin: "cft:CftOp='min'",
    ncclCftOpMax: "cft:CftOp='max'",
  }),
  ...mapped({
    ncclCftOpAnd: "cft:CftOp='and'",
    ncclCftOpOr: "cft:CftOp='or'",
    ncclCftOpXor: "cft:CftOp='xor'",
  }),
  ...planned('cft', 'fabricBarriers', 'ncclCftBarrierCreateRequirement'),
  ...mapped({
    ncclCftBarrierSession: 'cft:CftBarrierSession',
    'ncclCftBarrierSession::ncclCftBarrierSession': 'cft:Cft.barrierSession',
    'ncclCftBarrierSession::~ncclCftBarrierSession': 'cft:Cft.barrierSession',
    ncclCftBarrierHandle: 'devcomm:CftBarrierHandle',
    ncclCftBarrierHandle_t: 'devcomm:CftBarrierHandle',
  }),
  ...membersMapped('ncclCftBarrierSession', 'cft:CftBarrierSession', 'arrive wait sync'),
  ...membersMapped('ncclCftBarrierHandle', 'devcomm:CftBarrierHandle', 'bufHandle nBarriers'),
  ...mapped({
    ncclGetCftDeviceLeInfo: 'communicator:getCftDeviceLeInfo',
    ncclGetPeerDeviceLeInfo: 'communicator:getPeerDeviceLeInfo',
    ncclGetMultimemDeviceLeInfo: 'communicator:getMultimemDeviceLeInfo',
    'ncclConfig_v23100::hostCftMode': 'communicator:HostCftOptions.hostCftMode',
    ncclHostCftMode_t: 'communicator:HostCftMode',
    ncclHostCftDefault: 'communicator:HostCftOptions.hostCftMode',
    ncclHostCftEnable: "communicator:HostCftMode='enable'",
    ncclHostCftDisable: "communicator:HostCftMode='disable'",
    ncclHostCftFallback: "communicator:HostCftMode='fallback'",
  }),
  ...mapped({
    ncclCft: 'cft:CftSession',
    'ncclCft::ncclCft': 'cft:Cft.session',
    'ncclCft::~ncclCft': 'cft:Cft.session',
    ncclCftSmem: 'cft:Cft.session',
    ncclCftLeId: 'cft:LogicalEndpoint.leId',
    ncclCftLeId_t: 'cft:LogicalEndpoint.leId',
    ncclCftTeamMode_t: 'cft:CftTeamMode',
    NCCL_CFT_TEAM_FLAT: "cft:CftTeamMode='flat'",
    NCCL_CFT_TEAM_HIER_MULTIMEM: "cft:CftTeamMode='hierMultimem'",
    NCCL_CFT_TEAM_HIER_LSA: "cft:CftTeamMode='hierLsa'",
    ncclGetCftLeInfo: 'cft:Cft.leInfo',
    ncclGetPeerLeInfo: 'cft:Cft.peerLeInfo',
    ncclGetMultimemLeInfo: 'cft:Cft.multimemLeInfo',
    ncclGetResourceBufferCftLeInfo: 'cft:Cft.resourceLeInfo',
    ncclGetResourceBufferPeerLeInfo: 'cft:Cft.resourcePeerLeInfo',
    ncclGetResourceBufferMultimemLeInfo: 'cft:Cft.resourceMultimemLeInfo',
  }),
  ...lacking('the team of a host program', {
    ncclTeamCft: 'cft:Cft.team',
    ncclTeamCftMultimem: 'cft:Cft.teamMultimem',
  }),
  ...membersMapped(
    'ncclCft',
    'cft:CftSession',
    `put putCpMask putCounted putMultimem putMultimemCpMask putMultimemCounted get submit flushSmem waitCounted`,
  ),
  ...lacking('the report of an operation that has failed', { 'ncclCft::flush': 'cft:CftSession.flush' }),
  ...mapped({
    ncclMemFence: 'cft:Cft.memFence',
    ncclMemProxyType: 'core:MemoryProxy',
    'ncclMemProxyType::Generic': "core:MemoryProxy='generic'",
    'ncclMemProxyType::Fabric': "core:MemoryProxy='fabric'",
    ncclMemFenceScope: 'core:MemoryScope',
    'ncclMemFenceScope::Cta': "core:MemoryScope='block'",
    'ncclMemFenceScope::Sys': "core:MemoryScope='system'",
  }),
  ...leftOut(
    'inside',
    `NCCL_CFT_ENABLE NCCL_CFT_BARRIER_ALIGN NCCL_CFT_BARRIER_GRAN ncclCftOpByteGran ncclCftOpElemGran
     NCCL_CFT_DEFINE_ALL_FAMILY NCCL_CFT_DEFINE_PULLRED NCCL_CFT_DEFINE_RED NCCL_CFT_DEFINE_RED_COUNTED
     NCCL_CFT_DEFINE_RED_FAMILY NCCL_CFT_LOGICAL_TRAITS NCCL_CFT_MINMAX_TRAITS NCCL_CFT_RED_TRAIT
     NCCL_CFT_RED_TRAIT_NO_PULL`,
  ),
];
