import { NcclError } from '@nccl-ts/core';
import type { FieldExpression } from '@nccl-ts/ir';
import type { CudaEmitContext } from './context.ts';
import { has, needs, type GinFeature } from './gin-versions.ts';

/**
 * The text for each field of a handle, in any version or in the current one. `$` is replaced by the
 * handle.
 */
const fields: Readonly<Record<string, Readonly<Record<string, string | ((c: CudaEmitContext) => string)>>>> = {
  DevComm: {
    rank: '$.rank',
    nRanks: '$.nRanks',
    lsaRank: '$.lsaRank',
    lsaSize: '$.lsaSize',
    ginContextCount: '(unsigned int)$.ginContextCount',
    ginContextsRailed: railed,
    ginContextStride: '$.ginContextStride',
    'lsaBarrier.bufHandle': '$.lsaBarrier.bufHandle',
    'lsaBarrier.nBarriers': '$.lsaBarrier.nBarriers',
    'hybridLsaBarrier.bufHandle': '$.hybridLsaBarrier.bufHandle',
    'hybridLsaBarrier.nBarriers': '$.hybridLsaBarrier.nBarriers',
    'worldGinBarrier.signal0': '(unsigned int)$.worldGinBarrier.signal0',
    'railGinBarrier.signal0': '(unsigned int)$.railGinBarrier.signal0',
    'hybridWorldGinBarrier.signal0': (c) =>
      `(unsigned int)$.${has(c, 'strides') ? 'hybridDenseGinBarrier' : 'hybridWorldGinBarrier'}.signal0`,
    'hybridRailGinBarrier.signal0': '(unsigned int)$.hybridRailGinBarrier.signal0',
    'lsaMultimem.mcBasePtr': 'reinterpret_cast<unsigned long long>($.lsaMultimem.mcBasePtr)',
    cftRank: '$.cftRank',
    cftSize: '$.cftSize',
    cftMultimemRank: '$.cftMultimemRank',
    cftMultimemSize: '$.cftMultimemSize',
    resourceWindow: '$.resourceWindow',
  },
  Window: {
    lsaRank: '$->lsaRank',
    worldRank: '$->worldRank',
  },
};

/** Fields that are newer than their structure. */
const features: Readonly<Record<string, GinFeature>> = {
  ginContextCount: 'gin',
  ginContextStride: 'strides',
  cftRank: 'cft',
  cftSize: 'cft',
  cftMultimemRank: 'cft',
  cftMultimemSize: 'cft',
  'railGinBarrier.signal0': 'gin',
  'worldGinBarrier.signal0': 'worldBarriers',
  'hybridRailGinBarrier.signal0': 'hybridRailBarriers',
  'hybridWorldGinBarrier.signal0': 'hybridWorldBarriers',
};

/**
 * Before there were rail connections, every context reached all ranks. With strides, a connection
 * of all ranks has stride 1.
 */
function railed(c: CudaEmitContext): string {
  if (has(c, 'strides')) return '($.ginContextStride != 1)';
  if (has(c, 'railedContexts')) return '$.ginContextsRailed';
  return has(c, 'railedConnections') ? '$.ginIsRailed' : 'false';
}

/**
 * Returns a field of `base`.
 *
 * @throws NcclError `NCCLTS_NOT_SUPPORTED` for values that NCCL's device structures do not have.
 */
export function fieldText(e: FieldExpression, base: string, c: CudaEmitContext): string {
  const handle = e.base.type.kind === 'handle' ? e.base.type.name : '';
  const spelling = fields[handle]?.[e.field];
  if (spelling === undefined)
    throw new NcclError('NCCLTS_NOT_SUPPORTED', `On CUDA a kernel cannot read ${handle}.${e.field}.`);
  const feature = handle === 'DevComm' ? features[e.field] : undefined;
  if (feature !== undefined) needs(c, feature, `${handle}.${e.field}`);
  const text = typeof spelling === 'string' ? spelling : spelling(c);
  return text.replace('$', base);
}
