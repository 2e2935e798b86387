import { describe, expect, inject, it } from 'vitest';

import { expressionsPerType, runCampaign, timeLimit } from './campaign.ts';
import { nameOf, typeOf } from './language/type.ts';
import { allKinds } from './reference/scalar.ts';

/** The quick tests have one of 8. */
const isNow = (_: unknown, i: number): boolean => (i % 8 === 0) !== inject('slow');

const types = [
  ...allKinds.map((kind) => typeOf(kind)),
  typeOf('f32', 4),
  typeOf('f16', 8),
  typeOf('i32', 4),
  typeOf('u8', 16),
  typeOf('i16', 8),
  typeOf('u64', 2),
  typeOf('f64', 2),
];

describe('random expressions in WebAssembly have the reference’s bits', () => {
  it.each(types.map((type) => [nameOf(type), type] as const).filter(isNow))(
    'random expressions of %s in WebAssembly have the bits of the reference',
    { timeout: timeLimit },
    (_, type) => {
      const { compared } = runCampaign(type, 'wasm');
      expect(compared).toBeGreaterThanOrEqual(expressionsPerType);
    },
  );
});
