import { webgpu } from '@nccl-ts/backend-webgpu';
import { World } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { f32, kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { BufferUsage } from '../src/gpu/gpu-flags.ts';
import { noDevice, openDevice, unlessDevice } from './support/device.ts';
import { expectCode } from './support/expect-code.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const increment = kernel(
  { name: 'increment', use: { lsa }, params: { win: window, count: u32 } },
  ({ lsa, threadIdx, blockDim, f32 }, { win, count }) => {
    const p = lsa.localPointer(win, f32, 0);
    for (let i = threadIdx.x; i < count; i += blockDim.x) p[i] = p[i]! + f32(1);
  },
);

const meet = kernel(
  { name: 'meet', use: { lsa }, params: { comm: devComm, win: window } },
  ({ lsa, coopCta, blockIdx, threadIdx, f32 }, { comm, win }) => {
    lsa.barrierSession(coopCta(), comm, blockIdx.x).sync(coopCta(), 'acq_rel');
    if (threadIdx.x === 0) lsa.localPointer(win, f32, 0)[0] = f32(5);
  },
);

describe.skipIf(noDevice !== undefined)(`a program's buffers while kernels run${unlessDevice}`, () => {
  let device: GPUDevice;
  let dispose: () => void;
  let problems: string[] = [];
  beforeAll(async () => {
    const acquired = await openDevice();
    device = acquired.device;
    dispose = () => acquired.dispose();
    device.addEventListener('uncapturederror', ({ error }) => problems.push(error.message));
  });
  beforeEach(() => {
    problems = [];
  });
  afterAll(() => dispose());
  const create = (): GPUBuffer =>
    device.createBuffer({ size: 8192, usage: BufferUsage.STORAGE | BufferUsage.COPY_SRC | BufferUsage.COPY_DST });
  const open = async (ranks: number): Promise<World> => World.open({ backend: webgpu({ ranks, device }) });

  it('may be adopted while a kernel is compiled', async () => {
    await using world = await open(1);
    const comm = world.comm(0);
    const win = await comm.allocWindow(f32, 4096);
    await comm.launch(increment, { grid: 1, block: 64 }, { win, count: 4096 });
    await comm.adoptMemory(create());
    expect((await win.read())[4095]).toBe(1);
    expect(problems).toEqual([]);
  });

  it.for(slow)('may be released and destroyed while kernels of other ranks wait', async () => {
    await using world = await open(3);
    const started = { launches: 0 };
    const results = await world.run(async (comm) => {
      const win = await comm.allocWindow(f32, 1024);
      const devComm = await comm.createDevComm({ lsaBarrierCount: 1 });
      const mine = create();
      const memory = await comm.adoptMemory(mine);
      if (comm.rank < 2) {
        await comm.launch(meet, { grid: 1, block: 32 }, { comm: devComm, win });
        started.launches++;
      } else {
        // Every read of memory gives the others' kernels time to reach their barrier.
        for (let looks = 0; looks < 20 || started.launches < 2; looks++) await win.read();
        await memory.close();
        mine.destroy();
        await comm.launch(meet, { grid: 1, block: 32 }, { comm: devComm, win });
      }
      return (await win.read())[0];
    });
    expect(results).toEqual([5, 5, 5]);
    expect(problems).toEqual([]);
  });

  it('are reported if they are destroyed while adopted', async () => {
    await using world = await open(1);
    const comm = world.comm(0);
    const mine = create();
    const memory = await comm.adoptMemory(mine);
    const win = await comm.registerWindow(memory, { type: f32 });
    if (win === null) return;
    mine.destroy();
    await comm.launch(increment, { grid: 1, block: 64 }, { win, count: 64 });
    const error = await expectCode(comm.synchronize(), 'NCCL_INVALID_USAGE');
    expect(error.message).toContain('must not be destroyed or mapped');
    await win.deregister();
    await memory.close();
    // Without it, kernels run again.
    const other = await comm.allocWindow(f32, 64);
    await comm.launch(increment, { grid: 1, block: 64 }, { win: other, count: 64 });
    expect((await other.read())[63]).toBe(1);
  });
});
