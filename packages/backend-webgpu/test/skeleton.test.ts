import { expect, it } from 'vitest';

it('is there', () => {
  expect(true).toBe(true);
});
