import { describe, expect, inject, it } from 'vitest';

import { expressionsPerType, runCampaign, timeLimit } from './campaign.ts';
import { nameOf, typeOf } from './language/type.ts';

/** The quick tests have the first. */
const isNow = (_: unknown, i: number): boolean => (i === 0) !== inject('slow');

const types = [
  typeOf('f32', 4),
  typeOf('f32', 2),
  typeOf('f16', 8),
  typeOf('bf16', 8),
  typeOf('i32', 4),
  typeOf('u8', 16),
  typeOf('u64', 2),
  typeOf('e4m3', 8),
];

describe('random vector expressions have the reference’s type and bits', () => {
  it.each(types.map((type) => [nameOf(type), type] as const).filter(isNow))(
    'random expressions of %s have the bits of the reference',
    { timeout: timeLimit },
    (_, type) => {
      const { compared, nans, unspecified } = runCampaign(type);
      expect(compared).toBeGreaterThanOrEqual(expressionsPerType * 8);
      expect(nans + unspecified).toBeLessThan(compared / 4);
    },
  );
});
