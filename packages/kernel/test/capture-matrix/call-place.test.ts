import { NcclError } from '@nccl-ts/core';
import { kernel, u32, type Kernel } from '@nccl-ts/kernel';
import { afterEach, describe, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.restoreAllMocks();
});

function messageOf(made: Kernel): string {
  try {
    made.compile();
  } catch (error) {
    if (error instanceof NcclError) return error.message;
  }
  return 'it compiles';
}

/** Its text was never in a file. */
// oxlint-disable-next-line no-implied-eval, typescript/no-implied-eval -- a text without a file
const lost = new Function('{ threadIdx }', '{ n }', 'missing(n)') as (context: unknown, params: unknown) => void;

describe('a report without a known location', () => {
  it('names the call site of kernel()', () => {
    const made = kernel({ name: 'lost', params: { n: u32 } }, lost);
    expect(messageOf(made)).toMatch(
      /^kernel 'lost' does not compile: 1 error\n\(kernel\(\) was called at .*call-place\.test\.ts:\d+:\d+\)\n\n/,
    );
  });

  it.each([
    [
      'V8',
      'Error\n    at define (https://host/kernels.js:12:34)\n    at https://host/kernels.js:1:1',
      'https://host/kernels.js:12:34',
    ],
    ['V8, at top level', 'Error\n    at file:///home/a%20b/kernels.js:12:34', 'file:///home/a%20b/kernels.js:12:34'],
    [
      'other engines',
      'define@https://host/kernels.js:12:34\n@https://host/kernels.js:1:1',
      'https://host/kernels.js:12:34',
    ],
    ['other engines, at top level', '@https://host/kernels.js:12:34', 'https://host/kernels.js:12:34'],
  ])('comes from the stack that %s produces', (_, stack, place) => {
    vi.spyOn(Error, 'captureStackTrace').mockImplementation((target) => void Reflect.set(target, 'stack', stack));
    expect(messageOf(kernel({ name: 'lost', params: { n: u32 } }, lost))).toContain(
      `(kernel() was called at ${place})`,
    );
  });

  it('omits the call site if the engine does not report it', () => {
    vi.spyOn(Error, 'captureStackTrace').mockImplementation(() => undefined);
    expect(messageOf(kernel({ name: 'lost', params: { n: u32 } }, lost))).toMatch(
      /^kernel 'lost' does not compile: 1 error\n\nerror/,
    );
  });
});

it('a report with a known location omits the call site of kernel()', () => {
  const made = kernel({ name: 'found', params: { n: u32 } }, (_, { n }) => void (n + Math.random()));
  expect(messageOf(made)).toMatch(/does not compile: 1 error\n\nerror[^]*--> .*call-place\.test\.ts:/);
});
