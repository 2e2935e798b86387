import { isNcclError } from '@nccl-ts/core';
import { describe, expect, it } from 'vitest';
import { resolveWebgpuOptions } from '../../src/resolve-webgpu-options.ts';
import type { WebgpuOptions } from '../../src/webgpu-options.ts';

/** An object that looks like a device. */
const device = { createBuffer() {}, createComputePipelineAsync() {}, queue: {}, lost: Promise.resolve() };

function messageFor(options: object): string {
  try {
    resolveWebgpuOptions(options as WebgpuOptions);
  } catch (error) {
    if (isNcclError(error, 'NCCL_INVALID_ARGUMENT')) return error.message;
    throw error;
  }
  return 'no error';
}

describe('resolveWebgpuOptions', () => {
  it('fills in the defaults', () => {
    expect(resolveWebgpuOptions({ ranks: 8 })).toEqual({
      ranks: 8,
      lsaSize: 8,
      device: undefined,
      adapter: undefined,
      powerPreference: undefined,
      exact: true,
      checks: true,
      memoryBytes: undefined,
      fuel: 2 ** 22,
    });
  });

  it('keeps given values', () => {
    const given = { ranks: 8, lsaSize: 4, adapter: 'GPU', exact: false, checks: false, memoryBytes: 1, fuel: 10 };
    const more = { ...given, powerPreference: 'low-power' as const };
    expect(resolveWebgpuOptions(more)).toEqual({ ...more, device: undefined });
    expect(resolveWebgpuOptions({ ranks: 1, device: device as unknown as GPUDevice }).device).toBe(device);
  });

  it.each([
    [{ ranks: 0 }, 'ranks must be an integer from 1 to 4096; given 0.'],
    [{ ranks: 4097 }, 'ranks must be an integer from 1 to 4096; given 4097.'],
    [{}, 'ranks must be an integer from 1 to 4096; given undefined.'],
    [{ ranks: 8, lsaSize: 3 }, 'lsaSize'],
    [{ ranks: 2, seed: 1 }, 'webgpu() has no option seed; its options are ranks, lsaSize, device'],
    [{ ranks: 2, exact: 1 }, 'exact must be true or false; given 1.'],
    [{ ranks: 2, checks: 'yes' }, 'checks must be true or false; given "yes".'],
    [{ ranks: 2, memoryBytes: 0 }, 'memoryBytes must be an integer from 1'],
    [{ ranks: 2, fuel: 0.5 }, 'fuel must be an integer from 1 to 2147483647; given 0.5.'],
    [{ ranks: 2, adapter: '' }, `adapter must be a part of a GPU's name; given "".`],
    [{ ranks: 2, adapter: 1 }, "adapter must be a part of a GPU's name; given 1."],
    [{ ranks: 2, powerPreference: 'fast' }, 'given "fast".'],
    [{ ranks: 2, device: {} }, 'device must be a GPUDevice; given'],
    [{ ranks: 2, device: null }, 'device must be a GPUDevice; given null.'],
    [{ ranks: 2, device, adapter: 'x' }, 'device and adapter exclude each other'],
    [{ ranks: 2, device, powerPreference: 'low-power' }, 'device and powerPreference exclude each other'],
  ])('refuses %o', (options, message) => {
    expect(messageFor(options)).toContain(message);
  });
});
