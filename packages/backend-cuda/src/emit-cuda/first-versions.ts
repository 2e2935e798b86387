import { NcclError, ncclVersionText } from '@nccl-ts/core';
import type { NcclVersionCode } from '../cuda-source.ts';
import type { CudaEmitContext } from './context.ts';

/** A feature of the device API that was introduced in some version. */
export type DeviceFeature =
  | 'deviceApi'
  | 'lsaBarrierHeader'
  | 'reduceCopy'
  | 'gin'
  | 'vaSignals'
  | 'requestFlags'
  | 'railedConnections'
  | 'railedContexts'
  | 'barrierHandles'
  | 'gets'
  | 'requests'
  | 'sharing'
  | 'threadSharing'
  | 'worldBarriers'
  | 'hybridLsaBarriers'
  | 'hybridRailBarriers'
  | 'barrierTimeouts'
  | 'segments'
  | 'strengths'
  | 'fences'
  | 'allContexts'
  | 'hybridWorldBarriers'
  | 'waitTimeouts'
  | 'strides'
  | 'memFence'
  | 'cft'
  | 'cftCounted';

/**
 * The first version whose headers have the feature, as found in the headers of the published
 * versions.
 */
const since: Readonly<Record<DeviceFeature, NcclVersionCode>> = {
  deviceApi: 22803,
  /** LSA barriers have a header of their own, instead of one for barriers in memory. */
  lsaBarrierHeader: 22807,
  reduceCopy: 22907,
  gin: 22807,
  vaSignals: 22907,
  /** Hints on how to post a request. */
  requestFlags: 22907,
  /** Handles of GIN barriers that have only the location of their signals. */
  barrierHandles: 22907,
  /**
   * True for versions in which a device communicator says if its connections are rail connections,
   * and later if its contexts are.
   */
  railedConnections: 22907,
  railedContexts: 23007,
  gets: 23003,
  requests: 23003,
  sharing: 23003,
  threadSharing: 23007,
  worldBarriers: 23003,
  hybridLsaBarriers: 23003,
  hybridRailBarriers: 23003,
  barrierTimeouts: 23003,
  segments: 23004,
  strengths: 23005,
  fences: 23007,
  allContexts: 23007,
  hybridWorldBarriers: 23007,
  waitTimeouts: 23102,
  /** Versions in which a connection has a stride instead of a flag for rails. */
  strides: 23102,
  memFence: 23102,
  /** Sessions of the compute fabric, and then their counted operations. */
  cft: 23102,
  cftCounted: 23203,
};

export function has(c: CudaEmitContext, feature: DeviceFeature): boolean {
  return c.options.ncclVersion >= since[feature];
}

/**
 * @throws NcclError `NCCLTS_NOT_SUPPORTED` if the installed version lacks the feature; `hint` is
 * the alternative.
 */
export function needs(c: CudaEmitContext, feature: DeviceFeature, what: string, hint = ''): void {
  if (has(c, feature)) return;
  const version = c.options.ncclVersion;
  throw new NcclError(
    'NCCLTS_NOT_SUPPORTED',
    `The kernel '${c.module.name}' uses ${what}, which NCCL ${ncclVersionText(version)} lacks; ` +
      `${ncclVersionText(since[feature])} brings it.${hint === '' ? '' : ` ${hint}`}`,
    { details: { feature, version, since: since[feature] } },
  );
}
