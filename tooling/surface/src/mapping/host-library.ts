import { lacking, leftOut, mapped, of, planned, type SurfaceEntry } from '../entry.ts';

/** nccl.h: its functions, and the types that only they use. */
export const hostLibrary: readonly SurfaceEntry[] = [
  ...mapped({
    ncclComm_t: 'communicator:Communicator',
    ncclUniqueId: 'communicator:UniqueId',
    ncclGetUniqueId: 'communicator:Communicator.getUniqueId',
    ncclCommInitRank: 'communicator:Communicator.init',
    ncclCommInitAll: 'communicator:World.open',
    ncclCommFinalize: 'communicator:Communicator.finalize',
    ncclCommDestroy: 'communicator:Communicator.close',
    ncclCommGetAsyncError: 'communicator:Communicator.getAsyncError',
    ncclCommCount: 'communicator:Communicator.nRanks',
    ncclCommCuDevice: 'devcomm:CommProperties.cudaDev',
    ncclCommUserRank: 'communicator:Communicator.rank',
    ncclMemAlloc: 'communicator:Communicator.memAlloc',
    ncclMemFree: 'communicator:Communicator.memFree',
    ncclWindow_t: 'communicator:HostWindow devcomm:KernelWindow',
    ncclCommWindowRegister: 'communicator:Communicator.registerWindow',
    ncclCommWindowDeregister: 'communicator:HostWindow.deregister',
    ncclWinGetUserPtr: 'communicator:winGetUserPtr',
    ncclGetErrorString: 'core:resultDescription',
    ncclGetLastError: 'core:NcclError',
  }),
  ...lacking('one length for all: it is the backend’s', { NCCL_UNIQUE_ID_BYTES: 'communicator:UniqueId' }),
  ...lacking('every member of ncclConfig_t', { ncclCommInitRankConfig: 'communicator:Communicator.init' }),
  ...lacking('the number of the installed version: `probe` tells it in words', {
    ncclGetVersion: 'core:NCCL_VERSION backend-cuda:probe',
  }),
  ...lacking(
    'one rank alone on CUDA, while something runs; there all ranks of a process, kernels launched `abortable`',
    {
      ncclCommAbort: 'communicator:Communicator.abort communicator:RunOptions.signal',
    },
  ),
  ...lacking('the backend webgpu; ranks that are processes of their own', {
    ncclCommSplit: 'communicator:Communicator.split',
    NCCL_SPLIT_NOCOLOR: 'communicator:Communicator.split',
    ncclCommShrink: 'communicator:Communicator.shrink',
    NCCL_SHRINK_DEFAULT: 'communicator:ShrinkOptions.mode',
    NCCL_SHRINK_ABORT: 'communicator:ShrinkOptions.mode',
  }),

  ...mapped({
    ncclGroupStart: 'collectives:group',
    ncclGroupEnd: 'collectives:group',
    ncclAllReduce: 'collectives:allReduce',
    ncclBroadcast: 'collectives:broadcast',
    ncclBcast: 'collectives:broadcast',
    ncclReduce: 'collectives:reduce',
    ncclAllGather: 'collectives:allGather',
    ncclReduceScatter: 'collectives:reduceScatter',
    ncclAlltoAll: 'collectives:allToAll',
    ncclGather: 'collectives:gather',
    ncclScatter: 'collectives:scatter',
    ncclSend: 'collectives:send',
    ncclRecv: 'collectives:recv',
    ncclRedOpDestroy: 'collectives:PreMulSum',
    ncclPutSignal: 'collectives:putSignal',
    ncclSignal: 'collectives:signal',
    ncclWaitSignal: 'collectives:waitSignal',
    ncclWaitSignalDesc_t: 'collectives:WaitSignalDesc',
    'ncclWaitSignalDesc_t::opCnt': 'collectives:WaitSignalDesc.opCount',
    'ncclWaitSignalDesc_t::peer': 'collectives:WaitSignalDesc.peer',
  }),
  ...lacking('a scalar in device memory, and one for each rank', {
    ncclRedOpCreatePreMulSum: 'collectives:redOpCreatePreMulSum',
  }),

  // Communicators that are made from others, and their memory.
  ...leftOut(
    'hostLibrary',
    `ncclCommInitRankScalable ncclCommGetUniqueId ncclCommGrow ncclCommRevoke NCCL_REVOKE_DEFAULT
     ncclCommRegister ncclCommDeregister ncclCommSuspend ncclCommResume NCCL_SUSPEND_MEM ncclCommMemStats ncclCommMemStat_t
     ncclStatGpuMemSuspend ncclStatGpuMemSuspended ncclStatGpuMemPersist ncclStatGpuMemTotal`,
  ),
  // The options of the host's collectives.
  ...leftOut(
    'hostLibrary',
    `ncclConfig_t ncclConfig_v23100
     ${of(
       'ncclConfig_v23100',
       `blocking cgaClusterSize minCTAs maxCTAs netName splitShare trafficClass commName collnetEnable CTAPolicy
        shrinkShare nvlsCTAs nChannelsPerNetPeer nvlinkCentricSched graphUsageMode numRmaCtx maxP2pPeers graphStreamOrdering
        launchOrderImplicit numRmaSig rmaEagerInit nvlsHostMode`,
     )}
     NCCL_CTA_POLICY_DEFAULT NCCL_CTA_POLICY_EFFICIENCY NCCL_CTA_POLICY_ZERO
     ncclGroupSimulateEnd ncclSimInfo_t ncclSimInfo_v22200 ncclSimInfo_v22200::estimatedTime`,
  ),
  // The options of one call.
  ...mapped({
    ncclAllReduceConfig: 'collectives:allReduce collectives:CollectiveOptions',
    ncclBroadcastConfig: 'collectives:broadcast collectives:CollectiveOptions',
    ncclReduceConfig: 'collectives:reduce collectives:CollectiveOptions',
    ncclAllGatherConfig: 'collectives:allGather collectives:CollectiveOptions',
    ncclReduceScatterConfig: 'collectives:reduceScatter collectives:CollectiveOptions',
    ncclAlltoAllConfig: 'collectives:allToAll collectives:CollectiveOptions',
    ncclGatherConfig: 'collectives:gather collectives:CollectiveOptions',
    ncclScatterConfig: 'collectives:scatter collectives:CollectiveOptions',
    ncclCollConfig_t: 'collectives:CollectiveOptions',
    ncclCollConfig_v23200: 'collectives:CollectiveOptions',
    'ncclCollConfig_v23200::minCTAs': 'collectives:CollectiveOptions.minCtas',
    'ncclCollConfig_v23200::maxCTAs': 'collectives:CollectiveOptions.maxCtas',
    'ncclCollConfig_v23200::forceAlgSelection': 'collectives:CollectiveOptions.forceAlgorithm',
  }),
  ...lacking('lists and exclusions of algorithms', {
    'ncclCollConfig_v23200::algSelection': 'collectives:CollectiveOptions.algorithm',
  }),
  ...planned('collectives', 'callOptions', 'ncclCollConfig_v23200::CTAPolicy'),
  // Options of other libraries, and of NCCL's own kernels, profilers and streams.
  ...leftOut(
    'hostLibrary',
    `ncclConfigExt_t ncclConfigExt ${of('ncclConfigExt', 'next key key::vendorId key::optionId val val::i val::s val::raw')}
     ${of('ncclCollConfig_v23200', 'ext nvlsCTAs cgaClusterSize userProfilerTag launchCompletionEvent')}
     ncclNvlsHostMode_t ncclNvlsHostModeDefault ncclNvlsHostModeEnable ncclNvlsHostModeDisableTransport
     ncclNvlsHostModeDisableSymmetricMultimem ncclNvlsHostModeDisable`,
  ),
  // The encryption of NCCL's own sockets.
  ...leftOut(
    'hostLibrary',
    `ncclSetEncryption ncclEncryptionMode_t NCCL_ENCRYPTION_MODE_NONE NCCL_ENCRYPTION_MODE_PSK
     ncclEncryptionConfig_t ncclEncryptionConfig_v23200 ${of('ncclEncryptionConfig_v23200', 'mode psk')}`,
  ),
  // NCCL requires that both are 0.
  ...leftOut('hostLibrary', of('ncclWaitSignalDesc_t', 'sigIdx ctx')),
  // NCCL's own parameters and its log.
  ...leftOut(
    'hostLibrary',
    `ncclParamHandle_t ncclParamBind ncclParamGetI8 ncclParamGetI16 ncclParamGetI32 ncclParamGetI64 ncclParamGetU8
     ncclParamGetU16 ncclParamGetU32 ncclParamGetU64 ncclParamGetStr ncclParamGet ncclParamGetParameter
     ncclParamGetAllParameterKeys ncclParamDumpAll ncclResetDebugInit`,
  ),
  ...leftOut('inside', 'ncclUniqueId::internal'),

  ...leftOut(
    'profilingAlias',
    `pncclMemAlloc pncclMemFree pncclGetVersion pncclGetUniqueId pncclCommInitRankConfig pncclCommInitRank pncclCommInitAll
     pncclCommFinalize pncclCommDestroy pncclCommAbort pncclCommRevoke pncclCommSplit pncclCommShrink pncclCommGetUniqueId
     pncclCommGrow pncclCommInitRankScalable pncclGetErrorString pncclGetLastError pncclResetDebugInit
     pncclCommGetAsyncError pncclCommCount pncclCommCuDevice pncclCommUserRank pncclCommRegister pncclCommDeregister
     pncclCommSuspend pncclCommResume pncclCommMemStats pncclCommWindowRegister pncclCommWindowDeregister
     pncclWinGetUserPtr pncclRedOpCreatePreMulSum pncclRedOpDestroy pncclReduce pncclBcast pncclBroadcast pncclAllReduce
     pncclReduceScatter pncclAllGather pncclAlltoAll pncclGather pncclScatter pncclSend pncclRecv pncclPutSignal
     pncclSignal pncclWaitSignal pncclGroupStart pncclGroupEnd pncclGroupSimulateEnd pncclParamBind pncclParamGetI8
     pncclParamGetI16 pncclParamGetI32 pncclParamGetI64 pncclParamGetU8 pncclParamGetU16 pncclParamGetU32 pncclParamGetU64
     pncclParamGetStr pncclParamGet pncclParamGetParameter pncclParamGetAllParameterKeys pncclParamDumpAll
     pncclAllReduceConfig pncclBroadcastConfig pncclReduceConfig pncclAllGatherConfig pncclReduceScatterConfig
     pncclAlltoAllConfig pncclGatherConfig pncclScatterConfig pncclSetEncryption`,
  ),
];
