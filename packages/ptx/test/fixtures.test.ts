import { describe, expect, inject, it } from 'vitest';
import { fixtures } from './fixtures/index.ts';
import { bytesOf, runFixture } from './support/run-fixture.ts';

/** The quick tests have one of 8. */
const isNow = (_: unknown, i: number): boolean => (i % 8 === 0) !== inject('slow');

describe('a kernel that nvcc compiled', () => {
  it.each(fixtures.filter(isNow))('$name has the results of its reference', async (fixture) => {
    const after = await runFixture(fixture);
    fixture.args.forEach((arg, index) => {
      if ('words' in arg) return;
      const bytes = after[index];
      const { tolerance, expected } = arg;
      if (bytes !== undefined && tolerance !== undefined && expected !== undefined) {
        const got = new Float32Array(bytes.buffer);
        expected.forEach((value, at) => {
          const most = tolerance * Math.max(1, Math.abs(Number(value)));
          expect(Math.abs((got[at] ?? Number.NaN) - Number(value)), `element ${at}`).toBeLessThanOrEqual(most);
        });
        return;
      }
      const got = bytes === undefined ? undefined : hex(bytes);
      expect(got, `argument ${index}`).toEqual(hex(bytesOf(arg.type, arg.expected ?? arg.values)));
    });
  });
});

/** Compares words of 4 bytes, to show where a difference is. */
function hex(bytes: Uint8Array): readonly string[] {
  const text = Buffer.from(bytes).toString('hex');
  return text.match(/.{1,8}/g) ?? [];
}
