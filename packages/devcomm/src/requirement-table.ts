import type { DevCommRequirements } from './requirements.ts';

/**
 * A requirement that is a single number, flag or word. The lists of resources and teams have their
 * own structs.
 */
export type RequirementField = Exclude<
  keyof DevCommRequirements,
  'apiVersion' | 'resourceRequirementsList' | 'teamRequirementsList'
>;

/**
 * The facts about a requirement, from which its default, version rules and CUDA's struct are
 * derived.
 */
export interface RequirementFacts<Value> {
  /** The first NCCL version whose struct has the field, in the form of `ncclVersionCode`. */
  readonly since: number;
  /** NCCL's default. */
  readonly default: Value;
  /** The advice for an older version. @default 'leave it out' */
  readonly instead?: string;
}

/** The first version with device communicators. */
const FIRST = 22803;

/**
 * All requirements, in the order of NCCL's struct. To add one, add a row here, and a check in
 * `normalize-requirements.ts`.
 */
export const requirementTable: {
  readonly [Field in RequirementField]: RequirementFacts<Required<DevCommRequirements>[Field]>;
} = Object.freeze({
  lsaMultimem: { since: FIRST, default: false },
  barrierCount: { since: 22807, default: 0 },
  lsaBarrierCount: { since: FIRST, default: 0 },
  railGinBarrierCount: { since: 22807, default: 0 },
  worldGinBarrierCount: {
    since: 23003,
    default: 0,
    instead: 'require barrierCount, and use hybrid barriers over the world in the kernel',
  },
  lsaLLA2ABlockCount: { since: 22807, default: 0 },
  lsaLLA2ASlotCount: { since: 22807, default: 0 },
  ginForceEnable: { since: 22807, default: false },
  ginConnectionType: { since: 22907, default: 'none', instead: "set ginForceEnable, which means 'full'" },
  ginContextCount: { since: 22807, default: 4 },
  ginSignalCount: { since: 22807, default: 0 },
  ginCounterCount: { since: 22807, default: 0 },
  ginExclusiveContexts: { since: 22907, default: false },
  ginQueueDepth: { since: 22907, default: 0 },
  ginTrafficClass: { since: 23003, default: null },
  ginStrongSignalsRequired: { since: 23005, default: true, instead: 'leave it out: all signals are strong' },
  ginVaSignalsRequired: { since: 23005, default: true },
  ginCustomStride: {
    since: 23102,
    default: 1,
    instead: "use the connection 'full' or 'rail'",
  },
  ginType: { since: 23102, default: 'none', instead: 'leave it out: that version has one network' },
  cftCaps: { since: 23102, default: 'none' },
  cftBarrierCount: { since: 23102, default: 0 },
  // No published header shows its place in the struct.
  ginCustomArray: { since: 23206, default: null, instead: "use the connection 'full' or 'customStride'" },
});

function isRequirementField(name: string): name is RequirementField {
  return Object.hasOwn(requirementTable, name);
}

/** The names of the table's rows, in order. */
export const requirementFields: readonly RequirementField[] = /* @__PURE__ */ Object.freeze(
  Object.keys(requirementTable).filter(isRequirementField),
);
