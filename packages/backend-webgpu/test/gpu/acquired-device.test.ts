import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NcclError } from '@nccl-ts/core';
import type { AcquiredDevice } from '../../src/gpu/acquired-device.ts';
import { BufferUsage, MapMode } from '../../src/gpu/gpu-flags.ts';
import { noDevice, openDevice, unlessDevice } from '../support/device.ts';
import { expectCode } from '../support/expect-code.ts';

const never = new Promise<never>(() => undefined);

describe.skipIf(noDevice !== undefined)(`the loss of a device${unlessDevice}`, () => {
  it('ends all pending waits', async () => {
    const acquired = await openDevice();
    const told: NcclError[] = [];
    acquired.onLost((error) => told.push(error));
    let toldAfterStop = false;
    const stop = acquired.onLost(() => {
      toldAfterStop = true;
    });
    stop();
    const staging = await acquired.createBuffer({ size: 16, usage: BufferUsage.MAP_READ }, 'a test');
    const waiting = acquired.unlessLost('a test', never);
    const mapping = acquired.unlessLost('a test', staging.mapAsync(MapMode.READ));
    acquired.device.destroy();
    const error = await expectCode(waiting, 'NCCLTS_WEBGPU_DEVICE_LOST');
    expect(await expectCode(mapping, 'NCCLTS_WEBGPU_DEVICE_LOST')).toBe(error);
    expect(await acquired.lost).toBe(error);
    expect(acquired.lossError).toBe(error);
    expect(told).toEqual([error]);
    expect(toldAfterStop).toBe(false);
    expect(error.details).toMatchObject({ reason: 'destroyed' });
    expect(error.message).toContain('The GPU device is lost, and all memory on it');
  });

  it('ends all later calls', async () => {
    const acquired = await openDevice();
    acquired.device.destroy();
    const error = await acquired.lost;
    const told: NcclError[] = [];
    acquired.onLost((loss) => told.push(loss));
    expect(told).toEqual([error]);
    expect(() => acquired.check('a test')).toThrow(error);
    const buffer = acquired.createBuffer({ size: 16, usage: BufferUsage.STORAGE }, 'a test');
    expect(await expectCode(buffer, 'NCCLTS_WEBGPU_DEVICE_LOST')).toBe(error);
    expect(await expectCode(acquired.unlessLost('a test', never), 'NCCLTS_WEBGPU_DEVICE_LOST')).toBe(error);
  });

  it('is ignored after the device was released', async () => {
    const acquired = await openDevice();
    let told = false;
    acquired.onLost(() => {
      told = true;
    });
    acquired.dispose();
    acquired.dispose();
    await acquired.device.lost;
    expect(told).toBe(false);
    expect(acquired.lossError).toBeUndefined();
    await expectCode(acquired.createBuffer({ size: 16, usage: BufferUsage.STORAGE }, 'a test'), 'NCCLTS_CLOSED');
  });

  it('leaves other failures unchanged', async () => {
    const acquired = await openDevice();
    const failure = new Error('something else');
    await expect(acquired.unlessLost('a test', Promise.reject(failure))).rejects.toBe(failure);
    await expect(acquired.unlessLost('a test', Promise.resolve(5))).resolves.toBe(5);
    acquired.dispose();
  });
});

describe.skipIf(noDevice !== undefined)(`an error that WebGPU reports${unlessDevice}`, () => {
  let acquired: AcquiredDevice;
  beforeAll(async () => {
    acquired = await openDevice();
  });
  afterAll(() => acquired.dispose());

  it('reaches the operation that caused it', async () => {
    const first = new Promise<NcclError>((resolve) => {
      const stop = acquired.onUncaptured((error) => {
        stop();
        resolve(error);
      });
    });
    acquired.device.createBuffer({ size: 16, usage: BufferUsage.MAP_READ | BufferUsage.STORAGE });
    const error = await first;
    expect(error.code).toBe('NCCL_INTERNAL_ERROR');
    expect(error.message).toContain('WebGPU reports');
  });

  it('is thrown at the call that caused it', async () => {
    const create = (usage: number) => () => acquired.device.createBuffer({ size: 16, usage });
    await expect(acquired.validated('a test', create(BufferUsage.STORAGE))).resolves.toHaveProperty('size', 16);
    const wrong = acquired.validated('a test', create(BufferUsage.MAP_READ | BufferUsage.STORAGE));
    expect((await expectCode(wrong, 'NCCL_INTERNAL_ERROR')).message).toContain('a test: WebGPU reports');
    const thrown = new Error('thrown');
    const throws = (): never => {
      throw thrown;
    };
    await expect(acquired.validated('a test', throws)).rejects.toBe(thrown);
  });

  it('is converted if there is no memory', async () => {
    const { maxBufferSize } = acquired.limits;
    const size = maxBufferSize + 4;
    const error = await expectCode(
      acquired.createBuffer({ size, usage: BufferUsage.STORAGE }, 'a test'),
      'NCCLTS_OUT_OF_MEMORY',
    );
    expect(error.details).toEqual({ bytes: size, limit: maxBufferSize });
    expect(error.message).toContain(`no room for a test: ${size} bytes requested`);
  });

  it('is converted if the GPU has no memory left', async ({ skip }) => {
    skip(acquired.adapterInfo.architecture !== 'swiftshader', 'only SwiftShader is known to refuse its largest buffer');
    const size = acquired.limits.maxBufferSize;
    const error = await expectCode(
      acquired.createBuffer({ size, usage: BufferUsage.STORAGE }, 'a test'),
      'NCCLTS_OUT_OF_MEMORY',
    );
    expect(error.details).toEqual({ bytes: size, limit: size });
    expect(error.message).toContain('the GPU has no room for them');
  });
});
