import { readFileSync } from 'node:fs';

/** The names that are new in NCCL after a version. */
export interface NewerNames {
  readonly after: string;
  /** The number of names of the surface that existed before. */
  readonly kept: number;
  readonly names: readonly string[];
}

/** Reads `newer.json`. Throws an Error if it does not have that form. */
export function readNewerNames(path: string): NewerNames {
  const file: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (typeof file !== 'object' || file === null || !('after' in file) || !('kept' in file) || !('names' in file)) {
    throw new Error(`${path} must have after, kept and names`);
  }
  const { after, kept, names } = file;
  if (typeof after !== 'string' || typeof kept !== 'number' || !Array.isArray(names)) {
    throw new Error(`${path}: after is a text, kept a number, and names a list`);
  }
  return { after, kept, names: names.map(String) };
}

/**
 * The test of a name: a case of the conformance suite, a program of a bug class, or the file and
 * title of a test.
 */
export type Evidence =
  | { readonly case: string }
  | { readonly program: string }
  | { readonly file: string; readonly title: string };

const options = 'packages/collectives/test/call-options.test.ts';
const callOptions: Evidence = { file: options, title: 'takes the options of one call' };
const limits: Evidence = { file: options, title: 'a call with %j uses that many CTAs and computes the right sums' };
const algorithms: Evidence = {
  file: options,
  title: 'a call with an unsuitable algorithm fails if the algorithm is forced',
};
const properties: Evidence = {
  file: 'packages/communicator/test/world.test.ts',
  title: 'gives each rank a communicator of its own',
};
const strides: readonly Evidence[] = [
  { case: 'gin/connections/custom-stride' },
  { case: 'gin/traps/peer-off-stride' },
  { program: 'G15/off-the-stride' },
  { program: 'G15/on-the-stride' },
];
const lists: readonly Evidence[] = [
  { case: 'gin/connections/custom-array' },
  { case: 'gin/traps/peer-not-listed' },
  { case: 'gin/traps/flush-not-listed' },
  { program: 'G15/not-listed' },
  { program: 'G15/listed' },
];
const ginTypes: readonly Evidence[] = [
  {
    file: 'packages/devcomm/test/requirements.test.ts',
    title: 'accepts a type of GIN that the ranks have, and any without a connection',
  },
];
const hostEndpoints: readonly Evidence[] = [
  { case: 'fabric/hosts/unicast' },
  { case: 'fabric/traps/host-endpoint-kind' },
  { case: 'fabric/traps/host-endpoint-offset' },
];
const hostModes: readonly Evidence[] = [
  { file: 'packages/backend-sim/test/host-endpoints.test.ts', title: 'is there from the start with the mode %s' },
  { file: 'packages/backend-sim/test/host-endpoints.test.ts', title: 'is refused if the ranks have none' },
];
const fence: readonly Evidence[] = [
  { case: 'fabric/fences/generic' },
  { file: 'packages/cft/test/mem-fence.test.ts', title: 'by one thread is only a fence' },
  { file: 'packages/memory-model/test/watch/fabric.test.ts', title: 'two fences do' },
];

const put: readonly Evidence[] = [{ case: 'fabric/put/unicast' }, { program: 'F1/no-flush' }, { program: 'F1/flush' }];
const masked: readonly Evidence[] = [{ case: 'fabric/put/copy-mask' }];
const multicast: readonly Evidence[] = [{ case: 'fabric/put/multicast' }, { case: 'fabric/traps/host-endpoint-kind' }];
const reused: readonly Evidence[] = [
  { case: 'fabric/put/multicast' },
  { program: 'F3/at-once' },
  { program: 'F3/after-flush-smem' },
];
const get: readonly Evidence[] = [{ case: 'fabric/get' }, { program: 'F5/no-flush' }, { program: 'F5/flush' }];
const counted: readonly Evidence[] = [
  { case: 'fabric/counted/unicast' },
  { program: 'F4/half' },
  { program: 'F4/all' },
];
const countedForAll: readonly Evidence[] = [{ case: 'fabric/counted/multicast' }];
const reduced: readonly Evidence[] = [
  { case: 'fabric/red/unicast' },
  { program: 'F8/no-flush' },
  { program: 'F8/red' },
];
const reducedForAll: readonly Evidence[] = [{ case: 'fabric/red/multicast' }];
const pulled: readonly Evidence[] = [{ case: 'fabric/pull-red' }, { program: 'F9/no-flush' }, { program: 'F9/flush' }];
const barrier: readonly Evidence[] = [
  { case: 'fabric/barriers/unicast' },
  { program: 'F10/generic' },
  { program: 'F10/acq-rel' },
];
const barrierPlaces: readonly Evidence[] = [
  { file: 'packages/devcomm/test/plan-dev-comm.test.ts', title: 'places CFT barriers before the resources' },
];
const session: readonly Evidence[] = [
  { case: 'fabric/put/unicast' },
  { program: 'F6/no-such-peer' },
  { program: 'F6/none' },
];
const teams: readonly Evidence[] = [{ case: 'fabric/teams' }];
const endpoints: readonly Evidence[] = [
  { file: 'packages/devcomm/test/plan-dev-comm.test.ts', title: 'cftRank' },
  { file: 'packages/devcomm/test/requirements.test.ts', title: 'cftCaps' },
];

/**
 * The tests of each name that is newer than 2.30.7 and mapped. If a wrong use is harmful, they
 * include right and wrong uses.
 */
export const newerNameTests: Readonly<Record<string, readonly Evidence[]>> = {
  NCCL_WIN_GIN_ONLY: [{ case: 'gin/windows/gin-only' }, { case: 'gin/traps/gin-only-pointer' }],
  ncclAllReduceConfig: [limits],
  ncclBroadcastConfig: [callOptions],
  ncclReduceConfig: [callOptions],
  ncclAllGatherConfig: [callOptions],
  ncclReduceScatterConfig: [callOptions],
  ncclAlltoAllConfig: [callOptions],
  ncclGatherConfig: [callOptions],
  ncclScatterConfig: [callOptions],
  ncclCollConfig_t: [callOptions],
  ncclCollConfig_v23200: [callOptions],
  'ncclCollConfig_v23200::minCTAs': [limits],
  'ncclCollConfig_v23200::maxCTAs': [limits],
  'ncclCollConfig_v23200::forceAlgSelection': [algorithms],
  'ncclCollConfig_v23200::algSelection': [algorithms],
  'ncclDevComm::ginContextStride': strides,
  'ncclDevComm::hybridDenseGinBarrier': [{ case: 'hybrid-barriers/world/fence-put' }],
  'ncclDevCommRequirements::ginCustomStride': strides,
  NCCL_GIN_CONNECTION_CUSTOM_STRIDE: strides,
  NCCL_GIN_CONNECTION_CUSTOM_ARRAY: lists,
  'ncclDevCommRequirements::ginType': ginTypes,
  ncclGetResourceBufferCftLeInfo: [{ case: 'fabric/resources' }, { program: 'F11/flush' }, { program: 'F11/no-flush' }],
  ncclGetResourceBufferPeerLeInfo: [{ case: 'fabric/resources' }],
  ncclGetResourceBufferMultimemLeInfo: [{ case: 'fabric/resources/multicast' }],
  ncclGetCftDeviceLeInfo: hostEndpoints,
  ncclGetPeerDeviceLeInfo: hostEndpoints,
  ncclGetMultimemDeviceLeInfo: [{ case: 'fabric/hosts/multicast' }, { case: 'fabric/traps/host-endpoint-kind' }],
  'ncclConfig_v23100::hostCftMode': hostModes,
  ncclHostCftMode_t: hostModes,
  ncclHostCftDefault: [
    {
      file: 'packages/backend-sim/test/host-endpoints.test.ts',
      title: 'is missing until there is a device communicator with endpoints, or after it',
    },
  ],
  ncclHostCftEnable: hostModes,
  ncclHostCftDisable: hostModes,
  ncclHostCftFallback: hostModes,
  'ncclCommProperties::ginSupport': [properties],
  'ncclCommProperties::ginConnectionType': [properties],
  'ncclCommProperties::ginMinStride': [properties],
  NCCL_GIN_TYPE_EFA_GDA: [
    { file: 'packages/devcomm/test/requirements.test.ts', title: "encodes GIN with NCCL's integers" },
  ],
  ncclDevCommCanGetPeerPointer: [{ case: 'windows/can-get-peer-pointer' }],
  ncclMemFence: fence,
  ncclMemProxyType: fence,
  'ncclMemProxyType::Generic': fence,
  'ncclMemProxyType::Fabric': fence,
  ncclMemFenceScope: fence,
  'ncclMemFenceScope::Cta': fence,
  'ncclMemFenceScope::Sys': fence,
  NCCL_CFT: endpoints,
  NCCL_CFT_MULTIMEM: endpoints,
  NCCL_CFT_NONE: endpoints,
  ncclCftCap_t: endpoints,
  'ncclDevCommRequirements::cftCaps': endpoints,
  'ncclDevComm::cftMultimemRank': endpoints,
  'ncclDevComm::cftMultimemSize': endpoints,
  'ncclDevComm::cftRank': endpoints,
  'ncclDevComm::cftSize': endpoints,
  'ncclCommProperties::cftCountedSupport': [properties],
  'ncclCommProperties::cftMulticastSupport': [properties],
  'ncclCommProperties::cftSupport': [properties],
  NCCL_CFT_TEAM_FLAT: teams,
  NCCL_CFT_TEAM_HIER_LSA: teams,
  NCCL_CFT_TEAM_HIER_MULTIMEM: teams,
  ncclCftTeamMode_t: teams,
  ncclTeamCft: teams,
  ncclTeamCftMultimem: teams,
  ncclCft: session,
  'ncclCft::ncclCft': session,
  'ncclCft::~ncclCft': session,
  ncclCftSmem: session,
  'ncclCft::put': put,
  'ncclCft::submit': put,
  'ncclCft::flush': put,
  ncclCftLeId: put,
  ncclCftLeId_t: put,
  ncclGetCftLeInfo: put,
  ncclGetPeerLeInfo: get,
  'ncclCft::get': get,
  'ncclCft::putCpMask': masked,
  'ncclCft::putMultimem': multicast,
  'ncclCft::putMultimemCpMask': [
    { file: 'packages/cft/test/session.test.ts', title: 'initiates each operation with one call' },
  ],
  ncclGetMultimemLeInfo: multicast,
  'ncclCft::flushSmem': reused,
  'ncclCft::putCounted': counted,
  'ncclCft::waitCounted': counted,
  NCCL_WIN_CFT_COUNTED: counted,
  'ncclCft::putMultimemCounted': countedForAll,
  ncclCftBarrierSession: barrier,
  'ncclCftBarrierSession::ncclCftBarrierSession': [
    { case: 'fabric/barriers/multicast' },
    { program: 'F10/no-such-barrier' },
  ],
  'ncclCftBarrierSession::~ncclCftBarrierSession': barrier,
  'ncclCftBarrierSession::arrive': barrier,
  'ncclCftBarrierSession::wait': barrier,
  'ncclCftBarrierSession::sync': [...barrier, { case: 'fabric/barriers/time-limit' }],
  ncclCftBarrierHandle: barrierPlaces,
  ncclCftBarrierHandle_t: barrierPlaces,
  'ncclCftBarrierHandle::bufHandle': barrierPlaces,
  'ncclCftBarrierHandle::nBarriers': barrierPlaces,
  'ncclDevComm::cftBarrier': barrierPlaces,
  'ncclDevComm::cftMultimemBarrier': barrierPlaces,
  'ncclDevCommRequirements::cftBarrierCount': barrierPlaces,
  'ncclCft::red': reduced,
  'ncclCft::redCounted': [{ case: 'fabric/red/counted' }],
  'ncclCft::redMultimem': reducedForAll,
  'ncclCft::redMultimemCounted': [{ case: 'fabric/red/multicast-counted' }],
  'ncclCft::pullRed': pulled,
  ncclCftOpSum: reduced,
  ncclCftOpMin: reduced,
  ncclCftOpMax: reduced,
  ncclCftOpAnd: reduced,
  ncclCftOpOr: reduced,
  ncclCftOpXor: reduced,
};

/** Parameters that are newer than 2.30.7, of calls with older names. */
export const newerParameterTests: Readonly<Record<string, readonly Evidence[]>> = {
  'timeoutCycles of waitSignal': [
    { case: 'gin/time-limits/in-time' },
    { case: 'gin/time-limits/too-late' },
    { program: 'signal' },
    { program: 'va-signal' },
  ],
  'timeoutCycles of waitCounter': [{ case: 'gin/time-limits/too-late' }, { program: 'counter' }],
  'timeoutCycles of flush': [{ case: 'gin/time-limits/in-time' }, { program: 'flush' }],
  'timeoutCycles of wait': [{ case: 'gin/time-limits/in-time' }, { program: 'request' }],
  'barriers of two signals': [
    {
      file: 'packages/backend-sim/test/network/two-signal-barriers.test.ts',
      title: 'an arrival at the next sync does not count for this one',
    },
  ],
};
