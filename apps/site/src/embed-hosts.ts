/** A host program for a kernel of a document that has none. */
export interface EmbedHost {
  readonly file: string;
  /** The name of the kernel, which occurs in no other program of the file. */
  readonly kernel: string;
  /** The text that follows the document's. */
  readonly host: string;
  /** The number of ranks: one if no rank touches the memory of another. @default 4 */
  readonly ranks?: number;
}

const fromIndex = "import type { Communicator } from 'nccl-ts';";
const fromPackage = "import type { Communicator } from '@nccl-ts/communicator';";

/** The hosts of kernels in documents. The site's tests check each of them with its kernel. */
export const embedHosts: readonly EmbedHost[] = [
  {
    file: 'docs/how-to/test-a-kernel-in-ci.md',
    kernel: 'gather',
    host: `${fromIndex}

export async function host(comm: Communicator) {
  const win = await comm.allocWindow(u32, comm.nRanks);
  const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
  await comm.launch(gather, { grid: 1, block: 32 }, { comm: dev, win });
  return win.read();
}`,
  },
  {
    file: 'docs/explanation/how-a-kernel-is-compiled.md',
    kernel: 'twice',
    ranks: 1,
    host: `import { winGetUserPtr } from '@nccl-ts/communicator';
${fromIndex}

export async function host(comm: Communicator) {
  const count = 64;
  const win = await comm.allocWindow(f32, count);
  await win.write(Float32Array.from({ length: count }, (_, i) => i));
  await comm.launch(twice, { grid: 2, block: 32 }, { x: winGetUserPtr(win), count });
  return (await win.read()).slice(0, 4);
}`,
  },
  {
    file: 'docs/explanation/memory-model-for-cuda-programmers.md',
    kernel: 'handOver',
    ranks: 1,
    host: `import { winGetUserPtr, type Communicator } from '@nccl-ts/communicator';

export async function host(comm: Communicator) {
  const [data, flag] = [await comm.allocWindow(u32, 32), await comm.allocWindow(u32, 1)];
  await comm.launch(handOver, { grid: 2, block: 32 }, { data: winGetUserPtr(data), flag: winGetUserPtr(flag) });
  return (await data.read()).slice(0, 4);
}`,
  },
  {
    file: 'docs/explanation/memory-model-from-scratch.md',
    kernel: 'message',
    host: `${fromIndex}

export async function host(comm: Communicator) {
  const win = await comm.allocWindow(u32, 4);
  const dev = await comm.createDevComm();
  if (comm.rank < 2) await comm.launch(message, { grid: 1, block: 1 }, { comm: dev, win });
  return win.read();
}`,
  },
  {
    file: 'packages/barrier/README.md',
    kernel: 'tellAll',
    host: `import { u32 } from '@nccl-ts/kernel';
${fromPackage}

export async function host(comm: Communicator) {
  const told = await comm.allocWindow(u32, comm.nRanks);
  const dev = await comm.createDevComm({ barrierCount: 1, worldGinBarrierCount: 1, ginConnectionType: 'full' });
  await comm.launch(tellAll, { grid: 1, block: 32 }, { comm: dev, told });
  return told.read();
}`,
  },
  {
    file: 'packages/cft/README.md',
    kernel: 'allGather',
    host: `${fromPackage}

export async function host(comm: Communicator) {
  const dev = await comm.createDevComm({ cftCaps: 'cft' });
  // WindowFlags.CollSymmetric and WindowFlags.CftCounted
  const win = await comm.allocWindow(u32, 1024, { flags: 9 });
  await comm.launch(allGather, { grid: 1, block: 32 }, { comm: dev, win, counter: 2048 });
  return (await win.read()).slice(0, 128);
}`,
  },
  {
    file: 'packages/devcomm/README.md',
    kernel: 'example',
    host: `${fromPackage}

export async function host(comm: Communicator) {
  const [win, data] = [await comm.allocWindow(u32, 1), await comm.allocWindow(f32, 32)];
  const dev = await comm.createDevComm();
  await comm.launch(example, { grid: 1, block: 32 }, { comm: dev, win, data: data.symPtr(), n: 32 });
  return (await data.read()).slice(0, 4);
}`,
  },
  {
    file: 'packages/gin/README.md',
    kernel: 'allToAll',
    host: `${fromPackage}

export async function host(comm: Communicator) {
  const [send, recv] = [await comm.allocWindow(u32, comm.nRanks), await comm.allocWindow(u32, comm.nRanks)];
  await send.write(Uint32Array.from({ length: comm.nRanks }, (_, peer) => 10 * comm.rank + peer));
  const dev = await comm.createDevComm({ ginConnectionType: 'full', ginSignalCount: 1, worldGinBarrierCount: 1 });
  await comm.launch(allToAll, { grid: 1, block: 32 }, { comm: dev, send, recv, bytes: 4 });
  return recv.read();
}`,
  },
  {
    file: 'packages/kernel/README.md',
    kernel: 'axpy',
    ranks: 1,
    host: `import { winGetUserPtr, type Communicator } from '@nccl-ts/communicator';

export async function host(comm: Communicator) {
  const count = 64;
  const [x, y] = [await comm.allocWindow(f32, count), await comm.allocWindow(f32, count)];
  await x.write(Float32Array.from({ length: count }, (_, i) => i));
  await comm.launch(axpy, { grid: 2, block: 32 }, { x: winGetUserPtr(x), y: winGetUserPtr(y), count });
  return (await y.read()).slice(0, 4);
}`,
  },
  {
    file: 'packages/kernel/README.md',
    kernel: 'dot',
    ranks: 1,
    host: `import { winGetUserPtr, type Communicator } from '@nccl-ts/communicator';

export async function host(comm: Communicator) {
  const count = 8;
  const [a, b, out] = [await comm.allocWindow(f32, count), await comm.allocWindow(f32, count), await comm.allocWindow(f32, 1)];
  for (const one of [a, b]) await one.write(Float32Array.from({ length: count }, (_, i) => i));
  const pointers = { a: winGetUserPtr(a), b: winGetUserPtr(b), out: winGetUserPtr(out) };
  await comm.launch(dot, { grid: 1, block: 32 }, { ...pointers, count });
  return out.read();
}`,
  },
  {
    file: 'packages/ll-a2a/README.md',
    kernel: 'smallAllReduce',
    host: `import { llA2ACalcSlots, llA2ACreateRequirement } from '@nccl-ts/devcomm';
import { f32 } from '@nccl-ts/kernel';
${fromPackage}

export async function host(comm: Communicator) {
  const [grid, block] = [1, 32];
  const win = await comm.allocWindow(f32, grid * block);
  await win.write(new Float32Array(grid * block).fill(comm.rank + 1));
  const slots = llA2ACreateRequirement(grid, llA2ACalcSlots(comm.nRanks * block, 4));
  const dev = await comm.createDevComm({ resourceRequirementsList: [slots.requirement] });
  const handle = slots.handleOf(dev.plan.resources[0]);
  await comm.launch(smallAllReduce, { grid, block }, { comm: dev, handle, win });
  return (await win.read()).slice(0, 4);
}`,
  },
  {
    file: 'packages/lsa/README.md',
    kernel: 'sumOfPeers',
    host: `import { f32 } from '@nccl-ts/kernel';
${fromPackage}

export async function host(comm: Communicator) {
  const count = 32;
  const win = await comm.allocWindow(f32, 2 * count);
  await win.write(new Float32Array(2 * count).fill(comm.rank + 1));
  const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
  // The sums go to the first half, and the ranks' numbers are in the second.
  await comm.launch(sumOfPeers, { grid: 1, block: 32 }, { comm: dev, win, offset: 4 * count, count });
  return (await win.read()).slice(0, 4);
}`,
  },
  {
    file: 'packages/multimem/README.md',
    kernel: 'allReduce',
    host: `import { bf16 } from '@nccl-ts/kernel';
${fromPackage}

export async function host(comm: Communicator) {
  const count = 16; // vectors of eight
  const win = await comm.allocWindow(bf16, 8 * count);
  await win.write(new Float32Array(8 * count).fill(comm.rank + 1));
  const dev = await comm.createDevComm({ lsaMultimem: true, lsaBarrierCount: 1 });
  await comm.launch(allReduce, { grid: 1, block: 32 }, { comm: dev, win, offset: 0, count });
  return (await win.read()).slice(0, 4);
}`,
  },
  {
    file: 'packages/mutation/README.md',
    kernel: 'reverse',
    host: `import { winGetUserPtr, type Communicator } from '@nccl-ts/communicator';

export async function host(comm: Communicator) {
  const win = await comm.allocWindow(f32, 32);
  await win.write(Float32Array.from({ length: 32 }, (_, i) => i));
  await comm.launch(reverse, { grid: 1, block: 32 }, { data: winGetUserPtr(win) });
  return (await win.read()).slice(0, 4);
}`,
  },
  {
    file: 'packages/reduce-copy/README.md',
    kernel: 'sumOfRanks',
    host: `${fromPackage}

export async function host(comm: Communicator) {
  const count = 64;
  const [src, dst] = [await comm.allocWindow(bf16, count), await comm.allocWindow(bf16, count)];
  await src.write(new Float32Array(count).fill(comm.rank + 1));
  const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
  await comm.launch(sumOfRanks, { grid: 1, block: 32 }, { comm: dev, src: src.symPtr(), dst: dst.symPtr(), count });
  return (await dst.read()).slice(0, 4);
}`,
  },
];
