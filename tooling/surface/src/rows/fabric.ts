import { of } from '../entry.ts';
import { row, type Row } from './row.ts';

const requirements = 'packages/devcomm/test/requirements.test.ts';
const plan = 'packages/devcomm/test/plan-dev-comm.test.ts';

/** The compute fabric transport of NCCL 2.31. */
export const fabric: readonly Row[] = [
  row(
    `ncclMemFence ncclMemProxyType ncclMemProxyType::Generic ncclMemProxyType::Fabric
     ncclMemFenceScope ncclMemFenceScope::Cta ncclMemFenceScope::Sys`,
    'fabric/fences/generic',
    {
      tests: {
        'packages/cft/test/mem-fence.test.ts': 'by one thread is only a fence',
        'packages/memory-model/test/watch/fabric.test.ts': 'two fences do',
      },
    },
  ),
  row(
    `ncclTeamCft ncclTeamCftMultimem ncclCftTeamMode_t
     NCCL_CFT_TEAM_FLAT NCCL_CFT_TEAM_HIER_LSA NCCL_CFT_TEAM_HIER_MULTIMEM`,
    'fabric/teams',
  ),
  row(
    `NCCL_CFT NCCL_CFT_MULTIMEM NCCL_CFT_NONE ncclCftCap_t ncclDevCommRequirements::cftCaps
     ${of('ncclDevComm', 'cftMultimemRank cftMultimemSize cftRank cftSize')}`,
    '',
    { tests: { [plan]: 'cftRank', [requirements]: 'cftCaps' } },
  ),
  row(
    'ncclGetCftLeInfo ncclGetPeerLeInfo ncclGetMultimemLeInfo ncclCftLeId ncclCftLeId_t',
    'fabric/put/unicast fabric/get fabric/put/multicast',
    { traps: { 'an operation for the other kind of endpoint': 'fabric/traps/host-endpoint-kind' } },
  ),
  row(
    `ncclGetResourceBufferCftLeInfo ncclGetResourceBufferPeerLeInfo ncclGetResourceBufferMultimemLeInfo`,
    'fabric/resources fabric/resources/multicast',
    { programs: 'F11/flush F11/no-flush' },
  ),
  row(
    'ncclGetCftDeviceLeInfo ncclGetPeerDeviceLeInfo ncclGetMultimemDeviceLeInfo',
    'fabric/hosts/unicast fabric/hosts/multicast',
    {
      traps: {
        'an operation for the other kind of endpoint': 'fabric/traps/host-endpoint-kind',
        'an offset past the end of the window': 'fabric/traps/host-endpoint-offset',
      },
    },
  ),
  row(`ncclCft ${of('ncclCft', 'ncclCft ~ncclCft')} ncclCftSmem`, 'fabric/put/unicast', {
    programs: 'F6/no-such-peer F6/none',
  }),
  row(of('ncclCft', 'put submit flush'), 'fabric/put/unicast', { programs: 'F1/no-flush F1/flush' }),
  row('ncclCft::putCpMask', 'fabric/put/copy-mask'),
  row(of('ncclCft', 'putMultimem flushSmem'), 'fabric/put/multicast', { programs: 'F3/at-once F3/after-flush-smem' }),
  row('ncclCft::putMultimemCpMask', '', {
    tests: { 'packages/cft/test/session.test.ts': 'initiates each operation with one call' },
  }),
  row('ncclCft::get', 'fabric/get', { programs: 'F5/no-flush F5/flush' }),
  row(
    `${of('ncclCft', 'red redMultimem')}
     ncclCftOpSum ncclCftOpMin ncclCftOpMax ncclCftOpAnd ncclCftOpOr ncclCftOpXor`,
    'fabric/red/unicast fabric/red/multicast',
    { programs: 'F8/no-flush F8/red' },
  ),
  row(of('ncclCft', 'redCounted redMultimemCounted'), 'fabric/red/counted fabric/red/multicast-counted'),
  row('ncclCft::pullRed', 'fabric/pull-red', { programs: 'F9/no-flush F9/flush' }),
  row(
    `ncclCftBarrierSession ${of('ncclCftBarrierSession', 'ncclCftBarrierSession ~ncclCftBarrierSession arrive wait sync')}`,
    'fabric/barriers/unicast fabric/barriers/multicast fabric/barriers/time-limit',
    { programs: 'F10/generic F10/acq-rel F10/no-such-barrier' },
  ),
  row(
    `ncclCftBarrierHandle ncclCftBarrierHandle_t ${of('ncclCftBarrierHandle', 'bufHandle nBarriers')}
     ${of('ncclDevComm', 'cftBarrier cftMultimemBarrier')} ncclDevCommRequirements::cftBarrierCount`,
    'fabric/barriers/unicast',
    { tests: { [plan]: 'places CFT barriers before the resources' } },
  ),
  row(
    `${of('ncclCft', 'putCounted putMultimemCounted waitCounted')} NCCL_WIN_CFT_COUNTED`,
    'fabric/counted/unicast fabric/counted/multicast fabric/counted/time-limit',
    { programs: 'F4/half F4/all' },
  ),
];
