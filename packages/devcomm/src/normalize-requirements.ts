import { expectInteger, NcclError, showValue } from '@nccl-ts/core';
import { createTeam } from '@nccl-ts/topology';
import type { Team } from '@nccl-ts/topology';
import { devCommRequirementDefaults } from './requirement-defaults.ts';
import { mapRequirements } from './requirement-table.ts';
import { expectCount, expectFlag, expectInt, expectList, invalid } from './requirement-values.ts';
import type { ExpectValue } from './requirement-values.ts';
import type {
  DevCommRequirements,
  DevResourceRequirements,
  NormalDevCommRequirements,
  TeamRequirements,
} from './requirements.ts';

/**
 * Fills in the defaults, and returns a frozen copy. An undefined field counts as absent. It does
 * not check that the requirements can be met: see `validateDevCommRequirements`.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for an unknown field or a value of the wrong type or
 *   range.
 */
export function normalizeDevCommRequirements(requirements: DevCommRequirements): NormalDevCommRequirements {
  const fields = fieldsOf('requirements', requirements, { ...devCommRequirementDefaults });
  const list = <T>(name: string, expectItem: ExpectValue<T>): readonly T[] =>
    expectList(name, fields[name], expectItem);
  return Object.freeze({
    apiVersion: expectVersion(fields['apiVersion']),
    resourceRequirementsList: list('resourceRequirementsList', normalResource),
    teamRequirementsList: list('teamRequirementsList', normalTeam),
    ...mapRequirements((field, row) => row.expect(field, fields[field])),
  });
}

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

function expectVersion(given: unknown): number | null {
  return given === null ? null : expectInt(1)('apiVersion (2.29.7 is 22907)', given);
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
