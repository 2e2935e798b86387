import { describe, expect, it } from 'vitest';
import { probe } from '@nccl-ts/backend-webgpu';
import type { GpuHost } from '../../src/gpu/find-gpu.ts';
import { probeHost } from '../../src/probe.ts';
import { noDevice, unlessDevice } from '../support/device.ts';
import { expectCode } from '../support/expect-code.ts';

/** A page in a browser, or a process of Node, that lacks the members that are not given. */
function host(given: Partial<GpuHost>): GpuHost {
  const importPackage = async (): Promise<unknown> => Promise.reject(new Error("Cannot find package 'webgpu'"));
  return { gpu: undefined, isNode: false, isSecureContext: true, importPackage, ...given };
}

describe('probe', () => {
  it('reports the missing package in Node', async () => {
    // A unique name, because the package's results are cached by name.
    const report = await probeHost({ adapter: 'unprobed' }, host({ isNode: true }));
    expect(report.ok).toBe(false);
    expect(report.gpu).toBeUndefined();
    expect(report.items).toEqual([
      {
        name: 'WebGPU',
        ok: false,
        code: 'NCCLTS_WEBGPU_MISSING',
        problem: expect.stringContaining('npm install webgpu'),
      },
      { name: 'adapter', ok: undefined, because: 'there is no WebGPU' },
      { name: 'device', ok: undefined, because: 'there is no WebGPU' },
    ]);
  });

  it('reports a missing adapter, with a fix', async () => {
    const { ok, items } = await probeHost({}, host({ gpu: { requestAdapter: async () => null }, isNode: true }));
    expect(ok).toBe(false);
    expect(items).toEqual([
      { name: 'WebGPU', ok: true, found: 'navigator.gpu' },
      {
        name: 'adapter',
        ok: false,
        code: 'NCCLTS_WEBGPU_NO_ADAPTER',
        problem: expect.stringContaining('VK_ICD_FILENAMES'),
      },
      { name: 'device', ok: undefined, because: 'there is no adapter' },
    ]);
  });

  it('reports an adapter without a device', async () => {
    const info = { vendor: 'acme', architecture: 'one' };
    const requestDevice = async (): Promise<never> => Promise.reject(new Error('too busy'));
    const adapter = { limits: {}, features: new Set(), info, requestDevice };
    const { ok, items } = await probeHost({}, host({ gpu: { requestAdapter: async () => adapter } }));
    expect(ok).toBe(false);
    expect(items.at(-1)).toMatchObject({ name: 'device', ok: false, code: 'NCCLTS_WEBGPU_NO_DEVICE' });
    expect(items.map((item) => item.ok)).toEqual([true, true, false]);
  });

  it('rejects wrong options', async () => {
    await expectCode(probe({ adapter: '' }), 'NCCL_INVALID_ARGUMENT');
  });
});

describe.skipIf(noDevice !== undefined)(`probe on this host${unlessDevice}`, () => {
  it('finds a GPU and reports its features, in JSON', async () => {
    const report = await probe();
    expect(report.ok).toBe(true);
    expect(report.items.every(({ ok }) => ok)).toBe(true);
    const most = report.gpu?.limits.maxStorageBuffersPerShaderStage ?? 0;
    expect(most).toBeGreaterThanOrEqual(8);
    expect(report.gpu?.adoptableBuffers).toBe(most - 5);
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
    // Nothing is kept, so it can be called again.
    expect(await probe()).toEqual(report);
  });
});
