import { leftOut, mapped, membersMapped, of, type SurfaceEntry } from '../entry.ts';

/** nccl_device/gin.h, and the types of its arguments from gin/gin_device_common.h. */
export const gin: readonly SurfaceEntry[] = [
  ...mapped({
    ncclGin: 'gin:Gin',
    ncclGin_BackendMask: 'gin:Gin',
    'ncclGin_BackendMask::ncclGin_BackendMask': 'gin:GinModule.context',
    'ncclGin_BackendMask::comm': 'gin:GinParts.comm',
    'ncclGin_BackendMask::contextId': 'gin:GinParts.index',
    'ncclGin_BackendMask::resourceSharingMode': 'gin:GinParts.sharing',
    'ncclGin_BackendMask::put': 'gin:Gin.put gin:Gin.putElements',
    'ncclGin_BackendMask::readSignal': 'gin:Gin.readSignal gin:Gin.readVASignal',
    'ncclGin_BackendMask::waitSignal': 'gin:Gin.waitSignal gin:Gin.waitVASignal',
    'ncclGin_BackendMask::resetSignal': 'gin:Gin.resetSignal gin:Gin.resetVASignal',
    'ncclGin_BackendMask::getSignalShadowPtr': 'gin:Gin.signalShadowPtr',
    ncclGinRequest_t: 'gin:GinRequest',
  }),
  ...membersMapped(
    'ncclGin_BackendMask',
    'gin:Gin',
    `putValue get signal flush flushAsync wait readCounter waitCounter resetCounter
     increaseSignalShadow waitSignalMeetShadow waitSignalFollowShadow`,
  ),
  ...leftOut('inside', 'ncclGinRequest_t::opaque'),
  // The action of a put at its target. Its counterpart here is an omitted argument, or the result
  // of these functions.
  ...mapped({
    ncclGin_None: 'gin:Gin.put',
    ncclGin_StrongSignalInc: 'gin:GinModule.strongSignalInc',
    ncclGin_WeakSignalInc: 'gin:GinModule.weakSignalInc',
    ncclGin_StrongSignalAdd: 'gin:GinModule.strongSignalAdd',
    ncclGin_WeakSignalAdd: 'gin:GinModule.weakSignalAdd',
    ncclGin_StrongVASignalInc: 'gin:GinModule.strongVASignalInc',
    ncclGin_WeakVASignalInc: 'gin:GinModule.weakVASignalInc',
    ncclGin_StrongVASignalAdd: 'gin:GinModule.strongVASignalAdd',
    ncclGin_WeakVASignalAdd: 'gin:GinModule.weakVASignalAdd',
    ncclGin_WeakCounterInc: 'gin:GinModule.weakCounterInc',
    // Deprecated.
    ncclGin_SignalInc: 'gin:GinModule.signalInc',
    ncclGin_SignalAdd: 'gin:GinModule.signalAdd',
    ncclGin_VASignalInc: 'gin:GinModule.vaSignalInc',
    ncclGin_VASignalAdd: 'gin:GinModule.vaSignalAdd',
    ncclGin_CounterInc: 'gin:GinModule.counterInc',
    'ncclGin_WeakCounterInc::counter': 'gin:LocalAction.counter',
    'ncclGin_CounterInc::counter': 'gin:LocalAction.counter',
  }),
  ...['Strong', 'Weak', ''].flatMap((strength) => [
    ...membersMapped(`ncclGin_${strength}SignalInc`, 'gin:RemoteAction', 'signal'),
    ...membersMapped(`ncclGin_${strength}SignalAdd`, 'gin:RemoteAction', 'signal value'),
    ...membersMapped(`ncclGin_${strength}VASignalAdd`, 'gin:RemoteAction', 'value'),
    ...['Inc', 'Add'].flatMap((change) =>
      mapped({
        [`ncclGin_${strength}VASignal${change}::signalWindow`]: 'gin:RemoteAction.window',
        [`ncclGin_${strength}VASignal${change}::signalOffset`]: 'gin:RemoteAction.offset',
      }),
    ),
  ]),
  // The method of the operation.
  ...mapped({
    ncclGinOptFlags: 'gin:RequestOptions',
    ncclGinOptFlagsDefault: 'gin:RequestOptions',
    ncclGinOptFlagsMaySkipCreditCheck: 'gin:RequestOptions.maySkipCreditCheck',
    ncclGinOptFlagsAggregateRequests: 'gin:RequestOptions.aggregateRequests',
    ncclGinResourceSharingMode: 'gin:GinSharing',
    NCCL_GIN_RESOURCE_SHARING_GPU: "gin:GinSharing='gpu'",
    NCCL_GIN_RESOURCE_SHARING_CTA: "gin:GinSharing='cta'",
    NCCL_GIN_RESOURCE_SHARING_THREAD: "gin:GinSharing='thread'",
    ncclGin_SegmentDevice: "gin:Segment='device'",
    ncclGin_SegmentMixed: "gin:Segment='mixed'",
    ncclGin_SegmentHostNuma: "gin:Segment='hostNuma'",
    ncclGin_DescriptorSmem: 'gin:RequestOptions.descriptor',
    'ncclGin_DescriptorSmem::descriptor': 'gin:RequestOptions.descriptor',
    ncclGinDescriptorSmem: 'gin:RequestOptions.descriptor',
  }),

  ...leftOut(
    'irSpelling',
    `ncclGin_C ${of('ncclGin_C', 'ncclGin_C comm nConnections connectionId contextId resourceSharingMode backendMask')}
     ncclGin_C_init ncclGin_C_initWithResourceSharingMode ncclGin_C_makeCtx
     ncclGinPut ncclGinPut_v2 ncclGinPutValue ncclGinPutValue_v2 ncclGinGet ncclGinSignal ncclGinSignal_v2 ncclGinFlush
     ncclGinReadCounter ncclGinWaitCounter ncclGinResetCounter ncclGinReadSignal ncclGinWaitSignal ncclGinResetSignal
     ncclGinGetSignalShadowPtr ncclGinPut_v3 ncclGinPutValue_v3 ncclGinGet_v2 ncclGinSignal_v3 ncclGinFlush_v2
     ncclGinFlushTimeout ncclGinFlushAsync ncclGinWait ncclGinWaitTimeout ncclGinWaitCounterTimeout
     ncclGinIncreaseSignalShadow ncclGinReadSignalVA ncclGinWaitSignalTimeout ncclGinWaitSignalVA
     ncclGinWaitSignalTimeoutVA ncclGinWaitSignalMeetShadow ncclGinWaitSignalFollowShadow ncclGinResetSignalVA
     ncclGinPut_C_impl ncclGinPutValue_C_impl ncclGinGet_C_impl ncclGinSignal_C_impl
     ncclGinSegmentType_t ncclGinSegmentType ncclGinSegmentTypeDevice ncclGinSegmentTypeMixed
     ncclGinSegmentTypeHostNuma ncclGinSignalOp_t ncclGinSignalInc ncclGinSignalAdd`,
  ),
];
