import { describe, expect, inject, it } from 'vitest';

import { expressionsPerType, runCampaign, timeLimit } from './campaign.ts';
import { typeOf } from './language/type.ts';
import { allKinds } from './reference/scalar.ts';

/** The quick tests have one of 8. */
const isNow = (_: unknown, i: number): boolean => (i % 8 === 0) !== inject('slow');

describe('random scalar expressions have the reference’s type and bits', () => {
  it.each(allKinds.filter(isNow))(
    'random expressions of %s have the bits of the reference',
    { timeout: timeLimit },
    (kind) => {
      const { compared, nans, unspecified } = runCampaign(typeOf(kind));
      expect(compared).toBeGreaterThanOrEqual(expressionsPerType * 8);
      // If most values were NaN or unspecified, the comparison would prove little.
      expect(nans + unspecified).toBeLessThan(compared / 4);
    },
  );
});
