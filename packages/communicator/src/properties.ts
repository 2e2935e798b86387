import type { CommProperties, GinType, ResourceSupport } from '@nccl-ts/devcomm';
import type { Topology } from '@nccl-ts/topology';
import type { Backend, BackendWorld } from '@nccl-ts/transport';

/** What the ranks of a world can do together. */
export function supportOf(backend: Backend, device: BackendWorld): ResourceSupport {
  return device.support ?? { symmetric: true, multimem: backend.capabilities.multimem, gin: 'none' };
}

/** What one rank's communicator is and can do. @see ncclCommQueryProperties */
export function commProperties(topology: Topology, support: ResourceSupport, rank: number): CommProperties {
  const { nRanks, nLsaTeams } = topology;
  const ginType: GinType = support.gin === 'full' ? 'proxy' : 'none';
  const railedGinType: GinType = support.gin === 'none' ? 'none' : 'proxy';
  return Object.freeze({
    rank,
    nRanks,
    deviceApiSupport: support.symmetric,
    multimemSupport: support.multimem,
    ginType,
    nLsaTeams,
    hostRmaSupport: false,
    railedGinType,
  });
}
