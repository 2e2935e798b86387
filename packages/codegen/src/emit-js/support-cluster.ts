import { NcclError } from '@nccl-ts/core';
import type { CtaIdentity } from '@nccl-ts/transport';
import type { ClusterMember, ClusterPort } from '../program/cluster-port.ts';
import type { ProgramHost } from '../program/program.ts';
import { missingText } from '../program/meeting-text.ts';
import type { RunningCta } from './running-cta.ts';
import type { SupportFunctions } from '../emit-shared/support-functions.ts';

/** The clusters of CTAs: their shared memory, and the primitives of their barriers. */
export function clusters(host: ProgramHost): SupportFunctions {
  const port = (): ClusterPort => {
    if (host.clusters === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', 'This launch has no clusters.');
    return host.clusters;
  };
  return {
    joinCluster: (cta: CtaIdentity, bytes: number, regions: number): ClusterMember => port().join(cta, bytes, regions),
    clusterArrive: ({ identity, watch }: RunningCta, thread: number, site: number, order: string, warp: string): void =>
      port().arrive(
        { cta: identity, thread, site, watch },
        { releases: order === 'release', isAligned: warp === 'aligned' },
      ),
    clusterIsMet: ({ identity }: RunningCta, thread: number): boolean => port().isMet(identity, thread),
    clusterLacks: ({ identity }: RunningCta, thread: number): string =>
      missingText(port().lacks(identity, thread), 'cluster'),
    clusterAcquire: ({ identity, trace, watch }: RunningCta, thread: number, site: number): void => {
      trace?.passesCluster(thread, site);
      port().acquire({ cta: identity, thread, site, watch });
    },
    clusterLeave: ({ identity }: RunningCta, thread: number): void => port().leave(identity, thread),
  };
}
