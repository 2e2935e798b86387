import { describe, expect, it } from 'vitest';
import { acquireDevice, type DeviceChoice } from '../../src/gpu/acquire-device.ts';
import { currentGpuHost, type GpuHost } from '../../src/gpu/find-gpu.ts';
import { BufferUsage } from '../../src/gpu/gpu-flags.ts';
import { noDevice, openDevice, unlessDevice } from '../support/device.ts';
import { expectCode } from '../support/expect-code.ts';

const anyDevice: DeviceChoice = { device: undefined, adapter: undefined, powerPreference: undefined };

/** A browser page or a Node process. Omitted features are missing. */
function host(given: Partial<GpuHost>): GpuHost {
  const importPackage = async (): Promise<unknown> => Promise.reject(new Error("Cannot find package 'webgpu'"));
  return { gpu: undefined, isNode: false, isSecureContext: true, importPackage, ...given };
}

describe('without WebGPU', () => {
  it('a browser without WebGPU is reported', async () => {
    const error = await expectCode(acquireDevice(anyDevice, host({})), 'NCCLTS_WEBGPU_UNAVAILABLE');
    expect(error.message).toContain('This browser has no WebGPU');
  });

  it('an insecure page is reported', async () => {
    const page = host({ isSecureContext: false });
    const error = await expectCode(acquireDevice(anyDevice, page), 'NCCLTS_WEBGPU_UNAVAILABLE');
    expect(error.message).toContain('https');
  });

  it('the error has the installation command in Node', async () => {
    // They have unique names, because the package's results are cached by name.
    const missing = acquireDevice({ ...anyDevice, adapter: 'missing' }, host({ isNode: true }));
    expect((await expectCode(missing, 'NCCLTS_WEBGPU_MISSING')).message).toContain(
      "cannot be loaded: Cannot find package 'webgpu'. Install it beside @nccl-ts/backend-webgpu: npm install webgpu",
    );
    for (const imported of [{}, { create: () => ({}) }, undefined]) {
      const node = host({ isNode: true, importPackage: async () => imported });
      await expectCode(acquireDevice({ ...anyDevice, adapter: 'odd' }, node), 'NCCLTS_WEBGPU_MISSING');
    }
  });

  it('the error suggests a fix without a GPU', async () => {
    const gpu = { requestAdapter: async () => null };
    const inBrowser = await expectCode(acquireDevice(anyDevice, host({ gpu })), 'NCCLTS_WEBGPU_NO_ADAPTER');
    expect(inBrowser.message).toContain('chrome://gpu');
    const node = host({ gpu, isNode: true });
    const inNode = await expectCode(acquireDevice(anyDevice, node), 'NCCLTS_WEBGPU_NO_ADAPTER');
    expect(inNode.message).toContain('VK_ICD_FILENAMES');
  });

  it("the error has the adapter's reason", async () => {
    const info = { vendor: 'acme', architecture: 'one' };
    const requestDevice = async (): Promise<never> => Promise.reject(new Error('too busy'));
    const adapter = { limits: {}, features: new Set(), info, requestDevice };
    const gpu = { requestAdapter: async () => adapter };
    const error = await expectCode(acquireDevice(anyDevice, host({ gpu })), 'NCCLTS_WEBGPU_NO_DEVICE');
    expect(error.message).toContain('The GPU acme one gives no device: too busy.');
  });

  it('browsers cannot choose by name', async () => {
    const gpu = { requestAdapter: async () => null };
    await expectCode(acquireDevice({ ...anyDevice, adapter: 'x' }, host({ gpu })), 'NCCLTS_NOT_SUPPORTED');
  });

  it('options are passed on', async () => {
    const asked: unknown[] = [];
    const requestAdapter = async (options: unknown): Promise<null> => {
      asked.push(options);
      return null;
    };
    const page = host({ gpu: { requestAdapter } });
    for (const powerPreference of [undefined, 'low-power'] as const) {
      await expectCode(acquireDevice({ ...anyDevice, powerPreference }, page), 'NCCLTS_WEBGPU_NO_ADAPTER');
    }
    expect(asked).toEqual([{}, { powerPreference: 'low-power' }]);
  });
});

describe.skipIf(noDevice !== undefined)(`a separate device${unlessDevice}`, () => {
  it("has its adapter's limits", async () => {
    const acquired = await openDevice();
    expect(acquired.owned).toBe(true);
    expect(acquired.limits.maxBufferSize).toBe(acquired.device.limits.maxBufferSize);
    // More than WebGPU provides by default.
    expect(acquired.limits.maxStorageBufferBindingSize).toBeGreaterThanOrEqual(128 << 20);
    expect([...acquired.features].sort()).toEqual([...acquired.device.features].sort());
    expect(Object.values(acquired.adapterInfo).every((text) => typeof text === 'string')).toBe(true);
    acquired.dispose();
  });

  it('is distinguished from a software adapter', async () => {
    const acquired = await openDevice();
    const { vendor, architecture } = acquired.adapterInfo;
    expect(acquired.software).toBe(/swiftshader|llvmpipe/.test(`${vendor} ${architecture}`));
    acquired.dispose();
  });

  it('is a new one each time, and its provider stays usable', async () => {
    const [one, two] = await Promise.all([openDevice(), openDevice()]);
    expect(one?.device).not.toBe(two?.device);
    expect(Reflect.get(globalThis, Symbol.for('@nccl-ts/backend-webgpu/gpu/'))).toHaveProperty('requestAdapter');
    one?.dispose();
    two?.dispose();
  });

  it('can be chosen by name in Node', async () => {
    const error = await expectCode(acquireDevice({ ...anyDevice, adapter: 'no such GPU' }), 'NCCLTS_WEBGPU_NO_ADAPTER');
    const name = /name: '([^']*)'/.exec(error.message)?.[1];
    expect(name).toBeDefined();
    const acquired = await acquireDevice({ ...anyDevice, adapter: name });
    expect(acquired.owned).toBe(true);
    acquired.dispose();
  });
});

describe.skipIf(noDevice !== undefined)(`a caller's device${unlessDevice}`, () => {
  it('is used unchanged, and stays alive', async () => {
    const own = await openDevice();
    const { device } = own;
    const acquired = await acquireDevice({ ...anyDevice, device });
    expect(acquired.device).toBe(device);
    expect(acquired.owned).toBe(false);
    expect(acquired.adapterInfo).toEqual(own.adapterInfo);
    acquired.dispose();
    await expect(own.createBuffer({ size: 16, usage: BufferUsage.STORAGE }, 'a test')).resolves.toHaveProperty(
      'size',
      16,
    );
    own.dispose();
  });

  it('must not be lost already', async () => {
    const gone = await openDevice();
    gone.device.destroy();
    await gone.lost;
    await expectCode(acquireDevice({ ...anyDevice, device: gone.device }), 'NCCLTS_WEBGPU_DEVICE_LOST');
  });
});

describe('this host', () => {
  it('is recognised as Node', () => {
    expect(currentGpuHost().isNode).toBe(true);
  });
});
