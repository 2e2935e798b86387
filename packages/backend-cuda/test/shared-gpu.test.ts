import { World } from '@nccl-ts/communicator';
import { devComm } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFakeGpu, noFakeGpu, unlessFakeGpu, type FakeGpu } from './support/fake-gpu.ts';

const meets = kernel(
  { name: 'meets', use: { lsa }, params: { comm: devComm } },
  ({ lsa, coopCta, blockIdx }, { comm }) => {
    lsa.barrierSession(coopCta(), comm, blockIdx.x).sync(coopCta(), 'acq_rel');
  },
);
const alone = kernel({ name: 'alone', params: {} }, () => undefined);

describe.skipIf(noFakeGpu !== undefined)(`ranks that share a GPU${unlessFakeGpu}`, () => {
  let gpu: FakeGpu;
  beforeAll(() => {
    gpu = createFakeGpu();
    gpu.configure(2, 2);
  });
  afterAll(() => gpu.dispose());
  beforeEach(() => {
    for (const name of ['NCCL_MULTI_RANK_GPU_ENABLE', 'CUDA_DEVICE_MAX_CONNECTIONS']) vi.stubEnv(name, undefined);
  });

  it.each([
    [{ ranks: 5 }, [0, 1, 0, 1, 0], 3],
    [{ ranks: 2, devices: [1] }, [1, 1], 2],
    [{ devices: [0, 0, 1] }, [0, 0, 1], 2],
    [{ ranks: 1 }, [0], 1],
    [{ devices: [1, 0] }, [1, 0], 1],
  ])('%j: rank by rank on GPU %j', async (options, devices, ranksPerDevice) => {
    await using world = await gpu.backend(options).open({ onStall: () => undefined });
    expect(world.localRanks.map((rank) => world.deviceOf(rank))).toEqual(devices);
    expect(world.ranksPerDevice).toBe(ranksPerDevice);
    expect(process.env['NCCL_MULTI_RANK_GPU_ENABLE']).toBe(ranksPerDevice > 1 ? '1' : undefined);
  });

  it.each([
    ['of their own, which NVLink connects', { ranks: 2 }, undefined, true],
    ['of their own, which PCIe connects', { ranks: 2 }, 'PCIe', false],
    ['that they share', { ranks: 4 }, undefined, false],
    ['of which there is one', { ranks: 1 }, undefined, false],
  ])('have NVLink or not: GPUs %s', async (_, options, link, expected) => {
    vi.stubEnv('FAKE_LINK', link);
    await using world = await World.open({ backend: gpu.backend(options) });
    expect(world.comm(0).nvlink).toBe(expected);
  });

  it('are refused with too few hardware queues', async () => {
    vi.stubEnv('CUDA_DEVICE_MAX_CONNECTIONS', '2');
    await expect(World.open({ backend: gpu.backend({ ranks: 4 }) })).rejects.toMatchObject({
      code: 'NCCL_INVALID_USAGE',
      message: expect.stringContaining('2 ranks share a GPU, but CUDA_DEVICE_MAX_CONNECTIONS is 2'),
    });
    vi.stubEnv('CUDA_DEVICE_MAX_CONNECTIONS', '16');
    await using world = await World.open({ backend: gpu.backend({ ranks: 4 }) });
    expect(world.comm(3).ranksPerDevice).toBe(2);
  });

  it('run launches one after the other, because a waiting launch could occupy the room of the one that it waits for', async () => {
    await using world = await World.open({ backend: gpu.backend({ ranks: 4 }) });
    await world.run(async (comm) => comm.launch(alone, { grid: 1, block: 32 }, {}));
    expect(gpu.lastLaunch().attributes).toEqual([]);
  });

  it('share the GPU for kernels that wait, and use all of it for others', async () => {
    await using world = await World.open({ backend: gpu.backend({ ranks: 4 }) });
    // The fake GPU runs 132 times 2048 threads.
    await world.run(async (comm) => {
      const dev = await comm.createDevComm({ lsaBarrierCount: 600 });
      await comm.launch(meets, { grid: 528, block: 256 }, { comm: dev });
      await expect(comm.launch(meets, { grid: 529, block: 256 }, { comm: dev })).rejects.toMatchObject({
        code: 'NCCL_INVALID_USAGE',
        message: expect.stringContaining(
          `Kernel 'meets' waits for other CTAs, and up to 2 ranks share GPU ${comm.rank % 2}: beside one another each can have ` +
            '528 CTAs of 256 threads there; the launch has 529.',
        ),
      });
      await comm.launch(alone, { grid: 529, block: 256 }, {});
    });
  });

  it('report why they cannot share it', async () => {
    const open = async (): Promise<unknown> => gpu.backend({ ranks: 3 }).open({ onStall: () => undefined });
    gpu.failNext(5);
    await expect(open()).rejects.toMatchObject({
      code: 'NCCL_INVALID_USAGE',
      message: expect.stringContaining(
        'NCCL_MULTI_RANK_GPU_ENABLE must be 1 before the first communicator of the process',
      ),
    });
    vi.stubEnv('NCCL_MULTI_RANK_GPU_ENABLE', '0');
    await expect(open()).rejects.toMatchObject({
      code: 'NCCL_INVALID_USAGE',
      message:
        'There are more ranks than GPUs, and several share one only where NCCL_MULTI_RANK_GPU_ENABLE is 1; it is 0.',
    });
    await using world = await gpu.backend({ ranks: 2 }).open({ onStall: () => undefined });
    expect(world.ranksPerDevice).toBe(1);
    await expect(
      gpu.backend({ ranks: 2, devices: [0] }).open({
        onStall: () => undefined,
        process: { rank: 0, nRanks: 2, uniqueId: new Uint8Array(128).fill(7) },
      }),
    ).rejects.toMatchObject({
      code: 'NCCL_INVALID_ARGUMENT',
      message: 'ranks must be 1 where each process holds one rank; given 2.',
    });
  });
});
