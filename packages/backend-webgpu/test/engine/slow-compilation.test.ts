import { emitWgsl, webgpu } from '@nccl-ts/backend-webgpu';
import { configureDebug } from '@nccl-ts/core';
import { validate } from '@nccl-ts/ir';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { compileCode } from '../../src/engine/kernel-code.ts';
import { AcquiredDevice } from '../../src/gpu/acquired-device.ts';
import type { WgslSource } from '../../src/wgsl-source.ts';
import { nullDevice } from '../support/gpu.ts';
import { halves } from '../support/kernels.ts';

let lines: string[] = [];
let restore: () => void;
beforeEach(() => {
  lines = [];
  restore = configureDebug({ topics: 'webgpu', sink: (line) => lines.push(line) });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
  restore();
});

function source(): WgslSource {
  const result = validate(halves.compile(), webgpu({ ranks: 1 }).capabilities);
  if (!result.ok) throw new Error('halves is refused');
  return emitWgsl(result.module, {
    fields: { nRanks: 1, lsaSize: 1 },
    lsaSize: 1,
    maxWorkgroup: 256,
    maxSharedBytes: 32_768,
    exact: true,
    checks: true,
    fuel: 2 ** 22,
    segments: 0,
    blockDim: { x: 64, y: 1, z: 1 },
  });
}

it('a compilation of more than two seconds is reported while it runs, a shorter one at its end', async () => {
  const device = await nullDevice();
  const compile = device.createComputePipelineAsync.bind(device);
  let finish: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (finish = resolve));
  device.createComputePipelineAsync = async (descriptor) => {
    await held;
    return compile(descriptor);
  };
  const compiling = compileCode(new AcquiredDevice(device, true, undefined), 'halves', source(), 0);
  vi.advanceTimersByTime(1999);
  expect(lines).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(lines).toEqual([expect.stringMatching(/still compiling halves after 2 s: \d+ characters of WGSL$/)]);
  finish();
  await compiling;
  vi.advanceTimersByTime(10_000);
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatch(/compiled halves: \d+ characters, [\d.]+ ms$/);
});
