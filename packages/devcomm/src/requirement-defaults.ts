import { mapRequirements } from './requirement-table.ts';
import type { NormalDevCommRequirements } from './requirements.ts';

/**
 * NCCL's defaults.
 *
 * @see NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER
 */
export const devCommRequirementDefaults: NormalDevCommRequirements = /* @__PURE__ */ requirementDefaults();

function requirementDefaults(): NormalDevCommRequirements {
  return Object.freeze({
    apiVersion: null,
    resourceRequirementsList: Object.freeze([]),
    teamRequirementsList: Object.freeze([]),
    ...mapRequirements((_, row) => row.default),
  });
}
