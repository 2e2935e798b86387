import { NCCL_VERSION } from '@nccl-ts/core';
import { devComm } from '@nccl-ts/devcomm';
import { kernel, primitive, type DeviceFn } from '@nccl-ts/kernel';
import { World, type OpenOptions } from '@nccl-ts/communicator';
import { describe, expect, it } from 'vitest';
import { memoryBackend } from './memory-backend/memory-backend.ts';
import { rejection } from './rejection.ts';

const shape = { grid: 1, block: 32 };
const params = { comm: devComm };
const today = kernel({ name: 'today', params }, () => {});
const old = kernel({ name: 'old', params, apiVersion: 22907 }, () => {});
const tomorrow = kernel({ name: 'tomorrow', apiVersion: 23302 }, () => {});

const flush: DeviceFn<() => void> = primitive({ name: 'gin.flush', params: {} });
const oldGin = kernel({ name: 'oldGin', use: { flush }, apiVersion: 22907 }, ({ flush }) => {
  flush();
});
const thisGin = kernel({ name: 'thisGin', use: { flush }, apiVersion: 23200 }, ({ flush }) => {
  flush();
});

async function open(options: Partial<OpenOptions> = {}): Promise<World> {
  const backend = memoryBackend({ ranks: 1, capabilities: { primitives: ['gin.flush'] } });
  return World.open({ backend, ...options });
}

describe('a kernel of another version', () => {
  it('is refused if it is newer than the runtime, unless the check is off', async () => {
    await using world = await open();
    expect(await rejection(world.comm(0).launch(tomorrow, shape, {}))).toMatchObject({
      code: 'NCCL_INVALID_USAGE',
      message: expect.stringContaining(
        "kernel 'tomorrow' is built for the device API of NCCL 2.33.2, which is newer than the NCCL 2.32.6",
      ),
    });
    await using careless = await open({ versionCheck: false });
    await careless.comm(0).launch(tomorrow, shape, {});
  });

  it('is refused if it uses GIN and is of another minor version', async () => {
    await using world = await open();
    expect(await rejection(world.comm(0).launch(oldGin, shape, {}))).toMatchObject({
      code: 'NCCL_INVALID_USAGE',
      message: expect.stringMatching(/kernel 'oldGin' .* uses GIN \(gin\.flush\).*Recompile it/),
    });
    await world.comm(0).launch(thisGin, shape, {});
  });

  it('runs only with a device communicator of its version', async () => {
    await using world = await open();
    const comm = world.comm(0);
    const ofOld = await comm.createDevComm({ lsaBarrierCount: 1, apiVersion: 22907 });
    const ofToday = await comm.createDevComm({ lsaBarrierCount: 1 });
    expect([ofOld.plan.apiVersion, ofToday.plan.apiVersion]).toEqual([22907, NCCL_VERSION.code]);
    await comm.launch(old, shape, { comm: ofOld });
    await comm.launch(today, shape, { comm: ofToday });
    expect(await rejection(comm.launch(old, shape, { comm: ofToday }))).toMatchObject({
      code: 'NCCL_INVALID_USAGE',
      message:
        'launch of old: the kernel is built for the device API of NCCL 2.29.7, and the device communicator was created for ' +
        '2.32.6. Use the same version for both: give kernel(...) and createDevComm(...) the same apiVersion, or neither.',
    });
    expect(await rejection(comm.launch(today, shape, { comm: ofOld }))).toMatchObject({ code: 'NCCL_INVALID_USAGE' });
  });
});

describe('a device communicator of another version', () => {
  it("is created according to the world's version check", async () => {
    await using world = await open();
    const refused = await rejection(world.comm(0).createDevComm({ apiVersion: 23302 }));
    expect(refused).toMatchObject({ code: 'NCCL_INVALID_USAGE' });
    await using careless = await open({ versionCheck: false });
    expect((await careless.comm(0).createDevComm({ apiVersion: 23302 })).plan.apiVersion).toBe(23302);
  });
});

it('versionCheck of a world must be true or false', async () => {
  // @ts-expect-error not a boolean
  expect(await rejection(open({ versionCheck: 0 }))).toMatchObject({
    code: 'NCCL_INVALID_ARGUMENT',
    message: 'World.open: versionCheck must be true or false; given 0.',
  });
});

it("a kernel's module has its version", () => {
  expect(old.compile().apiVersion).toBe(22907);
  expect(today.compile()).not.toHaveProperty('apiVersion');
  expect(() => kernel({ name: 'k', apiVersion: 2.3 }, () => {})).toThrow("kernel 'k': apiVersion (2.29.7 is 22907)");
});
