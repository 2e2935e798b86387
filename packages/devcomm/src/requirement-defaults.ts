import { requirementTable } from './requirement-table.ts';
import type { NormalDevCommRequirements } from './requirements.ts';

/**
 * NCCL's defaults.
 *
 * @see NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER
 */
export const devCommRequirementDefaults: NormalDevCommRequirements = /* @__PURE__ */ Object.freeze({
  apiVersion: null,
  resourceRequirementsList: Object.freeze([]),
  teamRequirementsList: Object.freeze([]),
  lsaMultimem: requirementTable.lsaMultimem.default,
  barrierCount: requirementTable.barrierCount.default,
  lsaBarrierCount: requirementTable.lsaBarrierCount.default,
  railGinBarrierCount: requirementTable.railGinBarrierCount.default,
  worldGinBarrierCount: requirementTable.worldGinBarrierCount.default,
  lsaLLA2ABlockCount: requirementTable.lsaLLA2ABlockCount.default,
  lsaLLA2ASlotCount: requirementTable.lsaLLA2ASlotCount.default,
  ginForceEnable: requirementTable.ginForceEnable.default,
  ginConnectionType: requirementTable.ginConnectionType.default,
  ginContextCount: requirementTable.ginContextCount.default,
  ginSignalCount: requirementTable.ginSignalCount.default,
  ginCounterCount: requirementTable.ginCounterCount.default,
  ginExclusiveContexts: requirementTable.ginExclusiveContexts.default,
  ginQueueDepth: requirementTable.ginQueueDepth.default,
  ginTrafficClass: requirementTable.ginTrafficClass.default,
  ginStrongSignalsRequired: requirementTable.ginStrongSignalsRequired.default,
  ginVaSignalsRequired: requirementTable.ginVaSignalsRequired.default,
  ginCustomStride: requirementTable.ginCustomStride.default,
  ginType: requirementTable.ginType.default,
  ginCustomArray: requirementTable.ginCustomArray.default,
  cftCaps: requirementTable.cftCaps.default,
  cftBarrierCount: requirementTable.cftBarrierCount.default,
});
