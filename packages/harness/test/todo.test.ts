import { harness, ranksToCheck, todo } from '@nccl-ts/harness';
import { isNcclError } from '@nccl-ts/core';
import { describe, expect, it } from 'vitest';

function thrownBy(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

describe('a value that is to be filled in', () => {
  it('ends a launch with the line', () => {
    const error = thrownBy(() => todo('whose memory', 1, 2));
    expect(isNcclError(error, 'NCCLTS_TODO')).toBe(true);
    const location = /^.*todo\.test\.ts:15:34$/;
    expect(error).toMatchObject({ details: { what: 'whose memory', location: expect.stringMatching(location) } });
    expect(String(error)).toMatch(
      /cannot launch the kernel because todo\('whose memory'\) is not filled in; write the value at .*todo\.test\.ts:15:34\.$/,
    );
  });
});

describe('the ranks of a harness', () => {
  const definition = { entry: 'k', grid: 1, block: 1, setup: () => ({ args: [] }) };

  it('are 2, 3 and 4 for a check, unless it fixes them', () => {
    expect(ranksToCheck(harness(definition))).toEqual([2, 3, 4]);
    expect(ranksToCheck(harness({ ...definition, ranks: 8 }))).toEqual([8]);
  });

  it('are not meant to work alone, unless it says so', () => {
    expect(harness(definition).local).toBe(false);
    expect(harness({ ...definition, local: true }).local).toBe(true);
    // @ts-expect-error -- it must be a boolean
    expect(() => harness({ ...definition, local: 1 })).toThrow('harness: local must be true or false; given 1.');
    // @ts-expect-error -- it must be a boolean
    expect(() => harness({ ...definition, standIn: 1 })).toThrow('harness: standIn must be true or false; given 1.');
  });
});
