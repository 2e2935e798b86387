import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  devComm,
  devCommFields,
  devCommPlanDifference,
  devCommValues,
  ginBarrierCreateRequirement,
  ginBarrierSignals,
  lsaBarrierBytes,
  lsaBarrierCreateRequirement,
  planDevComm,
} from '@nccl-ts/devcomm';
import type { DevCommRequirements, ResourceSupport } from '@nccl-ts/devcomm';
import type { ParamTypes } from '@nccl-ts/kernel';
import { createTeam, createTopology, teamLsa } from '@nccl-ts/topology';

const everything: ResourceSupport = { symmetric: true, multimem: true, gin: 'full' };
const topology = createTopology({ ranks: 8, lsaSize: 4 });

describe('lsaBarrierCreateRequirement', () => {
  it("requires NCCL's bytes", () => {
    expect(lsaBarrierBytes(8, 16)).toBe(4 * (3 * 16 + 16 * 8));
    const { requirement, handleOf } = lsaBarrierCreateRequirement(createTeam(4, 1, 1), 16);
    expect(requirement).toEqual({ bufferSize: 448, bufferAlign: 4, ginSignalCount: 0, ginCounterCount: 0 });
    expect(handleOf({ bufHandle: 9 })).toEqual({ bufHandle: 9, nBarriers: 16 });
  });

  it('refuses a number that is not a count', () => {
    expect(() => lsaBarrierCreateRequirement(createTeam(4, 1, 1), -1)).toThrow('nBarriers must be an integer from 0');
  });

  it('gets its handle from the plan', () => {
    const mine = lsaBarrierCreateRequirement(teamLsa(topology, 0), 2);
    const plan = planDevComm(
      { lsaBarrierCount: 16, resourceRequirementsList: [mine.requirement] },
      topology,
      everything,
    );
    expect(plan.lsaBarrier).toEqual({ bufHandle: 0, nBarriers: 16 });
    expect(plan.resources.map(mine.handleOf)).toEqual([{ bufHandle: 4, nBarriers: 2 }]);
  });
});

describe('ginBarrierCreateRequirement', () => {
  it('requires a signal for each rank and barrier', () => {
    expect(ginBarrierSignals(8, 3)).toBe(24);
    expect(ginBarrierSignals(8, 3, 'signalEfficient')).toBe(6);
    // The network's choice is not known when the requirement is created.
    expect(ginBarrierCreateRequirement(createTeam(1, 0, 1), 3).requirement.ginSignalCount).toBe(6);
    const { requirement, handleOf } = ginBarrierCreateRequirement(createTeam(2, 0, 4), 16);
    expect(requirement).toEqual({ bufferSize: 0, bufferAlign: 0, ginSignalCount: 32, ginCounterCount: 0 });
    expect(handleOf({ ginSignalStart: 7 })).toEqual({ signal0: 7 });
  });

  it('refuses numbers that are not counts, and more signals than an int can count', () => {
    expect(() => ginBarrierCreateRequirement(createTeam(4, 1, 1), -1)).toThrow('nBarriers must be an integer from 0');
    expect(() => ginBarrierCreateRequirement(createTeam(4, 1, 1), 2 ** 29)).toThrow('from 0 to 536870911');
  });

  it('gets its handle from the plan, and requires GIN', () => {
    const mine = ginBarrierCreateRequirement(createTeam(8, 0, 1), 2);
    const asked: DevCommRequirements = { ginSignalCount: 3, resourceRequirementsList: [mine.requirement] };
    expect(() => planDevComm(asked, topology, everything)).toThrow('resourceRequirementsList[0].ginSignalCount 16');
    const plan = planDevComm({ ...asked, ginConnectionType: 'full' }, topology, everything);
    expect(plan.resources.map(mine.handleOf)).toEqual([{ signal0: 3 }]);
    expect(plan.ginSignalCount).toBe(19);
  });
});

describe('planDevComm', () => {
  it('plans the LSA barriers of a simple kernel', () => {
    const plan = planDevComm({ lsaBarrierCount: 16 }, createTopology({ ranks: 4 }), everything);
    expect(plan).toMatchObject({
      lsaBarrier: { bufHandle: 0, nBarriers: 16 },
      hybridLsaBarrier: { nBarriers: 0 },
      ginConnection: 'none',
      ginContextCount: 0,
      ginSignalCount: 0,
      ginCounterCount: 0,
      resources: [],
      resourceBytes: 512,
    });
  });

  it('needs no memory without requirements', () => {
    expect(planDevComm({}, topology, everything).resourceBytes).toBe(0);
  });

  it("numbers signals in NCCL's order", () => {
    const plan = planDevComm(
      {
        ginConnectionType: 'full',
        ginSignalCount: 5,
        ginCounterCount: 2,
        barrierCount: 3,
        railGinBarrierCount: 4,
        worldGinBarrierCount: 1,
        lsaBarrierCount: 1,
        ginContextCount: 2,
        resourceRequirementsList: [
          { bufferSize: 100, ginSignalCount: 7, ginCounterCount: 1 },
          { bufferSize: 1, bufferAlign: 1024, ginCounterCount: 6 },
        ],
      },
      topology,
      everything,
    );
    // User 5, world 1 x 8, rail 4 x 2, hybrid world 3 x 8, hybrid rail 3 x 2, list.
    expect(plan.worldGinBarrier.signal0).toBe(5);
    expect(plan.railGinBarrier.signal0).toBe(13);
    expect(plan.hybridWorldGinBarrier.signal0).toBe(21);
    expect(plan.hybridRailGinBarrier.signal0).toBe(45);
    expect(plan.ginSignalCount).toBe(58);
    expect(plan.ginListSignalStart).toBe(51);
    expect(plan.ginCounterCount).toBe(9);
    // One LSA barrier of 28 bytes, three of 84 at 128, then the list.
    expect(plan.lsaBarrier).toEqual({ bufHandle: 0, nBarriers: 1 });
    expect(plan.hybridLsaBarrier).toEqual({ bufHandle: 1, nBarriers: 3 });
    expect(plan.resources).toEqual([
      { bufHandle: 2, ginSignalStart: 51, ginCounterStart: 2 },
      { bufHandle: 8, ginSignalStart: 58, ginCounterStart: 3 },
    ]);
    expect(plan.ginSignalShadowsOffset).toBe(1152);
    expect(plan.resourceBytes).toBe(1152 + 2 * 58 * 8);
  });

  it('gives hybrid barriers no world signals with a rail connection', () => {
    const plan = planDevComm({ ginConnectionType: 'rail', barrierCount: 3, ginContextCount: 1 }, topology, everything);
    expect(plan.hybridRailGinBarrier.signal0).toBe(0);
    expect(plan.ginSignalCount).toBe(6);
    expect(plan.ginConnection).toBe('rail');
  });

  it('is plain, frozen data', () => {
    const plan = planDevComm(
      { lsaBarrierCount: 3, resourceRequirementsList: [{ bufferSize: 1 }] },
      topology,
      everything,
    );
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
    for (const part of [plan, plan.requirements, plan.lsaBarrier, plan.resources, plan.resources[0], plan.topology]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it('validates before it plans', () => {
    expect(() => planDevComm({ barrierCount: 1 }, topology, everything)).toThrow('barrierCount 1 need GIN');
  });

  it('refuses teams that do not fit', () => {
    const plan = (team: DevCommRequirements['teamRequirementsList']) => () =>
      planDevComm({ teamRequirementsList: team ?? [] }, topology, everything);
    expect(plan([{ team: createTeam(8, 0, 1) }, { team: createTeam(4, 0, 1), multimem: true }])).not.toThrow();
    expect(plan([{ team: createTeam(4, 0, 3) }])).toThrow(
      'teamRequirementsList[0].team must lie within 8 neighbouring ranks; given 4 ranks with stride 3, which span 10.',
    );
    expect(plan([{ team: createTeam(2, 0, 4), multimem: true }])).toThrow(
      'must lie within 4 neighbouring ranks, its load-store domain; given 2 ranks with stride 4, which span 5.',
    );
  });

  it('refuses more signals than there are ids', () => {
    expect(() =>
      planDevComm({ ginConnectionType: 'full', worldGinBarrierCount: 2 ** 29 }, topology, everything),
    ).toThrow('at most 2147483647 GIN signals in a context; given asks for 4294967296 in all.');
  });

  const count = fc.nat(20);
  const node = fc.record({
    bufferSize: fc.nat(5000),
    bufferAlign: fc.constantFrom(0, 1, 4, 256, 4096),
    ginSignalCount: count,
    ginCounterCount: count,
  });
  const requirements = fc.record({
    ginConnectionType: fc.constantFrom('full' as const, 'rail' as const),
    barrierCount: count,
    lsaBarrierCount: count,
    railGinBarrierCount: count,
    ginSignalCount: count,
    ginCounterCount: count,
    ginContextCount: fc.integer({ min: 1, max: 8 }),
    resourceRequirementsList: fc.array(node, { maxLength: 4 }),
  });

  it('gives every requirement its own memory, signals and counters', () => {
    fc.assert(
      fc.property(requirements, fc.constantFrom(1, 2, 4), (asked, lsaSize) => {
        const place = createTopology({ ranks: 8, lsaSize });
        const plan = planDevComm(asked, place, everything);
        const world = asked.ginConnectionType === 'full' ? 8 : 0;
        const bytes = [
          [plan.lsaBarrier.bufHandle, lsaBarrierBytes(lsaSize, asked.lsaBarrierCount)],
          [plan.hybridLsaBarrier.bufHandle, lsaBarrierBytes(lsaSize, asked.barrierCount)],
          ...plan.resources.map(({ bufHandle }, i) => [bufHandle, asked.resourceRequirementsList[i]?.bufferSize ?? 0]),
        ].map(([handle = 0, size = 0]) => [handle * 128, size] as const);
        expectApart(
          [...bytes, [plan.ginSignalShadowsOffset, asked.ginContextCount * plan.ginSignalCount * 8]],
          plan.resourceBytes,
        );
        const signals = [
          [0, asked.ginSignalCount],
          [plan.railGinBarrier.signal0, asked.railGinBarrierCount * place.nLsaTeams],
          [plan.hybridWorldGinBarrier.signal0, asked.barrierCount * world],
          [plan.hybridRailGinBarrier.signal0, asked.barrierCount * place.nLsaTeams],
          ...plan.resources.map((at, i) => [at.ginSignalStart, asked.resourceRequirementsList[i]?.ginSignalCount ?? 0]),
        ].map(([start = 0, size = 0]) => [start, size] as const);
        expectApart(signals, plan.ginSignalCount);
        expect(signals.reduce((sum, [, size]) => sum + size, 0)).toBe(plan.ginSignalCount);
        const counters = plan.resources.map(
          (at, i) => [at.ginCounterStart, asked.resourceRequirementsList[i]?.ginCounterCount ?? 0] as const,
        );
        expectApart([[0, asked.ginCounterCount], ...counters], plan.ginCounterCount);
      }),
      { seed: 9 },
    );
  });
});

/** Checks that ranges [start, start + size) neither overlap nor pass `end`. */
function expectApart(ranges: readonly (readonly [number, number])[], end: number): void {
  const used = ranges.filter(([, size]) => size > 0).sort(([a], [b]) => a - b);
  used.forEach(([start, size], i) => expect(start + size).toBeLessThanOrEqual(used[i + 1]?.[0] ?? end));
}

describe('devCommPlanDifference', () => {
  const asked: DevCommRequirements = { lsaBarrierCount: 8, resourceRequirementsList: [{ bufferSize: 1 }] };

  it('finds no difference between equal requirements', () => {
    const on = (rank: number) =>
      planDevComm({ ...asked, teamRequirementsList: [{ team: teamLsa(topology, rank) }] }, topology, everything);
    expect(devCommPlanDifference(on(0), on(3))).toBeUndefined();
  });

  it.each<readonly [DevCommRequirements, string]>([
    [{ ...asked, lsaBarrierCount: 16 }, 'requirements.lsaBarrierCount: 8 / 16'],
    [
      { lsaBarrierCount: 8 },
      'requirements.resourceRequirementsList.0: {"bufferSize":1,"bufferAlign":0,"ginSignalCount":0,"ginCounterCount":0} / undefined',
    ],
    [
      { ...asked, resourceRequirementsList: [{ bufferSize: 1 }, {}] },
      'requirements.resourceRequirementsList.1: undefined / {"bufferSize":0,"bufferAlign":0,"ginSignalCount":0,"ginCounterCount":0}',
    ],
    [
      { ...asked, resourceRequirementsList: [{ bufferSize: 2 }] },
      'requirements.resourceRequirementsList.0.bufferSize: 1 / 2',
    ],
  ])('names the first field that differs for %j', (other, difference) => {
    const a = planDevComm(asked, topology, everything);
    expect(devCommPlanDifference(a, planDevComm(other, topology, everything))).toBe(difference);
  });
});

describe('devCommValues', () => {
  it('has a value of the right type for every field', () => {
    const plan = planDevComm(
      { ginConnectionType: 'full', barrierCount: 2, lsaBarrierCount: 16, lsaMultimem: true },
      topology,
      everything,
    );
    const values = devCommValues(plan, topology, 6, 0x40000);
    expect(Object.keys(values)).toEqual(Object.keys(devCommFields));
    expect(values).toEqual({
      rank: 6,
      nRanks: 8,
      lsaRank: 2,
      lsaSize: 4,
      ginContextCount: 4,
      'lsaMultimem.mcBasePtr': 0x40000,
      'lsaBarrier.bufHandle': 0,
      'lsaBarrier.nBarriers': 16,
      'hybridLsaBarrier.bufHandle': 4,
      'hybridLsaBarrier.nBarriers': 2,
      'worldGinBarrier.signal0': 0,
      'railGinBarrier.signal0': 0,
      'hybridWorldGinBarrier.signal0': 0,
      'hybridRailGinBarrier.signal0': 16,
      ginSignalCount: 20,
      ginListSignalStart: 20,
      ginCounterCount: 0,
      ginSignalShadowsOffset: 640,
      ginContextsRailed: 0,
      ginContextStride: 1,
      ginStrongLegacySignals: 1,
      cftRank: 0,
      cftSize: 0,
      cftMultimemRank: 0,
      cftMultimemSize: 0,
      'cftBarrier.bufHandle': 5,
      'cftBarrier.nBarriers': 0,
      'cftMultimemBarrier.bufHandle': 5,
      'cftMultimemBarrier.nBarriers': 0,
      ginSignalEfficientBarriers: 0,
    });
    const fabric = devCommValues(
      planDevComm({ cftCaps: 'cftMultimem' }, topology, { ...everything, cft: 'cftMultimem' }),
      topology,
      6,
    );
    expect([fabric.cftRank, fabric.cftSize, fabric.cftMultimemRank, fabric.cftMultimemSize]).toEqual([6, 8, 2, 4]);
  });

  it('places CFT barriers before the resources of the list, those of multicast endpoints only if asked for', () => {
    const everyCft = { ...everything, cft: 'cftMultimem' } as const;
    const list = { cftBarrierCount: 3, resourceRequirementsList: [{ bufferSize: 4 }] };
    const placed = (['none', 'cft', 'cftMultimem'] as const).map((cftCaps) => {
      const plan = planDevComm({ ...list, cftCaps }, topology, everyCft);
      const { cftBarrier, cftMultimemBarrier, resources } = plan;
      return [cftBarrier, cftMultimemBarrier, resources[0]?.bufHandle];
    });
    // 3 barriers over 8 ranks take 120 bytes, and over 4 ranks 72.
    expect(placed).toEqual([
      [{ bufHandle: 0, nBarriers: 0 }, { bufHandle: 0, nBarriers: 0 }, 0],
      [{ bufHandle: 0, nBarriers: 3 }, { bufHandle: 1, nBarriers: 0 }, 1],
      [{ bufHandle: 0, nBarriers: 3 }, { bufHandle: 1, nBarriers: 3 }, 2],
    ]);
  });

  it('has every number that kernels can read', () => {
    const known: Readonly<Record<string, string>> = devCommFields;
    const leaves = (fields: ParamTypes, path = ''): readonly (readonly [string, string])[] =>
      Object.entries(fields).flatMap(([name, type]) => {
        if (type.kind === 'scalar') return [[`${path}${name}`, type.scalar] as const];
        return type.kind === 'struct' ? leaves(type.fields, `${path}${name}.`) : [];
      });
    const read = leaves(devComm.fields);
    expect(read).toContainEqual(['hybridRailGinBarrier.signal0', 'u32']);
    for (const [name, kind] of read) expect([name, known[name]]).toEqual([name, kind]);
  });

  it('refuses ranks outside the topology', () => {
    const plan = planDevComm({}, topology, everything);
    expect(() => devCommValues(plan, topology, 8)).toThrow('rank must be an integer from 0 to 7; given 8.');
  });
});
