import { NcclError } from '@nccl-ts/core';
import type { DevCommRequirements } from './requirements.ts';
import {
  expectCftCaps,
  expectConnection,
  expectCount,
  expectFlag,
  expectGinType,
  expectInt,
  expectRanks,
  expectTrafficClass,
} from './requirement-values.ts';
import type { ExpectValue } from './requirement-values.ts';

/**
 * A requirement that is a single number, flag or word. The lists of resources and teams have their
 * own structs.
 */
export type RequirementField = Exclude<
  keyof DevCommRequirements,
  'apiVersion' | 'resourceRequirementsList' | 'teamRequirementsList'
>;

/** The values of all of them. */
export type RequirementValues = Required<Pick<DevCommRequirements, RequirementField>>;

/**
 * The facts about a requirement, from which its default, its check, version rules and CUDA's struct
 * are derived.
 */
export interface RequirementFacts<Value> {
  /** The first NCCL version whose struct has the field, in the form of `ncclVersionCode`. */
  readonly since: number;
  /** NCCL's default. */
  readonly default: Value;
  /** Checks a given value. */
  readonly expect: ExpectValue<Value>;
  /** The advice for an older version. @default 'leave it out' */
  readonly instead?: string;
}

/** The first version with device communicators. */
const FIRST = 22803;

/** The type of the table of all requirements. */
export type RequirementTable = {
  readonly [Field in RequirementField]: RequirementFacts<RequirementValues[Field]>;
};

/** All requirements, in the order of NCCL's struct. To add one, add a row here. */
export const requirementTable: RequirementTable = /* @__PURE__ */ Object.freeze<RequirementTable>({
  lsaMultimem: { since: FIRST, default: false, expect: expectFlag },
  barrierCount: { since: 22807, default: 0, expect: expectCount },
  lsaBarrierCount: { since: FIRST, default: 0, expect: expectCount },
  railGinBarrierCount: { since: 22807, default: 0, expect: expectCount },
  worldGinBarrierCount: {
    since: 23003,
    default: 0,
    expect: expectCount,
    instead: 'require barrierCount, and use hybrid barriers over the world in the kernel',
  },
  lsaLLA2ABlockCount: { since: 22807, default: 0, expect: expectCount },
  lsaLLA2ASlotCount: { since: 22807, default: 0, expect: expectCount },
  ginForceEnable: { since: 22807, default: false, expect: expectFlag },
  ginConnectionType: {
    since: 22907,
    default: 'none',
    expect: expectConnection,
    instead: "set ginForceEnable, which means 'full'",
  },
  ginContextCount: { since: 22807, default: 4, expect: expectCount },
  ginSignalCount: { since: 22807, default: 0, expect: expectCount },
  ginCounterCount: { since: 22807, default: 0, expect: expectCount },
  ginExclusiveContexts: { since: 22907, default: false, expect: expectFlag },
  ginQueueDepth: { since: 22907, default: 0, expect: expectCount },
  ginTrafficClass: { since: 23003, default: null, expect: expectTrafficClass },
  ginStrongSignalsRequired: {
    since: 23005,
    default: true,
    expect: expectFlag,
    instead: 'leave it out: all signals are strong',
  },
  ginVaSignalsRequired: { since: 23005, default: true, expect: expectFlag },
  ginCustomStride: {
    since: 23102,
    default: 1,
    expect: /* @__PURE__ */ expectInt(1),
    instead: "use the connection 'full' or 'rail'",
  },
  ginType: {
    since: 23102,
    default: 'none',
    expect: expectGinType,
    instead: 'leave it out: that version has one network',
  },
  cftCaps: { since: 23102, default: 'none', expect: expectCftCaps },
  cftBarrierCount: { since: 23102, default: 0, expect: expectCount },
  // No published header shows its place in the struct.
  ginCustomArray: {
    since: 23206,
    default: null,
    expect: expectRanks,
    instead: "use the connection 'full' or 'customStride'",
  },
});

function isRequirementField(name: string): name is RequirementField {
  return Object.hasOwn(requirementTable, name);
}

/** The names of the table's rows, in order. */
export const requirementFields: readonly RequirementField[] = /* @__PURE__ */ Object.freeze(
  Object.keys(requirementTable).filter(isRequirementField),
);

type Writable<T> = { -readonly [Key in keyof T]?: T[Key] };

/** Returns a value for every requirement, each computed from its row. */
export function mapRequirements(
  valueOf: <Field extends RequirementField>(field: Field, facts: RequirementTable[Field]) => RequirementValues[Field],
): RequirementValues {
  const values: Writable<RequirementValues> = {};
  const fill = <Field extends RequirementField>(field: Field, facts: RequirementTable[Field]): void => {
    values[field] = valueOf(field, facts);
  };
  for (const field of requirementFields) fill(field, requirementTable[field]);
  if (isComplete(values)) return values;
  throw new NcclError('NCCL_INTERNAL_ERROR', 'A requirement has no value.');
}

function isComplete(values: Writable<RequirementValues>): values is RequirementValues {
  return requirementFields.every((field) => values[field] !== undefined);
}
