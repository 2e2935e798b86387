import { leftOut, mapped, of, planned, type Entry } from '../entry.ts';

/** nccl_device/cft.h, cft_barrier.h and core.h: logical endpoints of the compute fabric. */
export const cft: readonly Entry[] = [
  ...planned(
    'cft',
    'fabric',
    `ncclCft ${of(
      'ncclCft',
      `ncclCft ~ncclCft put putCpMask putCounted putMultimem putMultimemCpMask putMultimemCounted get red redCounted
       redMultimem redMultimemCounted pullRed submit flush flushSmem waitCounted`,
    )}
     ncclCftSmem ncclCftOpSum ncclCftOpMin ncclCftOpMax ncclCftOpAnd ncclCftOpOr ncclCftOpXor
     ncclCftLeId ncclCftLeId_t ncclCftTeamMode_t NCCL_CFT_TEAM_FLAT NCCL_CFT_TEAM_HIER_MULTIMEM NCCL_CFT_TEAM_HIER_LSA
     ncclTeamCft ncclTeamCftMultimem
     ncclGetCftLeInfo ncclGetPeerLeInfo ncclGetMultimemLeInfo
     ncclGetCftDeviceLeInfo ncclGetPeerDeviceLeInfo ncclGetMultimemDeviceLeInfo
     ncclGetResourceBufferCftLeInfo ncclGetResourceBufferPeerLeInfo ncclGetResourceBufferMultimemLeInfo
     ncclCftBarrierSession
     ${of('ncclCftBarrierSession', 'ncclCftBarrierSession ~ncclCftBarrierSession arrive wait sync')}
     ncclCftBarrierHandle ncclCftBarrierHandle_t ${of('ncclCftBarrierHandle', 'bufHandle nBarriers')}
     ncclCftBarrierCreateRequirement`,
  ),
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
