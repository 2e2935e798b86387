import { expectInteger, NcclError, showValue } from '@nccl-ts/core';
import { createTeam } from '@nccl-ts/topology';
import type { Team } from '@nccl-ts/topology';
import { cftCapsCodes, isCftCaps } from './cft-caps.ts';
import type { CftCaps } from './cft-caps.ts';
import { ginTypeCodes, isGinType } from './comm-properties.ts';
import type { GinType } from './comm-properties.ts';
import { ginConnectionTypes, isGinConnectionType } from './gin-connection-type.ts';
import type { GinConnectionType } from './gin-connection-type.ts';
import { devCommRequirementDefaults } from './requirement-defaults.ts';
import type {
  DevCommRequirements,
  DevResourceRequirements,
  NormalDevCommRequirements,
  TeamRequirements,
} from './requirements.ts';

const largestInt = 2 ** 31 - 1;

/**
 * Fills in the defaults, and returns a frozen copy. An undefined field counts as absent. It does
 * not check that the requirements can be met: see `validateDevCommRequirements`.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for an unknown field or a value of the wrong type or
 *   range.
 */
export function normalizeDevCommRequirements(requirements: DevCommRequirements): NormalDevCommRequirements {
  const fields = fieldsOf('requirements', requirements, { ...devCommRequirementDefaults });
  const count = (name: CountField): number => expectCount(name, fields[name]);
  const flag = (name: FlagField): boolean => expectFlag(name, fields[name]);
  return Object.freeze({
    apiVersion: expectVersion(fields['apiVersion']),
    resourceRequirementsList: normalList(
      'resourceRequirementsList',
      fields['resourceRequirementsList'],
      normalResource,
    ),
    teamRequirementsList: normalList('teamRequirementsList', fields['teamRequirementsList'], normalTeam),
    lsaMultimem: flag('lsaMultimem'),
    barrierCount: count('barrierCount'),
    lsaBarrierCount: count('lsaBarrierCount'),
    railGinBarrierCount: count('railGinBarrierCount'),
    worldGinBarrierCount: count('worldGinBarrierCount'),
    lsaLLA2ABlockCount: count('lsaLLA2ABlockCount'),
    lsaLLA2ASlotCount: count('lsaLLA2ASlotCount'),
    ginForceEnable: flag('ginForceEnable'),
    ginConnectionType: expectConnection(fields['ginConnectionType']),
    ginContextCount: count('ginContextCount'),
    ginSignalCount: count('ginSignalCount'),
    ginCounterCount: count('ginCounterCount'),
    ginExclusiveContexts: flag('ginExclusiveContexts'),
    ginQueueDepth: count('ginQueueDepth'),
    ginTrafficClass: expectTrafficClass(fields['ginTrafficClass']),
    ginStrongSignalsRequired: flag('ginStrongSignalsRequired'),
    ginVaSignalsRequired: flag('ginVaSignalsRequired'),
    ginCustomStride: expectInteger('ginCustomStride', fields['ginCustomStride'], 1, largestInt),
    ginType: expectGinType(fields['ginType']),
    ginCustomArray: normalArray(fields['ginCustomArray']),
    cftCaps: expectCftCaps(fields['cftCaps']),
    cftBarrierCount: count('cftBarrierCount'),
  });
}

type FieldsOfType<T> = {
  [K in keyof NormalDevCommRequirements]: NormalDevCommRequirements[K] extends T ? K : never;
}[keyof NormalDevCommRequirements];
type CountField = FieldsOfType<number>;
type FlagField = FieldsOfType<boolean>;

const resourceDefaults: Required<DevResourceRequirements> = Object.freeze({
  bufferSize: 0,
  bufferAlign: 0,
  ginSignalCount: 0,
  ginCounterCount: 0,
});

function normalResource(what: string, given: unknown): Required<DevResourceRequirements> {
  const fields = fieldsOf(what, given, resourceDefaults);
  return Object.freeze({
    bufferSize: expectInteger(`${what}.bufferSize`, fields['bufferSize'], 0),
    bufferAlign: expectAlign(`${what}.bufferAlign`, fields['bufferAlign']),
    ginSignalCount: expectCount(`${what}.ginSignalCount`, fields['ginSignalCount']),
    ginCounterCount: expectCount(`${what}.ginCounterCount`, fields['ginCounterCount']),
  });
}

function normalTeam(what: string, given: unknown): Required<TeamRequirements> {
  const fields = fieldsOf(what, given, { team: undefined, multimem: false });
  return Object.freeze({
    team: expectTeam(`${what}.team`, fields['team']),
    multimem: expectFlag(`${what}.multimem`, fields['multimem']),
  });
}

function normalList<T>(what: string, given: unknown, normal: (what: string, node: unknown) => T): readonly T[] {
  if (!Array.isArray(given)) throw invalid(what, 'an array', given);
  return Object.freeze(given.map((node: unknown, index) => normal(`${what}[${index}]`, node)));
}

/** The list must have distinct ranks. The topology decides which ranks there are. */
function normalArray(given: unknown): readonly number[] | null {
  if (given === null) return null;
  const ranks = normalList('ginCustomArray', given, (what, rank) => expectInteger(what, rank, 0, largestInt));
  const again = ranks.findIndex((rank, i) => ranks.indexOf(rank) < i);
  if (again < 0) return ranks;
  throw invalid(`ginCustomArray[${again}]`, 'a rank that the list does not have yet', ranks[again]);
}

/**
 * Returns the fields of `given`, which must all exist in `known`. An undefined field takes the
 * value in `known`.
 */
function fieldsOf(
  what: string,
  given: unknown,
  known: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw invalid(what, 'an object', given);
  const fields: Record<string, unknown> = { ...known };
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(known, name)) {
      const names = Object.keys(known).join(', ');
      throw new NcclError(
        'NCCL_INVALID_ARGUMENT',
        `${what} has no field ${showValue(name)}; its fields are ${names}.`,
        {
          details: { what, given: name },
        },
      );
    }
    if (value !== undefined) fields[name] = value;
  }
  return fields;
}

function expectCount(what: string, given: unknown): number {
  return expectInteger(what, given, 0, largestInt);
}

function expectFlag(what: string, given: unknown): boolean {
  if (typeof given === 'boolean') return given;
  throw invalid(what, 'true or false', given);
}

function expectConnection(given: unknown): GinConnectionType {
  if (isGinConnectionType(given)) return given;
  throw invalid('ginConnectionType', `one of ${ginConnectionTypes.join(', ')}`, given);
}

function expectGinType(given: unknown): GinType {
  if (isGinType(given)) return given;
  throw invalid('ginType', `one of ${Object.keys(ginTypeCodes).join(', ')}`, given);
}

function expectCftCaps(given: unknown): CftCaps {
  if (isCftCaps(given)) return given;
  throw invalid('cftCaps', `one of ${Object.keys(cftCapsCodes).join(', ')}`, given);
}

function expectVersion(given: unknown): number | null {
  return given === null ? null : expectInteger('apiVersion (2.29.7 is 22907)', given, 1, largestInt);
}

function expectTrafficClass(given: unknown): number | null {
  return given === null ? null : expectInteger('ginTrafficClass', given, -largestInt, largestInt);
}

function expectAlign(what: string, given: unknown): number {
  const align = expectInteger(what, given, 0);
  if (align === 0 || 2 ** Math.round(Math.log2(align)) === align) return align;
  throw invalid(what, '0 or a power of two', given);
}

function expectTeam(what: string, given: unknown): Team {
  const { nRanks, rank, stride } = fieldsOf(what, given, { nRanks: undefined, rank: undefined, stride: undefined });
  if (typeof nRanks === 'number' && typeof rank === 'number' && typeof stride === 'number') {
    return createTeam(nRanks, rank, stride);
  }
  throw invalid(what, 'a team { nRanks, rank, stride }', given);
}

function invalid(what: string, allowed: string, given: unknown): NcclError {
  return new NcclError('NCCL_INVALID_ARGUMENT', `${what} must be ${allowed}; given ${showValue(given)}.`, {
    details: { what, given },
  });
}
