import { describe, expect, it } from 'vitest';

import { isNcclError } from '@nccl-ts/core';
import type { ErrorCode } from '@nccl-ts/core';
import {
  cftCapsCodes,
  devCommRequirementDefaults,
  ginConnectionCodes,
  isGinReach,
  ginTypeCodes,
  normalizeDevCommRequirements,
  requestedGinConnection,
  validateDevCommRequirements,
} from '@nccl-ts/devcomm';
import type { DevCommRequirements, ResourceSupport } from '@nccl-ts/devcomm';
import { createTeam } from '@nccl-ts/topology';

const everything: ResourceSupport = { symmetric: true, multimem: true, gin: 'full' };

function expectRefusal(code: ErrorCode, message: string, action: () => unknown): void {
  let error: unknown;
  try {
    action();
  } catch (caught) {
    error = caught;
  }
  expect(error).toMatchObject({ code, message });
  expect(isNcclError(error)).toBe(true);
}

/** Requirements that only untyped JavaScript can pass. */
function untyped(requirements: object): DevCommRequirements {
  return requirements;
}

describe('endpoints of the compute fabric', () => {
  const cft: ResourceSupport = { ...everything, cft: 'cft' };

  it('are refused if the ranks have fewer, and before NCCL 2.31', () => {
    expect(validateDevCommRequirements({ cftCaps: 'cft' }, cft).cftCaps).toBe('cft');
    expectRefusal(
      'NCCL_INVALID_ARGUMENT',
      "Cannot create a device communicator: cftCaps 'cftMultimem' asks for logical endpoints that these ranks do not have; allowed is 'cft' or 'none'.",
      () => validateDevCommRequirements({ cftCaps: 'cftMultimem' }, cft),
    );
    expectRefusal(
      'NCCL_INVALID_ARGUMENT',
      "Cannot create a device communicator: cftCaps 'cft' asks for logical endpoints that these ranks do not have; allowed is 'none'.",
      () => validateDevCommRequirements({ cftCaps: 'cft' }, everything),
    );
    expectRefusal(
      'NCCL_INVALID_ARGUMENT',
      'Cannot create a device communicator: cftCaps came with NCCL 2.31.2, and the requirements are for 2.30.7; given "cft". For that version leave it out.',
      () => validateDevCommRequirements({ cftCaps: 'cft', apiVersion: 23007 }, cft),
    );
    expectRefusal('NCCL_INVALID_ARGUMENT', 'cftCaps must be one of none, cft, cftMultimem; given "fabric".', () =>
      normalizeDevCommRequirements(untyped({ cftCaps: 'fabric' })),
    );
  });

  it("are stored in NCCL's bits", () => {
    expect(cftCapsCodes).toEqual({ none: 0, cft: 1, cftMultimem: 3 });
  });
});

describe('normalizeDevCommRequirements', () => {
  it("fills in NCCL's defaults", () => {
    expect(normalizeDevCommRequirements({})).toEqual(devCommRequirementDefaults);
    expect(normalizeDevCommRequirements({})).toMatchObject({
      ginContextCount: 4,
      ginConnectionType: 'none',
      ginTrafficClass: null,
      ginStrongSignalsRequired: true,
      ginVaSignalsRequired: true,
      lsaBarrierCount: 0,
    });
  });

  it('keeps the given values, and copies and freezes them', () => {
    const resource = { bufferSize: 100 };
    const given: DevCommRequirements = {
      lsaBarrierCount: 16,
      ginTrafficClass: 3,
      resourceRequirementsList: [resource],
      teamRequirementsList: [{ team: createTeam(2, 1, 1) }],
    };
    const normal = normalizeDevCommRequirements(given);
    resource.bufferSize = 7;
    expect(normal.resourceRequirementsList).toEqual([
      { bufferSize: 100, bufferAlign: 0, ginSignalCount: 0, ginCounterCount: 0 },
    ]);
    expect(normal.teamRequirementsList).toEqual([{ team: { nRanks: 2, rank: 1, stride: 1 }, multimem: false }]);
    expect(normal).toMatchObject({ lsaBarrierCount: 16, ginTrafficClass: 3 });
    for (const part of [normal, normal.resourceRequirementsList, normal.resourceRequirementsList[0]]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
    expect(normalizeDevCommRequirements(normal)).toEqual(normal);
    expect(JSON.parse(JSON.stringify(normal))).toEqual(normal);
  });

  it('treats undefined as absent', () => {
    expect(normalizeDevCommRequirements(untyped({ barrierCount: undefined }))).toEqual(devCommRequirementDefaults);
  });

  it.each<readonly [object, string]>([
    [{ lsaBarrierCount: -1 }, 'lsaBarrierCount must be an integer from 0 to 2147483647; given -1.'],
    [{ ginSignalCount: 1.5 }, 'ginSignalCount must be an integer from 0 to 2147483647; given 1.5.'],
    [{ barrierCount: '4' }, 'barrierCount must be an integer from 0 to 2147483647; given "4".'],
    [{ barrierCount: null }, 'barrierCount must be an integer from 0 to 2147483647; given null.'],
    [{ barrierCount: 2 ** 31 }, 'barrierCount must be an integer from 0 to 2147483647; given 2147483648.'],
    [{ lsaMultimem: 1 }, 'lsaMultimem must be true or false; given 1.'],
    [
      { ginConnectionType: 1 },
      'ginConnectionType must be one of none, full, rail, customStride, customArray; given 1.',
    ],
    [{ ginType: 2 }, 'ginType must be one of none, proxy, gdaki, gpi, efaGda; given 2.'],
    [{ ginCustomArray: 3 }, 'ginCustomArray must be an array; given 3.'],
    [{ ginTrafficClass: 0.5 }, 'ginTrafficClass must be an integer from -2147483647 to 2147483647; given 0.5.'],
    [{ resourceRequirementsList: 3 }, 'resourceRequirementsList must be an array; given 3.'],
    [{ resourceRequirementsList: [{}, 4] }, 'resourceRequirementsList[1] must be an object; given 4.'],
    [
      { resourceRequirementsList: [{ bufferAlign: 48 }] },
      'resourceRequirementsList[0].bufferAlign must be 0 or a power of two; given 48.',
    ],
    [
      { resourceRequirementsList: [{ size: 48 }] },
      'resourceRequirementsList[0] has no field "size"; its fields are bufferSize, bufferAlign, ginSignalCount, ginCounterCount.',
    ],
    [{ teamRequirementsList: [{}] }, 'teamRequirementsList[0].team must be an object; given undefined.'],
    [
      { teamRequirementsList: [{ team: { nRanks: 2, rank: 0 } }] },
      'teamRequirementsList[0].team must be a team { nRanks, rank, stride }; given {"nRanks":2,"rank":0}.',
    ],
    [
      { teamRequirementsList: [{ team: { nRanks: 2, rank: 2, stride: 1 } }] },
      'rank of a team must be an integer from 0 to 1; given 2.',
    ],
  ])('refuses %j', (given, message) => {
    expectRefusal('NCCL_INVALID_ARGUMENT', message, () => normalizeDevCommRequirements(untyped(given)));
  });

  it('refuses unknown fields, and names the known ones', () => {
    expect(() => normalizeDevCommRequirements(untyped({ lsaBarriers: 1 }))).toThrow(
      /^requirements has no field "lsaBarriers"; its fields are .*lsaBarrierCount.*\.$/,
    );
    expect(() => normalizeDevCommRequirements(untyped(Object.fromEntries([['__proto__', 1]])))).toThrow(
      'no field "__proto__"',
    );
    expect(() => normalizeDevCommRequirements(untyped([]))).toThrow(
      'requirements must be an object; given an array of 0.',
    );
  });
});

describe('validateDevCommRequirements', () => {
  it('accepts requirements that can be met', () => {
    const all: DevCommRequirements = {
      ginConnectionType: 'full',
      barrierCount: 1,
      worldGinBarrierCount: 1,
      railGinBarrierCount: 1,
      ginSignalCount: 1,
      ginCounterCount: 1,
      lsaMultimem: true,
    };
    expect(validateDevCommRequirements(all, everything)).toEqual(normalizeDevCommRequirements(all));
    const nothing: ResourceSupport = { symmetric: true, multimem: false, gin: 'none' };
    expect(validateDevCommRequirements({ lsaBarrierCount: 16 }, nothing).lsaBarrierCount).toBe(16);
    const rail: DevCommRequirements = { ginConnectionType: 'rail' };
    expect(validateDevCommRequirements(rail, { ...everything, gin: 'rail' })).toEqual(
      normalizeDevCommRequirements(rail),
    );
  });

  it('requires symmetric memory', () => {
    expectRefusal(
      'NCCL_INVALID_USAGE',
      'Cannot create a device communicator: A device communicator needs symmetric memory, which these ranks do not have.',
      () => validateDevCommRequirements({}, { ...everything, symmetric: false }),
    );
  });

  it.each<readonly [DevCommRequirements, string]>([
    [{ barrierCount: 2 }, 'barrierCount 2'],
    [{ ginSignalCount: 1, ginCounterCount: 3 }, 'ginSignalCount 1, ginCounterCount 3'],
    [{ railGinBarrierCount: 1 }, 'railGinBarrierCount 1'],
    [{ worldGinBarrierCount: 1 }, 'worldGinBarrierCount 1'],
    [{ resourceRequirementsList: [{}, { ginSignalCount: 4 }] }, 'resourceRequirementsList[1].ginSignalCount 4'],
    [{ resourceRequirementsList: [{ ginCounterCount: 5 }] }, 'resourceRequirementsList[0].ginCounterCount 5'],
  ])('refuses %j without a connection', (requirements, asks) => {
    expectRefusal(
      'NCCL_INVALID_ARGUMENT',
      `Cannot create a device communicator: ${asks} need GIN; given ginConnectionType 'none', allowed are 'full' and 'rail'.`,
      () => validateDevCommRequirements(requirements, everything),
    );
    const forced = { ...requirements, ginForceEnable: true };
    expect(validateDevCommRequirements(forced, everything)).toEqual(normalizeDevCommRequirements(forced));
  });

  it.each<readonly [DevCommRequirements, ResourceSupport, string]>([
    [
      { ginConnectionType: 'rail' },
      { ...everything, gin: 'none' },
      "ginConnectionType 'rail' needs GIN on every rank, which these ranks do not have; allowed is 'none'.",
    ],
    [
      { ginConnectionType: 'full' },
      { ...everything, gin: 'rail' },
      "ginConnectionType 'full' asks for GIN to all ranks; these ranks reach only their rail, allowed are 'rail' and 'none'.",
    ],
    [
      { ginForceEnable: true, ginConnectionType: 'rail' },
      { ...everything, gin: 'rail' },
      "ginForceEnable asks for GIN to all ranks; these ranks reach only their rail, allowed are 'rail' and 'none'.",
    ],
    [
      { ginConnectionType: 'rail', worldGinBarrierCount: 3 },
      everything,
      "World GIN barriers need ginConnectionType 'full'; given worldGinBarrierCount 3 and ginConnectionType 'rail'.",
    ],
    [
      { ginConnectionType: 'full', ginContextCount: 0 },
      everything,
      "ginContextCount must be at least 1 with ginConnectionType 'full'; given 0.",
    ],
    [
      { ginConnectionType: 'full', ginType: 'gdaki' },
      everything,
      "ginType 'gdaki' asks for a network that these ranks do not have; allowed are 'proxy' and 'none', which accepts any.",
    ],
    [
      { ginConnectionType: 'rail', ginType: 'proxy' },
      { ...everything, ginType: 'gdaki', ginTypes: ['gdaki', 'efaGda'] },
      "ginType 'proxy' asks for a network that these ranks do not have; allowed are 'gdaki', 'efaGda' and 'none', which accepts any.",
    ],
    [
      { lsaMultimem: true },
      { ...everything, multimem: false },
      'lsaMultimem asks for multicast addresses, which these ranks do not have; given true, allowed is false.',
    ],
    [
      { teamRequirementsList: [{ team: createTeam(2, 0, 1) }, { team: createTeam(2, 0, 1), multimem: true }] },
      { ...everything, multimem: false },
      'teamRequirementsList[1].multimem asks for multicast addresses, which these ranks do not have; given true, allowed is false.',
    ],
  ])('refuses %j with a connection of %j', (requirements, support, message) => {
    expectRefusal('NCCL_INVALID_ARGUMENT', `Cannot create a device communicator: ${message}`, () =>
      validateDevCommRequirements(requirements, support),
    );
  });

  it.each(['ginStrongSignals', 'ginVaSignals'] as const)('refuses to omit %s if they are required', (kind) => {
    const support = { ...everything, [kind]: false };
    expect(() => validateDevCommRequirements({ ginConnectionType: 'full' }, support)).toThrow(
      `${kind}Required asks for`,
    );
    const without: DevCommRequirements = { ginConnectionType: 'full', [`${kind}Required`]: false };
    expect(validateDevCommRequirements(without, support)[`${kind}Required`]).toBe(false);
    // Without a connection, no signals are needed.
    expect(validateDevCommRequirements({}, support)).toEqual(normalizeDevCommRequirements({}));
  });

  it('accepts a type of GIN that the ranks have, and any without a connection', () => {
    const support: ResourceSupport = { ...everything, ginType: 'gdaki', ginTypes: ['gdaki', 'proxy'] };
    for (const ginType of ['none', 'gdaki', 'proxy'] as const) {
      expect(validateDevCommRequirements({ ginConnectionType: 'full', ginType }, support).ginType).toBe(ginType);
    }
    expect(validateDevCommRequirements({ ginType: 'gpi' }, support).ginType).toBe('gpi');
  });

  it('treats ginForceEnable as a full connection', () => {
    const of = (requirements: DevCommRequirements): string =>
      requestedGinConnection(normalizeDevCommRequirements(requirements));
    expect(of({ ginForceEnable: true, ginConnectionType: 'rail' })).toBe('full');
    expect(of({ ginConnectionType: 'rail' })).toBe('rail');
    expect(of({})).toBe('none');
  });
});

it("encodes GIN with NCCL's integers", () => {
  expect(ginConnectionCodes).toEqual({ none: 0, full: 1, rail: 2, customStride: 3 });
  expect(ginTypeCodes).toEqual({ none: 0, proxy: 2, gdaki: 3, gpi: 4, efaGda: 5 });
});

it('a custom connection is not a connection that ranks report', () => {
  expect(['none', 'full', 'rail', 'customStride', 'customArray', 1].filter(isGinReach)).toEqual([
    'none',
    'full',
    'rail',
  ]);
});
