import { NcclError } from '@nccl-ts/core';
import type { FieldExpression } from '@nccl-ts/ir';
import type { CudaEmitContext } from './context.ts';
import { has, needs, type DeviceFeature } from './first-versions.ts';

/** A field of a handle: the first version that has it, and its text, in which `$` is the handle. */
type HandleField = readonly [since: DeviceFeature, text: string | ((c: CudaEmitContext) => string)];

const fields: Readonly<Record<string, Readonly<Record<string, HandleField>>>> = {
  DevComm: {
    rank: ['deviceApi', '$.rank'],
    nRanks: ['deviceApi', '$.nRanks'],
    lsaRank: ['deviceApi', '$.lsaRank'],
    lsaSize: ['deviceApi', '$.lsaSize'],
    ginContextCount: ['gin', '(unsigned int)$.ginContextCount'],
    ginContextsRailed: ['deviceApi', railed],
    ginContextStride: ['strides', '$.ginContextStride'],
    'lsaBarrier.bufHandle': ['deviceApi', '$.lsaBarrier.bufHandle'],
    'lsaBarrier.nBarriers': ['deviceApi', '$.lsaBarrier.nBarriers'],
    'hybridLsaBarrier.bufHandle': ['hybridLsaBarriers', '$.hybridLsaBarrier.bufHandle'],
    'hybridLsaBarrier.nBarriers': ['hybridLsaBarriers', '$.hybridLsaBarrier.nBarriers'],
    'worldGinBarrier.signal0': ['worldBarriers', '(unsigned int)$.worldGinBarrier.signal0'],
    'railGinBarrier.signal0': ['gin', '(unsigned int)$.railGinBarrier.signal0'],
    'hybridWorldGinBarrier.signal0': [
      'hybridWorldBarriers',
      (c) => `(unsigned int)$.${has(c, 'strides') ? 'hybridDenseGinBarrier' : 'hybridWorldGinBarrier'}.signal0`,
    ],
    'hybridRailGinBarrier.signal0': ['hybridRailBarriers', '(unsigned int)$.hybridRailGinBarrier.signal0'],
    'lsaMultimem.mcBasePtr': ['deviceApi', 'reinterpret_cast<unsigned long long>($.lsaMultimem.mcBasePtr)'],
    cftRank: ['cft', '$.cftRank'],
    cftSize: ['cft', '$.cftSize'],
    cftMultimemRank: ['cft', '$.cftMultimemRank'],
    cftMultimemSize: ['cft', '$.cftMultimemSize'],
    resourceWindow: ['deviceApi', '$.resourceWindow'],
  },
  Window: {
    lsaRank: ['deviceApi', '$->lsaRank'],
    worldRank: ['deviceApi', '$->worldRank'],
  },
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
 * @throws NcclError `NCCLTS_NOT_SUPPORTED` for values that NCCL's device structures do not have, or
 *   not in this version.
 */
export function fieldText(e: FieldExpression, base: string, c: CudaEmitContext): string {
  const handle = e.base.type.kind === 'handle' ? e.base.type.name : '';
  const known = fields[handle]?.[e.field];
  if (known === undefined)
    throw new NcclError('NCCLTS_NOT_SUPPORTED', `On CUDA a kernel cannot read ${handle}.${e.field}.`);
  const [since, spelling] = known;
  needs(c, since, `${handle}.${e.field}`);
  const text = typeof spelling === 'string' ? spelling : spelling(c);
  return text.replace('$', base);
}
