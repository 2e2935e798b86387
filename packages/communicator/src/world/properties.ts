import { ginTypesOf } from '@nccl-ts/devcomm';
import type { CommProperties, GinType, ResourceSupport } from '@nccl-ts/devcomm';
import type { Topology } from '@nccl-ts/topology';
import type { Backend, BackendWorld } from '@nccl-ts/transport';

/** Returns the capabilities that a world's ranks have in common. */
export function supportOf(backend: Backend, device: BackendWorld): ResourceSupport {
  return device.support ?? { symmetric: true, multimem: backend.capabilities.multimem, gin: 'none' };
}

/** Returns the properties of one rank's communicator. @see ncclCommQueryProperties */
export function commProperties(topology: Topology, support: ResourceSupport, rank: number): CommProperties {
  const { nRanks, nLsaTeams, lsaSize } = topology;
  const { gin, ginType: carrier = 'proxy', cft = 'none', cftCounted = cft !== 'none' } = support;
  const ginType: GinType = gin === 'full' ? carrier : 'none';
  const railedGinType: GinType = gin === 'none' ? 'none' : carrier;
  return Object.freeze({
    rank,
    nRanks,
    deviceApiSupport: support.symmetric,
    multimemSupport: support.multimem,
    ginType,
    nLsaTeams,
    hostRmaSupport: false,
    railedGinType,
    ginSupport: Object.freeze([...ginTypesOf(support)]),
    ginConnectionType: gin,
    ginMinStride: { none: 0, full: 1, rail: lsaSize }[gin],
    cftSupport: cft !== 'none',
    cftMulticastSupport: cft === 'cftMultimem',
    cftCountedSupport: cftCounted,
  });
}
