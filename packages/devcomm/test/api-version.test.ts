import { NCCL_VERSION } from '@nccl-ts/core';
import type { ErrorCode } from '@nccl-ts/core';
import {
  apiFamily,
  apiRuntime,
  checkGinRail,
  devCommPlanDifference,
  ginBarrierCreateRequirement,
  joinPlans,
  needsRebuild,
  planDevComm,
} from '@nccl-ts/devcomm';
import type { ApiVersionOptions, DevCommPlan, DevCommRequirements, ResourceSupport } from '@nccl-ts/devcomm';
import { createTeam, createTopology } from '@nccl-ts/topology';
import { describe, expect, it } from 'vitest';

const everything: ResourceSupport = { symmetric: true, multimem: true, gin: 'full' };
const topology = createTopology({ ranks: 8, lsaSize: 4 });

function plan(asked: DevCommRequirements, options?: ApiVersionOptions, support = everything): DevCommPlan {
  return planDevComm(asked, topology, support, options);
}

function expectRefusal(code: ErrorCode, message: string | RegExp, action: () => unknown): void {
  let error: unknown;
  try {
    action();
  } catch (caught) {
    error = caught;
  }
  expect(error).toMatchObject({
    code,
    message: typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
  });
}

describe('code built for another version', () => {
  const runtime = { version: 23206, versionCheck: true };

  it.each([
    [23206, 'own'],
    [23200, 'own'],
    [23203, 'own'],
    [23007, '2.30'],
    [23000, '2.30'],
    [23102, '2.31'],
    [22902, '2.29.2'],
    [22903, '2.29.2'],
    [22905, '2.29.5'],
    [22907, '2.29.5'],
  ])('that is version %i runs as %s', (built, family) => {
    expect(apiFamily('kernel k', built, runtime)).toBe(family);
  });

  it.each([22809, 22901, 22904, 22908, 1])('in version %i is refused, because no shim covers it', (built) => {
    expectRefusal(
      'NCCL_INVALID_USAGE',
      /not run: it runs 2\.29\.2 to 2\.29\.3, 2\.29\.5 to 2\.29\.7, 2\.30\.0 to 2\.30\.99, 2\.31\.0 to 2\.31\.99, 2\.32\.0 to 2\.32\.6\. Build it for 2\.32\.6/,
      () => apiFamily('kernel k', built, runtime),
    );
  });

  it('is refused if it is newer, unless the check is off', () => {
    expectRefusal(
      'NCCL_INVALID_USAGE',
      'kernel k is built for the device API of NCCL 2.33.2, which is newer than the NCCL 2.32.6 that runs. Run a newer ' +
        'NCCL, or build for 2.32.6 (apiVersion 23206); versionCheck: false runs it unchecked.',
      () => apiFamily('kernel k', 23302, runtime),
    );
    expect(apiFamily('kernel k', 23302, { ...runtime, versionCheck: false })).toBe('own');
    expectRefusal('NCCL_INVALID_USAGE', 'does not run', () =>
      apiFamily('kernel k', 22809, { ...runtime, versionCheck: false }),
    );
  });

  it('belongs to its own version family under an older NCCL, even one of the first', () => {
    expect(apiFamily('k', 22906, { version: 22907, versionCheck: true })).toBe('own');
    expect(apiFamily('k', 22902, { version: 22907, versionCheck: true })).toBe('2.29.2');
    expect(apiFamily('k', 22803, { version: 22803, versionCheck: true })).toBe('own');
    expectRefusal('NCCL_INVALID_USAGE', 'it runs only its own version', () =>
      apiFamily('k', 22803, { version: 22807, versionCheck: true }),
    );
    expectRefusal('NCCL_INVALID_USAGE', 'which is newer than the NCCL', () =>
      apiFamily('k', 22907, { version: 22903, versionCheck: true }),
    );
  });

  it("is compared with the ranks' version, by default that of the packages", () => {
    expect(apiRuntime(everything)).toEqual({ version: NCCL_VERSION.code, versionCheck: true });
    expect(apiRuntime({ ...everything, ncclVersion: 22809 }, { versionCheck: false })).toEqual({
      version: 22809,
      versionCheck: false,
    });
  });

  it('must be recompiled if it uses GIN', () => {
    expect(needsRebuild("kernel 'k'", 22907, 'gin.put', runtime)).toMatchObject({
      code: 'NCCL_INVALID_USAGE',
      message: expect.stringContaining(
        "kernel 'k' is built for the device API of NCCL 2.29.7 and uses GIN (gin.put), which NCCL 2.32.6 does not run",
      ),
      details: { built: 22907, runtime: 23206, uses: 'gin.put' },
    });
  });
});

describe('requirements of another version', () => {
  it("set the device communicator's version", () => {
    expect(plan({}).apiVersion).toBe(NCCL_VERSION.code);
    expect(plan({}, undefined, { ...everything, ncclVersion: 22809 }).apiVersion).toBe(22809);
    expect(plan({ apiVersion: 22907, lsaBarrierCount: 2 }).apiVersion).toBe(22907);
    expect(plan({ apiVersion: 23302 }, { versionCheck: false }).apiVersion).toBe(23302);
  });

  it('are refused as in NCCL', () => {
    expectRefusal(
      'NCCL_INVALID_USAGE',
      'A device communicator as required is built for the device API of NCCL 2.33.2',
      () => plan({ apiVersion: 23302 }),
    );
    expectRefusal('NCCL_INVALID_USAGE', 'it runs 2.29.2 to', () => plan({ apiVersion: 22809 }));
    expectRefusal('NCCL_INVALID_ARGUMENT', 'apiVersion (2.29.7 is 22907) must be an integer', () =>
      plan({ apiVersion: 2.29 }),
    );
  });

  it.each([22902, 22907, 23003, 23007, 23102])(
    'built for version %i may use load-store memory and multimem',
    (apiVersion) => {
      const made = plan({ apiVersion, lsaBarrierCount: 3, lsaMultimem: true, resourceRequirementsList: [{}] });
      expect(made.lsaBarrier.nBarriers).toBe(3);
      expect(made.requirements.lsaMultimem).toBe(true);
    },
  );

  it.each<DevCommRequirements>([
    { apiVersion: 22902, ginForceEnable: true },
    { apiVersion: 22902, ginSignalCount: 1 },
    { apiVersion: 22903, ginForceEnable: true, ginCounterCount: 1 },
    { apiVersion: 22902, resourceRequirementsList: [ginBarrierCreateRequirement(createTeam(2, 0, 1), 1).requirement] },
    { apiVersion: 22907, ginForceEnable: true, barrierCount: 4 },
    { apiVersion: 22907, ginConnectionType: 'rail', railGinBarrierCount: 4 },
    { apiVersion: 22907, ginConnectionType: 'full', resourceRequirementsList: [{ ginSignalCount: 1 }] },
    { apiVersion: 23007, ginConnectionType: 'full' },
    { apiVersion: 23007, ginConnectionType: 'rail', railGinBarrierCount: 4 },
    { apiVersion: 23007, ginForceEnable: true, ginSignalCount: 1 },
    { apiVersion: 23102, ginConnectionType: 'full', worldGinBarrierCount: 1 },
  ])('must be recompiled for GIN: %j', (asked) => {
    expectRefusal('NCCL_INVALID_USAGE', /uses GIN .*Recompile it for 2\.32\.6 \(apiVersion 23206\)\.$/, () =>
      plan(asked),
    );
    // A backend of this version accepts it.
    const { apiVersion } = asked;
    const old: ResourceSupport = { ...everything, ncclVersion: apiVersion ?? 0 };
    const connected = asked.ginConnectionType === undefined ? { ginForceEnable: true } : {};
    expect(plan({ ...asked, ...connected }, undefined, old).ginConnection).not.toBe('none');
  });

  it('of 2.29.7 are refused if they lack a connection, as current ones are', () => {
    expectRefusal('NCCL_INVALID_ARGUMENT', 'ginSignalCount 1 need GIN', () =>
      plan({ apiVersion: 22907, ginSignalCount: 1 }),
    );
  });

  it('of 2.29.2 that request hybrid barriers get LSA barriers, which kernels can use as either', () => {
    const made = plan({ apiVersion: 22902, barrierCount: 5, lsaBarrierCount: 2, railGinBarrierCount: 3 });
    expect(made.lsaBarrier).toEqual({ bufHandle: 0, nBarriers: 5 });
    expect(made.hybridLsaBarrier).toEqual(made.lsaBarrier);
    expect(made).toMatchObject({ ginConnection: 'none', ginSignalCount: 0 });
    expect(plan({ apiVersion: 22902, lsaBarrierCount: 9, barrierCount: 5 }).lsaBarrier.nBarriers).toBe(9);
  });

  it('of 2.32 do not run on 2.30, with or without GIN', () => {
    const support: ResourceSupport = { ...everything, ncclVersion: 23007 };
    for (const asked of [{ lsaBarrierCount: 1 }, { ginConnectionType: 'full' }] as const) {
      expectRefusal('NCCL_INVALID_USAGE', 'NCCL 2.32.3, which is newer than the NCCL 2.30.7 that runs', () =>
        plan({ ...asked, apiVersion: 23203 }, undefined, support),
      );
    }
  });

  it('may have the form from before 2.30: hybrid barriers for the world, ginForceEnable for a full connection', () => {
    const runsOld: ResourceSupport = { ...everything, ncclVersion: 22903 };
    for (const [asked, support] of [
      [{ barrierCount: 16, ginSignalCount: 16, ginForceEnable: true }, everything],
      [{ barrierCount: 16, ginSignalCount: 16, ginForceEnable: true, apiVersion: 22903 }, runsOld],
    ] as const) {
      const made = plan(asked, undefined, support);
      expect(made.ginConnection).toBe('full');
      expect(made.hybridLsaBarrier.nBarriers).toBe(16);
      expect(made.hybridRailGinBarrier.signal0 - made.hybridWorldGinBarrier.signal0).toBe(16 * 8);
    }
  });

  it.each<readonly [DevCommRequirements, string]>([
    [
      { apiVersion: 23002, worldGinBarrierCount: 1, ginConnectionType: 'full' },
      'worldGinBarrierCount came with NCCL 2.30.3, and the requirements are for 2.30.2; given 1. For that version require ' +
        'barrierCount, and use hybrid barriers over the world in the kernel.',
    ],
    [{ apiVersion: 22906, ginConnectionType: 'full' }, "set ginForceEnable, which means 'full'."],
    [{ apiVersion: 22902, ginQueueDepth: 4 }, 'ginQueueDepth came with NCCL 2.29.7'],
    [{ apiVersion: 23003, ginStrongSignalsRequired: false }, 'leave it out: all signals are strong.'],
  ])('may not have fields of later versions: %j', (asked, message) => {
    expectRefusal('NCCL_INVALID_ARGUMENT', message, () => plan(asked));
  });

  it("are checked before the ranks' support, as in NCCL", () => {
    const poor: ResourceSupport = { symmetric: false, multimem: false, gin: 'none' };
    expectRefusal('NCCL_INVALID_USAGE', 'which is newer than the NCCL', () =>
      plan({ apiVersion: 23302 }, undefined, poor),
    );
  });
});

describe('a connection with a stride', () => {
  const strided = (ginCustomStride: number, more: DevCommRequirements = {}): DevCommRequirements => ({
    ginConnectionType: 'customStride',
    ginCustomStride,
    ...more,
  });

  it.each([
    [1, { worldGinBarrierCount: 2, barrierCount: 1 }],
    [2, { railGinBarrierCount: 2 }],
    [4, { railGinBarrierCount: 1, barrierCount: 3 }],
  ])('of %i ranks is planned', (stride, more) => {
    expect(plan(strided(stride, more))).toMatchObject({ ginConnection: 'customStride', ginContextStride: stride });
  });

  it('has the strides of the other connections', () => {
    const strides = (['none', 'full', 'rail'] as const).map(
      (ginConnectionType) => plan({ ginConnectionType, ginCustomStride: 2 }).ginContextStride,
    );
    expect(strides).toEqual([0, 1, 4]);
  });

  it.each<readonly [ErrorCode, DevCommRequirements, string]>([
    ['NCCL_INVALID_ARGUMENT', strided(3), 'ginCustomStride must divide 4, the size of the load-store domain; given 3.'],
    ['NCCL_INVALID_ARGUMENT', strided(8), 'must divide 4'],
    ['NCCL_INVALID_ARGUMENT', strided(0), 'ginCustomStride must be an integer'],
    [
      'NCCLTS_NOT_SUPPORTED',
      strided(2, { barrierCount: 1 }),
      'barrierCount 1 needs barriers over a connection of stride 2',
    ],
    ['NCCLTS_NOT_SUPPORTED', strided(4, { worldGinBarrierCount: 1 }), 'worldGinBarrierCount 1 needs barriers'],
  ])('is refused with %s: %j', (code, asked, message) => {
    expectRefusal(code, message, () => plan(asked));
  });

  it("is refused if the ranks reach only their rail, unless it is the rail's connection", () => {
    const railed: ResourceSupport = { ...everything, gin: 'rail' };
    expectRefusal('NCCL_INVALID_ARGUMENT', 'ginCustomStride 2 asks for GIN between rails', () =>
      plan(strided(2), undefined, railed),
    );
    expect(plan(strided(4), undefined, railed).ginContextStride).toBe(4);
  });

  it('is refused for a version before 2.31', () => {
    const support: ResourceSupport = { ...everything, ncclVersion: 23007 };
    expectRefusal('NCCL_INVALID_ARGUMENT', "ginConnectionType 'customStride' came with NCCL 2.31.2", () =>
      plan(strided(1, { apiVersion: 23007 }), undefined, support),
    );
    expectRefusal('NCCL_INVALID_ARGUMENT', 'ginCustomStride came with NCCL 2.31.2', () =>
      plan({ ginCustomStride: 2, apiVersion: 23007 }, undefined, support),
    );
  });
});

describe('a connection of lists of ranks', () => {
  const listed = (ginCustomArray: readonly number[] | null, more: DevCommRequirements = {}): DevCommRequirements => ({
    ginConnectionType: 'customArray',
    ginCustomArray,
    ...more,
  });

  it('connects the ranks that list each other', () => {
    const lists = [[0, 1, 2], [0], [0, 1, 2], [2]];
    const joined = joinPlans(lists.map((list) => plan(listed(list))));
    expect(joined).toMatchObject({ ginConnection: 'customArray', ginContextStride: -1 });
    expect(joined.ginPeers?.slice(0, 4)).toEqual([[0, 1, 2], [0], [0, 2], []]);
  });

  it('may have other lists on other ranks, and nothing else', () => {
    expect(devCommPlanDifference(plan(listed([0])), plan(listed([1, 2])))).toBeUndefined();
    expect(devCommPlanDifference(plan(listed([0])), plan(listed([0], { ginSignalCount: 1 })))).toContain(
      'ginSignalCount',
    );
  });

  it('ignores the list of another connection', () => {
    const full = plan({ ginConnectionType: 'full', ginCustomArray: [0] });
    expect(full.ginContextStride).toBe(1);
    expect(joinPlans([full])).toBe(full);
  });

  it.each<readonly [ErrorCode, DevCommRequirements, string]>([
    ['NCCL_INVALID_ARGUMENT', listed(null), 'needs a list of ranks; pass it as ginCustomArray'],
    ['NCCL_INVALID_ARGUMENT', listed([0, 99]), 'ginCustomArray[1] must be a rank from 0 to 7; given 99.'],
    ['NCCL_INVALID_ARGUMENT', listed([1, 1]), 'ginCustomArray[1] must be a rank that the list does not have yet'],
    ['NCCL_INVALID_ARGUMENT', listed([-1]), 'ginCustomArray[0] must be an integer'],
    ['NCCLTS_NOT_SUPPORTED', listed([0], { barrierCount: 1 }), 'barrierCount 1 needs barriers over lists'],
    ['NCCLTS_NOT_SUPPORTED', listed([0], { railGinBarrierCount: 2 }), 'railGinBarrierCount 2 needs barriers'],
  ])('is refused with %s: %j', (code, asked, message) => {
    expectRefusal(code, message, () => plan(asked));
  });

  it('is refused for a rank of another rail, if the ranks reach only their rail', () => {
    const railed: ResourceSupport = { ...everything, gin: 'rail' };
    expectRefusal('NCCL_INVALID_ARGUMENT', 'ginCustomArray of rank 1 asks for GIN to rank 0, on another rail', () =>
      checkGinRail(plan(listed([5, 0]), undefined, railed), 1, railed),
    );
    expect(() => checkGinRail(plan(listed([5, 1]), undefined, railed), 1, railed)).not.toThrow();
  });

  it('is refused for a version before 2.32.6', () => {
    expectRefusal('NCCL_INVALID_ARGUMENT', "ginConnectionType 'customArray' came with NCCL 2.32.6", () =>
      plan(listed([0], { apiVersion: 23203 })),
    );
    expectRefusal('NCCL_INVALID_ARGUMENT', 'ginCustomArray came with NCCL 2.32.6', () =>
      plan({ ginCustomArray: [0], apiVersion: 23203 }),
    );
  });
});
