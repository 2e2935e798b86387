import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { NcclError, scalarInfo, scalarKinds } from '@nccl-ts/core';
import {
  hasWindowFlag,
  isSymPtr,
  isWindowFlags,
  layoutResourceWindow,
  RESOURCE_UNIT,
  resourceOffset,
  symPtr,
  WIN_ALIGNMENT,
  WindowFlags,
} from '@nccl-ts/window';

describe('WindowFlags', () => {
  it('are combined by |, whose type is a number', () => {
    const both: WindowFlags = WindowFlags.CollSymmetric | WindowFlags.StrictOrdering;
    expect(both).toBe(3);
  });

  it('has the integers of nccl.h', () => {
    expect(WindowFlags).toEqual({ Default: 0, CollSymmetric: 1, StrictOrdering: 2, GinOnly: 4, CftCounted: 8 });
    expect(WIN_ALIGNMENT).toBe(4096);
  });

  it('combine with |', () => {
    expect([0, 1, 2, 3, 4, 15, 16, -1, 0.5, '1', undefined].map(isWindowFlags)).toEqual([
      true,
      true,
      true,
      true,
      true,
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
    expect(hasWindowFlag(3, WindowFlags.StrictOrdering)).toBe(true);
    expect(hasWindowFlag(1, WindowFlags.StrictOrdering)).toBe(false);
  });
});

describe('SymPtr', () => {
  const window = { name: 'w' };

  it('moves by elements', () => {
    const start = symPtr(window, 'f32', 256);
    expect(start.add(4)).toMatchObject({ window, element: 'f32', offset: 272 });
    expect(start.add(-64).offset).toBe(0);
    expect(start.offset).toBe(256);
    expect(start.cast('f64').add(1)).toMatchObject({ element: 'f64', offset: 264 });
    expect(symPtr(window, 'u8').offset).toBe(0);
    expect(Object.isFrozen(start)).toBe(true);
  });

  it('adds offsets', () => {
    const steps = fc.integer({ min: 0, max: 1e9 });
    fc.assert(
      fc.property(fc.constantFrom(...scalarKinds), steps, steps, (kind, a, b) => {
        const start = symPtr(window, kind, 128);
        expect(start.add(a).add(b).offset).toBe(start.add(a + b).offset);
        expect(start.add(a).offset - start.offset).toBe(a * scalarInfo[kind].bytes);
        expect(start.add(a).add(-a).offset).toBe(start.offset);
      }),
      { seed: 7 },
    );
  });

  it('refuses invalid offsets', () => {
    expect(() => symPtr(window, 'f32', -4)).toThrow(NcclError);
    expect(() => symPtr(window, 'f32', 4).add(-2)).toThrow('offset of a symmetric pointer must be an integer from 0');
    expect(() => symPtr(window, 'f32').add(0.5)).toThrow('n of a symmetric pointer must be an integer');
    expect(() => symPtr(window, 'u8', Number.MAX_SAFE_INTEGER).add(1)).toThrow(NcclError);
  });

  it('is recognised by isSymPtr', () => {
    expect(isSymPtr(symPtr(window, 'u8'))).toBe(true);
    expect([null, 3, {}, { kind: 'window' }].map(isSymPtr)).toEqual([false, false, false, false]);
  });
});

describe('layoutResourceWindow', () => {
  it('packs buffers like NCCL', () => {
    const layout = layoutResourceWindow({
      buffers: [
        { bytes: 448, align: 4 },
        { bytes: 0, align: 4 },
        { bytes: 1, align: 0 },
        { bytes: 100, align: 4096 },
      ],
      ginContexts: 4,
      ginSignals: 3,
    });
    expect(layout.handles).toEqual([0, 4, 4, 32]);
    expect(layout.ginSignalShadowsOffset).toBe(4224);
    expect(layout.bytes).toBe(4224 + 4 * 3 * 8);
  });

  it('returns an empty layout for no buffers', () => {
    expect(layoutResourceWindow({ buffers: [{ bytes: 0, align: 4 }], ginContexts: 4, ginSignals: 0 })).toEqual({
      handles: [0],
      ginSignalShadowsOffset: 0,
      bytes: 0,
    });
  });

  const buffer = fc.record({
    bytes: fc.integer({ min: 0, max: 1e6 }),
    align: fc.integer({ min: -1, max: 20 }).map((power) => (power < 0 ? 0 : 2 ** power)),
  });

  it('keeps buffers aligned, in order and separate, with the shadows after them', () => {
    fc.assert(
      fc.property(fc.array(buffer), fc.nat(8), fc.nat(100), (buffers, ginContexts, ginSignals) => {
        const layout = layoutResourceWindow({ buffers, ginContexts, ginSignals });
        let end = 0;
        buffers.forEach(({ bytes, align }, index) => {
          const start = resourceOffset(layout.handles[index] ?? NaN);
          expect(start).toBeGreaterThanOrEqual(end);
          expect(start % RESOURCE_UNIT).toBe(0);
          if (align > 0) expect(start % align).toBe(0);
          end = start + bytes;
        });
        expect(layout.ginSignalShadowsOffset).toBeGreaterThanOrEqual(end);
        expect(layout.bytes).toBe(layout.ginSignalShadowsOffset + ginContexts * ginSignals * 8);
      }),
      { seed: 8 },
    );
  });

  it.each([
    [{ bytes: -1, align: 4 }, 'bytes of resource buffer 0 must be an integer from 0 to 9007199254740991; given -1.'],
    [{ bytes: 4, align: 3 }, 'align of resource buffer 0 must be 0 or a power of two; given 3.'],
    [
      { bytes: 4, align: 2 ** 50 + 1 },
      'align of resource buffer 0 must be 0 or a power of two; given 1125899906842625.',
    ],
    [{ bytes: 4, align: -4 }, 'align of resource buffer 0 must be an integer from 0 to 9007199254740991; given -4.'],
  ])('refuses %o', (bad, message) => {
    expect(() => layoutResourceWindow({ buffers: [bad], ginContexts: 0, ginSignals: 0 })).toThrow(message);
  });

  it('refuses buffers beyond the largest offset of a handle', () => {
    const huge = { bytes: 2 ** 39, align: 0 };
    const options = { ginContexts: 0, ginSignals: 0 };
    expect(layoutResourceWindow({ ...options, buffers: [huge] }).bytes).toBe(2 ** 39);
    expect(() => layoutResourceWindow({ ...options, buffers: [huge, huge] })).toThrow('must fit in 4294967295 units');
  });
});
