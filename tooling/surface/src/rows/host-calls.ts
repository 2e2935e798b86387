import { of } from '../entry.ts';
import { row, type Row } from './row.ts';

const callOptions = 'packages/collectives/test/call-options.test.ts';
const requirements = 'packages/devcomm/test/requirements.test.ts';
const hostEndpoints = 'packages/backend-sim/test/host-endpoints.test.ts';

/** Names of the host that are newer than 2.30.7. */
export const hostCalls: readonly Row[] = [
  row(
    `ncclBroadcastConfig ncclReduceConfig ncclAllGatherConfig ncclReduceScatterConfig ncclAlltoAllConfig
     ncclGatherConfig ncclScatterConfig ncclCollConfig_t ncclCollConfig_v23200`,
    '',
    { tests: { [callOptions]: 'takes the options of one call' } },
  ),
  row(`ncclAllReduceConfig ${of('ncclCollConfig_v23200', 'minCTAs maxCTAs')}`, '', {
    tests: { [callOptions]: 'a call with %j uses that many CTAs and computes the right sums' },
  }),
  row(of('ncclCollConfig_v23200', 'forceAlgSelection algSelection'), '', {
    tests: { [callOptions]: 'a call with an unsuitable algorithm fails if the algorithm is forced' },
  }),
  row('ncclDevCommRequirements::ginType', '', {
    tests: { [requirements]: 'accepts a type of GIN that the ranks have, and any without a connection' },
  }),
  row('NCCL_GIN_TYPE_EFA_GDA', '', { tests: { [requirements]: "encodes GIN with NCCL's integers" } }),
  row(
    of(
      'ncclCommProperties',
      'ginSupport ginConnectionType ginMinStride cftCountedSupport cftMulticastSupport cftSupport',
    ),
    '',
    { tests: { 'packages/communicator/test/world.test.ts': 'gives each rank a communicator of its own' } },
  ),
  row('ncclConfig_v23100::hostCftMode ncclHostCftMode_t ncclHostCftEnable ncclHostCftFallback', '', {
    tests: { [hostEndpoints]: 'is there from the start with the mode %s' },
  }),
  row('ncclHostCftDisable', '', { tests: { [hostEndpoints]: 'is refused if the ranks have none' } }),
  row('ncclHostCftDefault', '', {
    tests: { [hostEndpoints]: 'is missing until there is a device communicator with endpoints, or after it' },
  }),
];
