export { ginTypeCodes } from './comm-properties.ts';
export type { CommProperties, GinType } from './comm-properties.ts';
export { devCommFields, devCommValues } from './dev-comm-values.ts';
export type { DevCommField, DevCommValues } from './dev-comm-values.ts';
export { ginConnectionCodes, isGinConnectionType } from './gin-connection-type.ts';
export type { GinConnectionType } from './gin-connection-type.ts';
export { lsaBarrierBytes, lsaBarrierCreateRequirement } from './lsa-barrier-requirement.ts';
export type { LsaBarrierHandle, LsaBarrierRequirement } from './lsa-barrier-requirement.ts';
export { normalizeDevCommRequirements } from './normalize-requirements.ts';
export { devCommPlanDifference, planDevComm } from './plan-dev-comm.ts';
export type { DevCommPlan, DevResourceHandles, GinBarrierHandle } from './plan-dev-comm.ts';
export { devCommRequirementDefaults } from './requirements.ts';
export type {
  DevCommRequirements,
  DevResourceRequirements,
  NormalDevCommRequirements,
  TeamRequirements,
} from './requirements.ts';
export type { ResourceSupport } from './resource-support.ts';
export { requestedGinConnection, validateDevCommRequirements } from './validate-requirements.ts';
