import { leftOut, mapped, membersMapped, type SurfaceEntry } from '../entry.ts';

/**
 * nccl_device/lsa_barrier.h, gin_barrier.h and barrier.h. The handles are in core.h, and their
 * members in impl.
 */
export const barriers: readonly SurfaceEntry[] = [
  ...mapped({
    ncclLsaBarrierHandle: 'devcomm:LsaBarrierHandle',
    ncclLsaBarrierHandle_t: 'devcomm:LsaBarrierHandle',
    ncclLsaBarrierCreateRequirement: 'devcomm:lsaBarrierCreateRequirement',
    ncclLsaBarrierSession: 'lsa:LsaBarrierSession',
    ncclGinBarrierCreateRequirement: 'devcomm:ginBarrierCreateRequirement',
    // The end of the block that creates the session.
    'ncclLsaBarrierSession::~ncclLsaBarrierSession': 'lsa:barrierSession',
    'ncclLsaBarrierSession::ncclLsaBarrierSession': 'lsa:barrierSession lsa:LsaBarrierOptions',
  }),
  ...membersMapped('ncclLsaBarrierHandle', 'devcomm:LsaBarrierHandle', 'bufHandle nBarriers'),
  ...membersMapped('ncclLsaBarrierSession', 'lsa:LsaBarrierSession', 'arrive wait sync'),

  ...mapped({ ncclGinBarrierHandle: 'devcomm:GinBarrierHandle', ncclGinBarrierHandle_t: 'devcomm:GinBarrierHandle' }),
  ...membersMapped('ncclGinBarrierHandle', 'devcomm:GinBarrierHandle', 'signal0'),
  ...leftOut('inside', 'ncclGinBarrierHandle::unused'),
  ...mapped({
    ncclGinBarrierSession: 'gin:GinBarrierSession',
    'ncclGinBarrierSession::ncclGinBarrierSession': 'gin:barrierSession gin:GinBarrierOptions',
    // It needs no destructor, because its state is in the signal shadows.
    'ncclGinBarrierSession::~ncclGinBarrierSession': 'gin:barrierSession',
    'ncclGinBarrierSession::sync': 'gin:GinBarrierSession.sync',
    ncclGinAllContexts: 'gin:GinBarrierOptions.allContexts',
    'ncclGinAllContexts::ncclGinAllContexts': 'gin:GinBarrierOptions.allContexts',
    'ncclGinAllContexts::comm': 'gin:GinBarrierOptions.allContexts',
    ncclGinFenceLevel: 'gin:GinFence',
    'ncclGinFenceLevel::None': "gin:GinFence='none'",
    'ncclGinFenceLevel::Put': "gin:GinFence='put'",
    'ncclGinFenceLevel::Get': "gin:GinFence='get'",
    // Deprecated.
    'ncclGinFenceLevel::Relaxed': "gin:GinFence='none'",
    // Put | Get
    'operator|': "gin:GinFence='putGet'",
  }),
  ...leftOut('cLanguage', 'operator&'),

  ...mapped({
    ncclGinBarrier: 'gin:barrier',
    ncclBarrierSession: 'barrier:BarrierSession',
    'ncclBarrierSession::ncclBarrierSession': 'barrier:session barrier:BarrierOptions',
    ncclBarrier: 'barrier:sync',
  }),
  ...membersMapped('ncclBarrierSession', 'barrier:BarrierSession', 'lsaBarrier ginBarrier sync'),
];
