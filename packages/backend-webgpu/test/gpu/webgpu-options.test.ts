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
      others: [],
      exact: true,
      checks: true,
      memoryBytes: undefined,
      fuel: 2 ** 22,
    });
  });

  it('keeps given values', () => {
    const given = { ranks: 8, lsaSize: 4, adapter: 'GPU', exact: false, checks: false, memoryBytes: 1, fuel: 10 };
    const more = { ...given, powerPreference: 'low-power' as const };
    expect(resolveWebgpuOptions(more)).toEqual({ ...more, device: undefined, others: [] });
    expect(resolveWebgpuOptions({ ranks: 1, device: device as unknown as GPUDevice }).device).toBe(device);
  });

  it('distributes the ranks over several devices', () => {
    const other = { ...device };
    const none = { device: undefined, adapter: undefined, powerPreference: undefined };
    const own = resolveWebgpuOptions({ ranks: 6, devices: 3, adapter: 'GPU', powerPreference: 'low-power' });
    const choice = { ...none, adapter: 'GPU', powerPreference: 'low-power' };
    expect(own).toMatchObject({ ...choice, others: [choice, choice] });
    const given = [device, other] as unknown as readonly GPUDevice[];
    expect(resolveWebgpuOptions({ ranks: 8, devices: given })).toMatchObject({
      device,
      others: [{ ...none, device: other }],
    });
    const named = resolveWebgpuOptions({ ranks: 2, adapters: ['a', 'b'] });
    expect(named).toMatchObject({ ...none, adapter: 'a', others: [{ ...none, adapter: 'b' }] });
    expect(resolveWebgpuOptions({ ranks: 5, devices: 1 }).others).toEqual([]);
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
    [{ ranks: 2, device, devices: 2 }, 'device and devices exclude each other'],
    [{ ranks: 2, device, devices: [device] }, 'device and devices exclude each other'],
    [{ ranks: 8, devices: 3 }, '8 ranks cannot be dealt to 3 devices in equal shares; their number must divide ranks.'],
    [{ ranks: 2, devices: 4 }, '2 ranks cannot be dealt to 4 devices'],
    [{ ranks: 2, devices: 0 }, 'devices must be an integer from 1 to 4096; given 0.'],
    [{ ranks: 2, devices: 'two' }, 'devices must be a number or an array of GPUDevices; given "two".'],
    [{ ranks: 2, devices: [] }, 'devices must name at least one; given none.'],
    [{ ranks: 2, devices: [device, {}] }, 'devices must be GPUDevices; given'],
    [{ ranks: 2, devices: [device, device] }, 'devices must differ; given one of them twice.'],
    [{ ranks: 2, devices: [device, { ...device }], adapters: ['a', 'b'] }, 'devices and adapters exclude each other'],
    [{ ranks: 2, adapter: 'a', adapters: ['a', 'b'] }, 'adapter and adapters exclude each other'],
    [{ ranks: 2, devices: 2, adapters: ['a'] }, 'adapters must have a name for each of 2 devices; given 1.'],
    [{ ranks: 2, adapters: [] }, "adapters must be an array of parts of GPUs' names; given an array of 0."],
    [{ ranks: 2, adapters: ['a', ''] }, `adapter must be a part of a GPU's name; given "".`],
  ])('refuses %o', (options, message) => {
    expect(messageFor(options)).toContain(message);
  });
});
