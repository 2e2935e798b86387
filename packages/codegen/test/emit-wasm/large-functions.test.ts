import { describe, expect, it } from 'vitest';

import { Unsupported } from '../../src/emit-shared/unsupported.ts';
import { FunctionBuilder } from '../../src/emit-wasm/function-builder.ts';

describe('a kernel', () => {
  it('with more variables than a WebAssembly function allows stays in JavaScript', () => {
    const fn = new FunctionBuilder();
    for (let i = 0; i < 49_000; i++) fn.local('i32');
    expect(() => fn.local('i32')).toThrow(Unsupported);
    for (let i = 0; i < 1000; i++) expect(fn.param(`x${i}`, 'i32')).toBe(i);
    expect(fn.param('x7', 'i32')).toBe(7);
    expect(() => fn.param('y', 'i32')).toThrow(Unsupported);
  });
});
