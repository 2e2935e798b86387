import { isNcclError } from '@nccl-ts/core';
import type { DistributedWebgpuOptions } from '@nccl-ts/webgpu-distributed';
import { describe, expect, it } from 'vitest';
import { resolveDistributedOptions } from '../src/options/resolve-distributed-options.ts';

/** An object that looks like a device. */
const device = { createBuffer() {}, createComputePipelineAsync() {}, queue: {}, lost: Promise.resolve() };

function messageFor(options: object): string {
  try {
    resolveDistributedOptions(options as DistributedWebgpuOptions);
  } catch (error) {
    if (isNcclError(error, 'NCCL_INVALID_ARGUMENT')) return error.message;
    throw error;
  }
  return 'no error';
}

describe('resolveDistributedOptions', () => {
  it('distributes the ranks over several devices', () => {
    const other = { ...device };
    const none = { device: undefined, adapter: undefined, powerPreference: undefined };
    const own = resolveDistributedOptions({ ranks: 6, devices: 3, adapter: 'GPU', powerPreference: 'low-power' });
    const choice = { ...none, adapter: 'GPU', powerPreference: 'low-power' };
    expect(own).toMatchObject({ ...choice, devices: [choice, choice, choice] });
    const given = [device, other] as unknown as readonly GPUDevice[];
    expect(resolveDistributedOptions({ ranks: 8, devices: given })).toMatchObject({
      device,
      devices: [
        { ...none, device },
        { ...none, device: other },
      ],
    });
    const named = resolveDistributedOptions({ ranks: 2, adapters: ['a', 'b'] });
    expect(named).toMatchObject({
      ...none,
      adapter: 'a',
      devices: [
        { ...none, adapter: 'a' },
        { ...none, adapter: 'b' },
      ],
    });
    expect(resolveDistributedOptions({ ranks: 5, devices: 1 }).devices).toEqual([none]);
  });

  it('refuses devices that throw when they are read', () => {
    const trap = (): never => {
      throw new TypeError('nobody may look');
    };
    const hostile = new Proxy([], { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap });
    expect(messageFor({ ranks: 1, devices: hostile })).toContain('nobody may look');
  });

  it.each([
    [{ ranks: 0 }, 'ranks must be an integer from 1 to 4096; given 0.'],
    [{ ranks: 2, seed: 1 }, 'distributedWebgpu() has no option seed; its options are ranks, lsaSize, device'],
    [{ ranks: 2, device, adapters: ['a'] }, 'device and adapters exclude each other'],
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
