import { leftOut, of, type SurfaceEntry } from '../entry.ts';

/**
 * The implementation behind `ncclGin`: gin/*.h, net_device.h, gin_win_stub.h and the free functions
 * of impl/gin__funcs.h.
 */
export const ginPlumbing: readonly SurfaceEntry[] = [
  // The network backends for which the code is compiled, and the selection of one.
  ...leftOut(
    'inside',
    `NCCL_GIN_PROXY_ENABLE NCCL_GIN_GDAKI_ENABLE NCCL_GIN_GPI_ENABLE NCCL_GIN_HAS_FENCE_ACQUIRE_RELEASE_PTX
     NCCL_GIN_EFA_GDA_ENABLE NCCL_GIN_MAX_TYPES NCCL_GIN_MAX_ACTIVE_BACKENDS
     ncclGinApi_SupportsStrongSignal ncclGinApi_SupportsStrongSignal::call
     ncclGinApi_FlushesAllPutsOnAnySignal ncclGinApi_FlushesAllPutsOnAnySignal::call
     NCCL_GIN_BACKEND_MASK_ALL NCCL_GIN_MAX_CONNECTIONS ncclGin_BackendOne
     ${of('ncclGin_BackendMask', 'nConnections connectionId')}
     ncclGinCtx ncclGinCtx_M ${of('ncclGinCtx', 'backendMask backend rank nRanks handle contextId resourceSharingMode')}
     ncclGinGpuCtx_t ncclGinWindow_t ncclGinInitCommon ncclGinCall ncclGinCallImpl ncclGinDescriptorSmem::space
     ncclGinApi_Wait ncclGinApi_Wait::call ncclGinApi_FlushAsync ncclGinApi_FlushAsync::call ncclGinApi_Get
     ncclGinApi_Get::call ncclGinApi_Put ncclGinApi_Put::call ncclGinApi_PutValue ncclGinApi_PutValue::call
     ncclGinApi_GetSignalPtr ncclGinApi_GetSignalPtr::call ncclGinApi_GetCounterPtr ncclGinApi_GetCounterPtr::call
     ncclGinApi_ResetSignal ncclGinApi_ResetSignal::call ncclGinApi_ResetCounter ncclGinApi_ResetCounter::call
     ncclGinApi_Flush ncclGinApi_Flush::call ncclGinOffsetPtr ${of('ncclGinOffsetPtr', 'ptr offset')}`,
  ),
  // The path of an action from its type to a backend.
  ...leftOut(
    'inside',
    `ncclGinSignalType NCCL_GIN_SIGNAL_TYPE_NONE NCCL_GIN_SIGNAL_TYPE_VA NCCL_GIN_SIGNAL_TYPE_INDEXED
     ncclGinSignalDescriptor ${of('ncclGinSignalDescriptor', 'type vaSignal indexedSignal isStrong')}
     ncclGin_isDescriptor ncclGin_getDescriptor ncclGin_getSignalOp ncclGin_getSignalOpArg ncclGin_getSignalDescriptor
     ncclGin_isCounter ncclGin_getCounterId ncclGin_isDeviceOnly`,
  ),
  ...leftOut(
    'plugin',
    `NCCL_NET_DEVICE_INVALID_VERSION NCCL_NET_MTU_SIZE NCCL_NET_DEVICE_UNPACK_VERSION
     ncclNetDeviceType NCCL_NET_DEVICE_HOST NCCL_NET_DEVICE_UNPACK NCCL_NET_DEVICE_GIN_PROXY NCCL_NET_DEVICE_GIN_GDAKI
     NCCL_NET_DEVICE_GIN_GPI NCCL_NET_DEVICE_GIN_EFA_GDA ncclNetDeviceHandle_t ncclNetDeviceHandle_v7_t ncclNetDeviceHandle_v8_t
     ncclNetDeviceHandle_v9_t ncclNetDeviceHandle_v10_t ncclNetDeviceHandle_v11_t ncclNetDeviceHandle_v12_t
     ${of('ncclNetDeviceHandle_v7_t', 'netDeviceType netDeviceVersion handle size needsProxyProgress')}`,
  ),
  ...leftOut(
    'windowsStub',
    `ncclGinOutboxHandle ${of('ncclGinOutboxHandle', 'bufHandle size_log2')} ncclGinOutboxCreateRequirement
     ncclGinInboxA2AHandle ${of('ncclGinInboxA2AHandle', 'bufHandle signals size_log2 nPeers_rcp32')}
     ncclGinInboxA2ACreateRequirement ncclGinSyncHandle ncclGinSyncHandle::railSignals`,
  ),
];
