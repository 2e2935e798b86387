import type { ApiRow } from './api-row.ts';

/** The compute fabric transport of NCCL 2.31. */
export const fabric: readonly ApiRow[] = [
  {
    id: '1.11/memFence',
    nccl: 'ncclMemFence, ncclMemProxyType, ncclMemFenceScope',
    here: "cft.memFence, fenceProxy('fabric', producer, consumer, order, scope)",
    cases: ['fabric/fences/generic'],
  },
  {
    id: '1.11/teamCft',
    nccl: 'ncclTeamCft, ncclTeamCftMultimem, ncclCftTeamMode_t',
    here: 'cft.team, cft.teamMultimem',
    cases: ['fabric/teams'],
  },
  {
    id: '1.11/leInfo',
    nccl: 'ncclGetCftLeInfo, ncclGetPeerLeInfo, ncclGetMultimemLeInfo',
    here: 'cft.leInfo, cft.peerLeInfo, cft.multimemLeInfo',
    cases: ['fabric/put/unicast', 'fabric/get', 'fabric/put/multicast'],
  },
  {
    id: '1.11/resourceLeInfo',
    nccl: 'ncclGetResourceBufferCftLeInfo, ncclGetResourceBufferPeerLeInfo, ncclGetResourceBufferMultimemLeInfo',
    here: 'cft.resourceLeInfo, cft.resourcePeerLeInfo, cft.resourceMultimemLeInfo',
    cases: ['fabric/resources', 'fabric/resources/multicast'],
  },
  {
    id: '1.11/hostLeInfo',
    nccl: 'ncclGetCftDeviceLeInfo, ncclGetPeerDeviceLeInfo, ncclGetMultimemDeviceLeInfo',
    here: 'getCftDeviceLeInfo, getPeerDeviceLeInfo, getMultimemDeviceLeInfo of @nccl-ts/communicator',
    cases: ['fabric/hosts/unicast', 'fabric/hosts/multicast'],
    traps: [
      { trap: 'an operation for the other kind of endpoint', cases: ['fabric/traps/host-endpoint-kind'] },
      { trap: 'an offset past the end of the window', cases: ['fabric/traps/host-endpoint-offset'] },
    ],
  },
  {
    id: '1.11/put',
    nccl: 'ncclCft::put, putCpMask, submit, flush',
    here: 'the same of cft.session',
    cases: ['fabric/put/unicast', 'fabric/put/copy-mask'],
  },
  {
    id: '1.11/putMultimem',
    nccl: 'ncclCft::putMultimem, flushSmem',
    here: 'the same',
    cases: ['fabric/put/multicast'],
  },
  { id: '1.11/get', nccl: 'ncclCft::get', here: 'the same', cases: ['fabric/get'] },
  {
    id: '1.11/red',
    nccl: 'ncclCft::red, redMultimem, ncclCftOpSum, ncclCftOpMin, ncclCftOpMax, ncclCftOpAnd, ncclCftOpOr, ncclCftOpXor',
    here: 'the same for integers of 32 and 64 bits; the operation is a word',
    cases: ['fabric/red/unicast', 'fabric/red/multicast'],
  },
  {
    id: '1.11/redCounted',
    nccl: 'ncclCft::redCounted, redMultimemCounted',
    here: 'the same for integers of 32 and 64 bits',
    cases: ['fabric/red/counted', 'fabric/red/multicast-counted'],
  },
  {
    id: '1.11/pullRed',
    nccl: 'ncclCft::pullRed',
    here: 'the same for integers of 32 and 64 bits',
    cases: ['fabric/pull-red'],
  },
  {
    id: '1.11/barriers',
    nccl: 'ncclCftBarrierSession, ncclDevCommRequirements::cftBarrierCount',
    here: 'cft.barrierSession(coop, comm, index, { multimem? }), cftBarrierCount',
    cases: ['fabric/barriers/unicast', 'fabric/barriers/multicast', 'fabric/barriers/time-limit'],
  },
  {
    id: '1.11/counted',
    nccl: 'ncclCft::putCounted, putMultimemCounted, waitCounted, NCCL_WIN_CFT_COUNTED',
    here: 'the same, WindowFlags.CftCounted',
    cases: ['fabric/counted/unicast', 'fabric/counted/multicast', 'fabric/counted/time-limit'],
  },
];
