import { llA2ABytes, llA2ACalcSlots, llA2ACreateRequirement, planDevComm } from '@nccl-ts/devcomm';
import { createTopology } from '@nccl-ts/topology';
import { describe, expect, it } from 'vitest';

describe('llA2ACalcSlots', () => {
  it.each([
    [5, 0, 0],
    [5, 1, 5],
    [5, 8, 5],
    [5, 9, 10],
    [5, 16, 10],
    [7, 32, 28],
    [0, 32, 0],
  ])('returns %i slots for %i values of %i bytes', (maxElts, maxEltSize, slots) => {
    expect(llA2ACalcSlots(maxElts, maxEltSize)).toBe(slots);
  });

  it('refuses numbers that are not counts', () => {
    expect(() => llA2ACalcSlots(-1, 8)).toThrow('maxElts must be an integer from 0');
    expect(() => llA2ACalcSlots(1, 0.5)).toThrow('maxEltSize must be an integer from 0');
  });
});

describe('llA2ACreateRequirement', () => {
  it("requires NCCL's bytes: a line and two banks of slots for each block", () => {
    expect(llA2ABytes(3, 10)).toBe(3 * (1 + 2 * 10) * 16);
    const { requirement, handleOf } = llA2ACreateRequirement(3, 10);
    expect(requirement).toEqual({ bufferSize: 1008, bufferAlign: 16, ginSignalCount: 0, ginCounterCount: 0 });
    expect(handleOf({ bufHandle: 9 })).toEqual({ bufHandle: 9, nSlots: 10, nBlocks: 3 });
  });

  it('refuses numbers that are not counts, and more bytes than NCCL can count', () => {
    expect(() => llA2ACreateRequirement(-1, 1)).toThrow('nBlocks must be an integer from 0');
    expect(() => llA2ACreateRequirement(1, NaN)).toThrow('nSlots must be an integer from 0');
    expect(() => llA2ACreateRequirement(2 ** 10, 2 ** 16)).toThrow('nBlocks * (1 + 2 * nSlots) * 16');
  });

  it('gets its handle from the plan', () => {
    const slots = llA2ACreateRequirement(2, 4);
    const plan = planDevComm(
      { lsaBarrierCount: 1, resourceRequirementsList: [slots.requirement] },
      createTopology({ ranks: 4 }),
      { symmetric: true, multimem: false, gin: 'none' },
    );
    expect(plan.resources.map(slots.handleOf)).toEqual([{ bufHandle: 1, nSlots: 4, nBlocks: 2 }]);
    expect(plan.resourceBytes).toBeGreaterThanOrEqual(128 + llA2ABytes(2, 4));
  });
});
