import { NcclError, ncclVersionText, showValue } from '@nccl-ts/core';
import type { GinConnectionType } from './gin-connection-type.ts';
import { apiFamily, needsRebuild, type ApiRuntime } from './api-version.ts';
import { requirementFields, requirementTable, type RequirementField } from './requirement-table.ts';
import type { NormalDevCommRequirements } from './requirements.ts';

/**
 * Converts requirements for the version in `requirements.apiVersion` to those of the runtime.
 *
 * @throws NcclError `NCCL_INVALID_USAGE` like `apiFamily`, and if they require GIN in the form of
 *   another family; `NCCL_INVALID_ARGUMENT` for a field that their version lacks.
 */
export function requirementsForRuntime(
  requirements: NormalDevCommRequirements,
  runtime: ApiRuntime,
): NormalDevCommRequirements {
  const { apiVersion } = requirements;
  if (apiVersion === null) return requirements;
  const what = 'A device communicator as required';
  const family = apiFamily(what, apiVersion, runtime);
  checkFields(requirements, apiVersion);
  switch (family) {
    case 'own':
      return requirements;
    case '2.29.2': {
      const uses = ginUses(requirements, ['ginForceEnable', 'ginSignalCount', 'ginCounterCount']);
      if (uses !== undefined) throw needsRebuild(what, apiVersion, uses, runtime);
      // In that version, a hybrid barrier was primarily an LSA barrier, and used GIN only if GIN
      // was requested.
      const lsaBarrierCount = Math.max(requirements.lsaBarrierCount, requirements.barrierCount);
      return Object.freeze({ ...requirements, lsaBarrierCount, barrierCount: 0, railGinBarrierCount: 0 });
    }
    case '2.29.5': {
      const isConnected = requirements.ginForceEnable || requirements.ginConnectionType !== 'none';
      const counts = ['ginSignalCount', 'ginCounterCount', 'barrierCount', 'railGinBarrierCount'] as const;
      const uses = isConnected ? ginUses(requirements, counts) : undefined;
      if (uses !== undefined) throw needsRebuild(what, apiVersion, uses, runtime);
      return requirements;
    }
    case '2.30':
    case '2.31': {
      const uses = ginUses(requirements, ['ginForceEnable', 'ginConnectionType']);
      if (uses !== undefined) throw needsRebuild(what, apiVersion, uses, runtime);
      return requirements;
    }
  }
}

/**
 * True if kernels of the version in `requirements.apiVersion` use LSA barriers for the LSA part of
 * hybrid barriers.
 */
export function sharesLsaBarriers({ apiVersion }: NormalDevCommRequirements, runtime: ApiRuntime): boolean {
  return apiVersion !== null && apiFamily('requirements', apiVersion, runtime) === '2.29.2';
}

function ginUses(requirements: NormalDevCommRequirements, fields: readonly RequirementField[]): string | undefined {
  const field = fields.find((name) => requirements[name] !== requirementTable[name].default);
  if (field !== undefined) return `${field} ${showValue(requirements[field])}`;
  const node = requirements.resourceRequirementsList.findIndex(
    ({ ginSignalCount, ginCounterCount }) => ginSignalCount > 0 || ginCounterCount > 0,
  );
  return node < 0 ? undefined : `resourceRequirementsList[${node}]`;
}

function checkFields(requirements: NormalDevCommRequirements, apiVersion: number): void {
  checkConnection(requirements.ginConnectionType, apiVersion);
  for (const field of requirementFields) {
    const { since, instead = 'leave it out', default: otherwise } = requirementTable[field];
    const given = requirements[field];
    if (apiVersion >= since || given === otherwise) continue;
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `Cannot create a device communicator: ${field} came with NCCL ${ncclVersionText(since)}, and the requirements are for ` +
        `${ncclVersionText(apiVersion)}; given ${showValue(given)}. For that version ${instead}.`,
      { details: { what: field, given, since, apiVersion } },
    );
  }
}

/** The requirement that came together with a newer connection type. */
const connectionFields = { customStride: 'ginCustomStride', customArray: 'ginCustomArray' } as const;

/** Checks the connection type, because some of its values are newer than the field. */
function checkConnection(given: GinConnectionType, apiVersion: number): void {
  if (given !== 'customStride' && given !== 'customArray') return;
  const { since, instead } = requirementTable[connectionFields[given]];
  if (apiVersion >= since) return;
  throw new NcclError(
    'NCCL_INVALID_ARGUMENT',
    `Cannot create a device communicator: ginConnectionType '${given}' came with NCCL ${ncclVersionText(since)}, and ` +
      `the requirements are for ${ncclVersionText(apiVersion)}. For that version ${instead ?? 'leave it out'}.`,
    { details: { what: 'ginConnectionType', given, since, apiVersion } },
  );
}
