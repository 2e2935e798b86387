import { World, type Communicator } from '@nccl-ts/communicator';
import { isNcclError } from '@nccl-ts/core';
import { f32 } from '@nccl-ts/kernel';
import { describe, expect, it } from 'vitest';
import { empty } from './memory-backend/kernels.ts';
import { memoryBackend } from './memory-backend/memory-backend.ts';

type Call = (comm: Communicator, options: never) => Promise<unknown>;

const calls: Readonly<Record<string, Call>> = {
  launch: async (comm, options) => comm.launch(empty, options, {}),
  allocWindow: async (comm, options) => comm.allocWindow(f32, 1, options),
  registerWindow: async (comm, options) => comm.registerWindow(await comm.memAlloc(4096), options),
  createStream: async (comm, options) => comm.createStream(options),
  synchronize: async (comm, options) => comm.synchronize(undefined, options),
  shrink: async (comm, options) => comm.shrink([1], options),
};

const hostile = new Proxy(
  {},
  {
    get: () => {
      throw new Error('nobody may look');
    },
  },
);
const circular: { self?: object } = {};
circular.self = circular;

describe.each(Object.entries(calls))('the options of %s', (_name, call) => {
  it.each([
    ['an option that there is not', { strem: 1 }],
    ['null', null],
    ['a number', 7],
    ['a circular object', circular],
  ])('refuses %s with its own message', async (_what, options) => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 1 }) });
    const comm = world.comm(0);
    const failure: unknown = await call(comm, options as never).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'NcclError', code: 'NCCL_INVALID_ARGUMENT' });
  });
});

describe('errors thrown by JavaScript itself never appear', () => {
  it.each<[string, Call]>([
    ['a signal that is none', async (comm) => comm.launch(empty, { grid: 1, block: 1, signal: 1 as never }, {})],
    [
      'attributes that are none',
      async (comm) => comm.launch(empty, { grid: 1, block: 1, attributes: null as never }, {}),
    ],
    ['work that is none', async (comm) => comm.launch(empty, { grid: 1, block: 1, work: [null] as never }, {})],
    [
      'a kernel that is none',
      async (comm) => comm.launch({ name: 'x', compile: () => ({}) } as never, { grid: 1, block: 1 }, {}),
    ],
    [
      'a value that throws where it is looked at',
      async (comm) => comm.launch(empty, { grid: hostile as never, block: 1 }, {}),
    ],
    ['null to read into', async (comm) => (await comm.allocWindow(f32, 1)).read(null as never)],
    ['null for a companion', async (comm) => comm.companion(null as never)],
  ])('for %s', async (_what, call) => {
    await using world = await World.open({ backend: memoryBackend({ ranks: 1 }) });
    const failure: unknown = await call(world.comm(0), undefined as never).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'NcclError', code: 'NCCL_INVALID_ARGUMENT' });
  });

  it('for any options of a world and a run', async () => {
    for (const options of [null, undefined, 1, { backend: memoryBackend({ ranks: 1 }), sginal: 1 }]) {
      await expect(World.open(options as never)).rejects.toSatisfy((e) => isNcclError(e, 'NCCL_INVALID_ARGUMENT'));
    }
    await using world = await World.open({ backend: memoryBackend({ ranks: 1 }) });
    await expect(world.run(null as never)).rejects.toSatisfy((e) => isNcclError(e, 'NCCL_INVALID_ARGUMENT'));
    await expect(world.run(() => 1, null as never)).rejects.toSatisfy((e) => isNcclError(e, 'NCCL_INVALID_ARGUMENT'));
  });
});
