import { leftOut, of, planned, type Entry } from '../entry.ts';

/** nccl_device/gin.h, and the types of its arguments from gin/gin_device_common.h. */
export const gin: readonly Entry[] = [
  ...planned(
    'gin',
    `ncclGin ncclGin_BackendMask
     ${of(
       'ncclGin_BackendMask',
       `ncclGin_BackendMask comm contextId resourceSharingMode put putValue get signal flush flushAsync wait
        readCounter waitCounter resetCounter readSignal waitSignal resetSignal
        getSignalShadowPtr increaseSignalShadow waitSignalMeetShadow waitSignalFollowShadow`,
     )}
     ncclGinRequest_t ncclGinRequest_t::opaque`,
  ),
  // What a put does where it arrives, and here.
  ...planned(
    'gin',
    `ncclGin_None
     ncclGin_StrongSignalInc ncclGin_StrongSignalInc::signal ncclGin_WeakSignalInc ncclGin_WeakSignalInc::signal
     ncclGin_StrongSignalAdd ${of('ncclGin_StrongSignalAdd', 'signal value')}
     ncclGin_WeakSignalAdd ${of('ncclGin_WeakSignalAdd', 'signal value')}
     ncclGin_StrongVASignalInc ${of('ncclGin_StrongVASignalInc', 'signalWindow signalOffset')}
     ncclGin_WeakVASignalInc ${of('ncclGin_WeakVASignalInc', 'signalWindow signalOffset')}
     ncclGin_StrongVASignalAdd ${of('ncclGin_StrongVASignalAdd', 'signalWindow signalOffset value')}
     ncclGin_WeakVASignalAdd ${of('ncclGin_WeakVASignalAdd', 'signalWindow signalOffset value')}
     ncclGin_WeakCounterInc ncclGin_WeakCounterInc::counter`,
  ),
  // Deprecated spellings: they get the place of the strong ones, and the counter that of the weak one.
  ...planned(
    'gin',
    `ncclGin_SignalInc ncclGin_SignalInc::signal ncclGin_SignalAdd ${of('ncclGin_SignalAdd', 'signal value')}
     ncclGin_VASignalInc ${of('ncclGin_VASignalInc', 'signalWindow signalOffset')}
     ncclGin_VASignalAdd ${of('ncclGin_VASignalAdd', 'signalWindow signalOffset value')}
     ncclGin_CounterInc ncclGin_CounterInc::counter`,
  ),
  // How it is to be done.
  ...planned(
    'gin',
    `ncclGinOptFlags ncclGinOptFlagsDefault ncclGinOptFlagsMaySkipCreditCheck ncclGinOptFlagsAggregateRequests
     ncclGinResourceSharingMode NCCL_GIN_RESOURCE_SHARING_GPU NCCL_GIN_RESOURCE_SHARING_CTA
     NCCL_GIN_RESOURCE_SHARING_THREAD
     ncclGin_SegmentDevice ncclGin_SegmentMixed ncclGin_SegmentHostNuma
     ncclGin_DescriptorSmem ncclGin_DescriptorSmem::descriptor ncclGinDescriptorSmem`,
  ),

  ...leftOut(
    'irSpelling',
    `ncclGin_C ${of('ncclGin_C', 'ncclGin_C comm nConnections connectionId contextId resourceSharingMode backendMask')}
     ncclGin_C_init ncclGin_C_initWithResourceSharingMode ncclGin_C_makeCtx
     ncclGinPut ncclGinPut_v2 ncclGinPutValue ncclGinPutValue_v2 ncclGinGet ncclGinSignal ncclGinSignal_v2 ncclGinFlush
     ncclGinReadCounter ncclGinWaitCounter ncclGinResetCounter ncclGinReadSignal ncclGinWaitSignal ncclGinResetSignal
     ncclGinGetSignalShadowPtr ncclGinSignalOp_t ncclGinSignalInc ncclGinSignalAdd`,
  ),
];
