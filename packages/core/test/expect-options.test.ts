import { expectOptions } from '@nccl-ts/core';
import { afterEach, describe, expect, it } from 'vitest';

interface Options {
  readonly grid: number;
  readonly label?: string;
}
const names = { grid: true, label: true } as const;
const check =
  (options: unknown): (() => void) =>
  () =>
    expectOptions('launch', options as Options, names);

afterEach(() => {
  Reflect.deleteProperty(Object.prototype, 'label');
});

describe('expectOptions', () => {
  it('accepts known options, and objects of a class', () => {
    expect(check({ grid: 1, label: 'x' })).not.toThrow();
    expect(check(Object.assign(Object.create(null), { grid: 1 }))).not.toThrow();
    expect(check(Object.create({ grid: 1 }))).not.toThrow();
  });

  it.each([
    [{ grid: 1, gird: 2, x: 1 }, 'launch has no option gird, x; its options are grid, label.'],
    [null, 'launch takes its options as an object; given null.'],
    [undefined, 'launch takes its options as an object; given undefined.'],
    [[1], 'launch takes its options as an object; given an array of 1.'],
  ])('refuses %j', (options, message) => {
    expect(check(options)).toThrow(expect.objectContaining({ code: 'NCCL_INVALID_ARGUMENT', message }));
  });

  it('ignores Object.prototype', () => {
    // oxlint-disable-next-line no-extend-native -- what other code does to us
    Object.defineProperty(Object.prototype, 'label', { value: 7, configurable: true, writable: true });
    expect(check({ grid: 1, label: 'own' })).not.toThrow();
    expect(check({ grid: 1 })).toThrow(
      expect.objectContaining({
        code: 'NCCL_INVALID_USAGE',
        message: expect.stringMatching(/'label' from Object.prototype/),
      }),
    );
  });
});
