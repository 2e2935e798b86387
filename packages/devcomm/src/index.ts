export { apiFamily, apiRuntime, needsRebuild } from './api-version.ts';
export type { ApiFamily, ApiRuntime, ApiVersionOptions } from './api-version.ts';
export { cftBarrierHandle } from './cft-barrier-handle.ts';
export type { CftBarrierHandle } from './cft-barrier-handle.ts';
export { cftCapsCodes, isCftCaps } from './cft-caps.ts';
export type { CftCaps } from './cft-caps.ts';
export { ginTypeCodes, isGinType } from './comm-properties.ts';
export type { CommProperties, GinType } from './comm-properties.ts';
export { devCommFields, devCommValues } from './dev-comm-values.ts';
export type { DevCommField, DevCommValues } from './dev-comm-values.ts';
export { findWindow, windowOffset } from './find-window.ts';
export { ginBarrierCreateRequirement, ginBarrierForms, ginBarrierSignals } from './gin-barrier-requirement.ts';
export type { GinBarrierForm, GinBarrierHandle, GinBarrierRequirement } from './gin-barrier-requirement.ts';
export { ginState } from './gin-state.ts';
export type { GinState, GinWord } from './gin-state.ts';
export {
  ginConnectionCodes,
  ginConnectionTypes,
  ginReaches,
  isGinConnectionType,
  isGinReach,
} from './gin-connection-type.ts';
export type { GinConnectionType, GinReach } from './gin-connection-type.ts';
export { checkGinRail, joinPlans } from './gin-peers.ts';
export { llA2ABytes, llA2ACalcSlots, llA2ACreateRequirement } from './ll-a2a-requirement.ts';
export type { LLA2AHandle, LLA2ARequirement } from './ll-a2a-requirement.ts';
export { lsaBarrierBytes, lsaBarrierCreateRequirement } from './lsa-barrier-requirement.ts';
export type { LsaBarrierHandle, LsaBarrierRequirement } from './lsa-barrier-requirement.ts';
export { normalizeDevCommRequirements } from './normalize-requirements.ts';
export { expectGroup } from './expect-group.ts';
export { acquireOrder, releaseOrder } from './order-halves.ts';
export { waitInTime } from './wait-in-time.ts';
export { devCommPlanDifference, planDevComm } from './plan-dev-comm.ts';
export type { DevCommPlan, DevResourceHandles } from './plan-dev-comm.ts';
export { requirementFields, requirementTable } from './requirement-table.ts';
export type { RequirementFacts, RequirementField, RequirementTable, RequirementValues } from './requirement-table.ts';
export type { ExpectValue } from './requirement-values.ts';
export { devCommRequirementDefaults } from './requirement-defaults.ts';
export type {
  DevCommRequirements,
  DevResourceRequirements,
  NormalDevCommRequirements,
  TeamRequirements,
} from './requirements.ts';
export { ginTypesOf } from './resource-support.ts';
export type { ResourceSupport } from './resource-support.ts';
export { requestedGinConnection, validateDevCommRequirements } from './validate-requirements.ts';
export { window, windowParam } from './window.ts';
export type { KernelWindow, Window, WindowArg } from './window.ts';
export { devComm, devCommParam, ginBarrierHandle, llA2AHandle, lsaBarrierHandle } from './dev-comm.ts';
export type { DevComm, DevCommArg, KernelDevComm } from './dev-comm.ts';
export { team } from './team.ts';
export {
  teamInnerFactor,
  teamLsa,
  teamOuterFactor,
  teamRail,
  teamRankInDifference,
  teamRankIsMember,
  teamRankToLsa,
  teamRankToTeam,
  teamRankToWorld,
  teamWorld,
} from './team-functions.ts';
export {
  resourceBuffer,
  resourceBufferOffset,
  resourceLocalPointer,
  resourceLsaPointer,
  resourcePeerPointer,
} from './resource-pointer.ts';
export { resourceLsaMultimemPointer, resourceMultimemPointer } from './resource-multimem-pointer.ts';
export { multicastAdd } from './multicast-add.ts';
export { multimemHandle } from './multimem-handle.ts';
export type { MultimemHandle } from './multimem-handle.ts';
export { symPtr } from './sym-ptr-param.ts';
export type { SymPtr, SymPtrArg } from './sym-ptr-param.ts';
