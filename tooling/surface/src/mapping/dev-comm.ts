import { requirementFields } from '@nccl-ts/devcomm';

import { lacking, leftOut, mapped, membersMapped, of, planned, type SurfaceEntry } from '../entry.ts';

/**
 * nccl_device/core.h: device communicators and their requirements. The members are in
 * impl/comm__types.h.
 */
export const devComm: readonly SurfaceEntry[] = [
  ...mapped({
    ncclDevComm: 'devcomm:KernelDevComm communicator:HostDevComm',
    ncclDevComm_t: 'devcomm:KernelDevComm communicator:HostDevComm',
    ncclDevCommCreate: 'communicator:Communicator.createDevComm',
    ncclDevCommDestroy: 'communicator:HostDevComm.destroy',
  }),
  ...membersMapped(
    'ncclDevComm',
    'devcomm:KernelDevComm',
    `rank nRanks lsaRank lsaSize resourceWindow lsaBarrier hybridLsaBarrier
     ginContextCount ginSignalCount ginCounterCount`,
  ),
  ...membersMapped('ncclDevComm', 'devcomm:devCommFields', 'ginStrongLegacySignals'),
  ...membersMapped('ncclDevComm', 'devcomm:KernelDevComm', 'worldGinBarrier railGinBarrier hybridRailGinBarrier'),
  ...mapped({ 'ncclDevComm::ginContextStride': 'devcomm:KernelDevComm.ginContextStride' }),
  ...lacking('strides between 1 and that of the rail', {
    'ncclDevComm::hybridDenseGinBarrier': 'devcomm:KernelDevComm.hybridWorldGinBarrier',
  }),
  ...membersMapped(
    'ncclDevComm',
    'devcomm:KernelDevComm',
    'cftRank cftSize cftMultimemRank cftMultimemSize cftBarrier cftMultimemBarrier',
  ),
  ...mapped({
    ncclCftCap_t: 'devcomm:CftCaps',
    NCCL_CFT_NONE: "devcomm:CftCaps='none'",
    NCCL_CFT: "devcomm:CftCaps='cft'",
    NCCL_CFT_MULTIMEM: "devcomm:CftCaps='cftMultimem'",
  }),
  ...planned('devcomm', 'properties', 'ncclCommProperties::commHash'),
  ...mapped({
    'ncclDevComm::version': 'devcomm:DevCommPlan.apiVersion',
    'ncclDevCommRequirements::version': 'devcomm:DevCommRequirements.apiVersion',
  }),
  ...mapped({
    'ncclDevComm::ginSignalShadows': 'devcomm:KernelDevComm.ginSignalShadowsOffset',
    'ncclDevComm::lsaMultimem': 'devcomm:KernelDevComm.lsaMultimem',
  }),
  ...leftOut(
    'inside',
    `${of(
      'ncclDevComm',
      `nRanks_rcp32 lsaSize_rcp32 windowTable resourceWindow_inlined ginConnectionCount ginNetDeviceTypes ginHandles
       ginConnectionStride ginConnectionStride_rcp32 backendIndex cftMultimemSize_rcp32 ucLeId mcLeId abortFlag`,
    )}
     ncclDevCommWindowTable_t ncclDevCommWindowTable NCCL_LE_ID_INVALID
     ${of('ncclDevCommWindowTable', 'entries next Entry Entry::base Entry::size Entry::window')}`,
  ),

  ...mapped({
    ncclDevCommRequirements: 'devcomm:DevCommRequirements',
    ncclDevCommRequirements_t: 'devcomm:DevCommRequirements',
    NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER: 'devcomm:devCommRequirementDefaults',
  }),
  ...membersMapped(
    'ncclDevCommRequirements',
    'devcomm:DevCommRequirements',
    // No published header has the array.
    [
      'resourceRequirementsList teamRequirementsList',
      ...requirementFields.filter((field) => field !== 'ginCustomArray'),
    ].join(' '),
  ),
  ...mapped({
    ncclGinConnectionType_t: 'devcomm:GinConnectionType',
    NCCL_GIN_CONNECTION_NONE: "devcomm:GinConnectionType='none'",
    NCCL_GIN_CONNECTION_FULL: "devcomm:GinConnectionType='full'",
    NCCL_GIN_CONNECTION_RAIL: "devcomm:GinConnectionType='rail'",
    NCCL_GIN_CONNECTION_CUSTOM_STRIDE: "devcomm:GinConnectionType='customStride'",
    NCCL_GIN_CONNECTION_CUSTOM_ARRAY: "devcomm:GinConnectionType='customArray'",
  }),

  ...mapped({
    ncclDevResourceRequirements: 'devcomm:DevResourceRequirements',
    ncclDevResourceRequirements_t: 'devcomm:DevResourceRequirements',
    'ncclDevResourceRequirements::next': 'devcomm:DevCommRequirements.resourceRequirementsList',
    'ncclDevResourceRequirements::outBufferHandle': 'devcomm:DevResourceHandles.bufHandle',
    'ncclDevResourceRequirements::outGinSignalStart': 'devcomm:DevResourceHandles.ginSignalStart',
    'ncclDevResourceRequirements::outGinCounterStart': 'devcomm:DevResourceHandles.ginCounterStart',
    ncclDevResourceHandle: 'devcomm:DevResourceHandles.bufHandle',
    ncclDevResourceHandle_t: 'devcomm:DevResourceHandles.bufHandle',
    ncclGinSignal_t: 'devcomm:DevResourceHandles.ginSignalStart',
    ncclGinCounter_t: 'devcomm:DevResourceHandles.ginCounterStart',
  }),
  ...membersMapped(
    'ncclDevResourceRequirements',
    'devcomm:DevResourceRequirements',
    'bufferSize bufferAlign ginSignalCount ginCounterCount',
  ),
  ...mapped({
    ncclTeamRequirements: 'devcomm:TeamRequirements',
    ncclTeamRequirements_t: 'devcomm:TeamRequirements',
    'ncclTeamRequirements::next': 'devcomm:DevCommRequirements.teamRequirementsList',
  }),
  ...membersMapped('ncclTeamRequirements', 'devcomm:TeamRequirements', 'team multimem'),
  ...mapped({ 'ncclTeamRequirements::outMultimemHandle': 'communicator:HostDevComm.multimemHandles' }),

  ...mapped({
    ncclCommQueryProperties: 'communicator:Communicator.properties',
    ncclCommProperties: 'devcomm:CommProperties',
    ncclCommProperties_t: 'devcomm:CommProperties',
  }),
  ...membersMapped(
    'ncclCommProperties',
    'devcomm:CommProperties',
    `rank nRanks cudaDev nvmlDev deviceApiSupport multimemSupport ginType nLsaTeams hostRmaSupport railedGinType
     ginSupport ginConnectionType ginMinStride cftSupport cftMulticastSupport cftCountedSupport`,
  ),
  ...mapped({
    ncclGinType_t: 'devcomm:GinType',
    NCCL_GIN_TYPE_NONE: "devcomm:GinType='none'",
    NCCL_GIN_TYPE_PROXY: "devcomm:GinType='proxy'",
    NCCL_GIN_TYPE_GDAKI: "devcomm:GinType='gdaki'",
    NCCL_GIN_TYPE_GPI: "devcomm:GinType='gpi'",
    NCCL_GIN_TYPE_EFA_GDA: "devcomm:GinType='efaGda'",
  }),

  ...leftOut(
    'cLanguage',
    `NCCL_COMM_PROPERTIES_INITIALIZER ${of('ncclCommProperties', 'size magic version')}
     ${of('ncclDevCommRequirements', 'size magic useRuntimeVersion')} ncclDevComm::magic
     ncclCommProperties::devCommRuntimeVersionSize`,
  ),
];
