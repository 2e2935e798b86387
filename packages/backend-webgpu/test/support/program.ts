import { webgpu } from '@nccl-ts/backend-webgpu';
import { World, type Communicator } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { f32, kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { BufferUsage, MapMode } from '../../src/gpu/gpu-flags.ts';

export const allReduce = kernel(
  { name: 'allReduce', use: { lsa }, params: { comm: devComm, win: window, count: u32 } },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32 }, { comm, win, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'acquire');
    const nRanks = comm.lsaSize;
    const first = threadIdx.x + blockDim.x * (comm.lsaRank + blockIdx.x * nRanks);
    for (let i = first; i < count; i += blockDim.x * gridDim.x * nRanks) {
      let v = f32(0);
      for (let peer = 0; peer < nRanks; peer++) v += lsa.pointer(win, f32, 0, peer)[i]!;
      for (let peer = 0; peer < nRanks; peer++) lsa.pointer(win, f32, 0, peer)[i] = v;
    }
    bar.sync(coopCta(), 'release');
  },
);

export const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = BufferUsage;
export const everything = STORAGE | COPY_SRC | COPY_DST;
export const CTAS = 2;

/** A program with its own device, which uses only WebGPU's calls on it. */
export class Program {
  readonly device: GPUDevice;

  constructor(device: GPUDevice) {
    this.device = device;
  }

  buffer(floats: Float32Array<ArrayBuffer>, usage: number = everything): GPUBuffer {
    const buffer = this.device.createBuffer({ label: 'mine', size: floats.byteLength, usage });
    if ((usage & COPY_DST) !== 0) this.device.queue.writeBuffer(buffer, 0, floats);
    return buffer;
  }

  async contents(buffer: GPUBuffer): Promise<Float32Array> {
    const { size } = buffer;
    const staging = this.device.createBuffer({ size, usage: MAP_READ | COPY_DST });
    const encoder = this.device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, staging, 0, size);
    this.device.queue.submit([encoder.finish()]);
    await staging.mapAsync(MapMode.READ);
    const floats = new Float32Array(staging.getMappedRange()).slice();
    staging.destroy();
    return floats;
  }

  async open(ranks: number): Promise<World> {
    return World.open({ backend: webgpu({ ranks, device: this.device }) });
  }
}

/** Adopts the buffer and sums it with those of the other ranks. */
export async function sum(
  comm: Communicator,
  buffer: GPUBuffer,
  part: { offset: number; count: number },
): Promise<void> {
  const { offset, count } = part;
  const memory = await comm.adoptMemory(buffer);
  const win = await comm.registerWindow(memory, { type: f32, offset, bytes: count * 4 });
  if (win === null) throw new Error('there is no symmetric memory');
  const devComm = await comm.createDevComm({ lsaBarrierCount: CTAS });
  await comm.launch(allReduce, { grid: CTAS, block: 64 }, { comm: devComm, win, count });
  await comm.synchronize();
}
