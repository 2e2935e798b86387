import { describe, expect, it, vi } from 'vitest';

import { errorCodes, expectInteger, isErrorCode, isNcclError, NcclError, ResultCode, showValue } from '@nccl-ts/core';

describe('NcclError', () => {
  it("has a code, NCCL's result, details and a cause", () => {
    const cause = new Error('below');
    const error = new NcclError('NCCL_INVALID_ARGUMENT', 'count must be positive; given 0.', {
      details: { given: 0 },
      cause,
    });
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe('NcclError');
    expect(error.code).toBe('NCCL_INVALID_ARGUMENT');
    expect(error.result).toBe(ResultCode.InvalidArgument);
    expect(error.details).toEqual({ given: 0 });
    expect(Object.isFrozen(error.details)).toBe(true);
    expect(error.cause).toBe(cause);
    expect(error.message).toBe('count must be positive; given 0.');
  });

  it('has no result for our own codes, and no cause by default', () => {
    const error = new NcclError('NCCLTS_CLOSED', 'The world is closed.');
    expect(error.result).toBeUndefined();
    expect(Object.hasOwn(error, 'cause')).toBe(false);
    expect(error.details).toEqual({});
  });

  it('is recognised by isNcclError, even if another copy of the package created it', async () => {
    vi.resetModules();
    const copy = await import('@nccl-ts/core');
    expect(copy.NcclError).not.toBe(NcclError);
    const foreign = new copy.NcclError('NCCL_TIMEOUT', 'Too late.');
    expect(foreign).not.toBeInstanceOf(NcclError);
    expect(isNcclError(foreign)).toBe(true);
    expect(isNcclError(foreign, 'NCCL_TIMEOUT')).toBe(true);
    expect(isNcclError(foreign, 'NCCLTS_CLOSED')).toBe(false);
  });

  it('is not confused with other values', () => {
    for (const value of [undefined, null, 'NcclError', new Error('x'), { code: 'NCCL_TIMEOUT', name: 'NcclError' }]) {
      expect(isNcclError(value)).toBe(false);
    }
  });

  it('stays recognisable in subclasses', () => {
    class CompileError extends NcclError {}
    const error = new CompileError('NCCLTS_COMPILE', 'Two mistakes.');
    expect(isNcclError(error)).toBe(true);
    expect(error).toBeInstanceOf(CompileError);
    expect(new NcclError('NCCLTS_COMPILE', 'One.')).not.toBeInstanceOf(CompileError);
  });
});

describe('errorCodes', () => {
  it("has a result for each of NCCL's codes, and none for our own", () => {
    for (const [code, { description, result }] of Object.entries(errorCodes)) {
      expect([code, result !== undefined]).toEqual([code, code.startsWith('NCCL_')]);
      expect(description).toMatch(/^[A-Z].*\.$/);
    }
    expect(Object.isFrozen(errorCodes)).toBe(true);
  });

  it('recognises its codes', () => {
    expect(isErrorCode('NCCLTS_DEADLOCK')).toBe(true);
    expect(isErrorCode('toString')).toBe(false);
    expect(isErrorCode(4)).toBe(false);
  });
});

describe('expectInteger', () => {
  it('returns an integer in range', () => {
    expect(expectInteger('ranks', 3, 1, 3)).toBe(3);
    expect(expectInteger('bytes', Number.MAX_SAFE_INTEGER, 0)).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each([0, 4, 1.5, NaN, '2', 2n, undefined])('refuses %s', (given) => {
    expect(() => expectInteger('ranks', given, 1, 3)).toThrow(
      `ranks must be an integer from 1 to 3; given ${showValue(given)}.`,
    );
  });
});

describe('showValue', () => {
  it('shows any value on one short line', () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    expect(
      [1, -0, 2n, 'a\nb', null, undefined, [1, 2], { a: 1 }, circular, () => 0, Symbol('s')].map(showValue),
    ).toEqual([
      '1',
      '-0',
      '2n',
      '"a\\nb"',
      'null',
      'undefined',
      'an array of 2',
      '{"a":1}',
      'an object',
      'a function',
      'Symbol(s)',
    ]);
    expect(showValue('x'.repeat(1000))).toHaveLength(80);
  });
});
