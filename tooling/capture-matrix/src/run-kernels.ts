import { sim } from '@nccl-ts/backend-sim';
import { World, type Communicator, type DevComm, type LaunchOptions, type Window } from '@nccl-ts/communicator';
import { u32, type Kernel } from '@nccl-ts/kernel';

import { integers, floats } from './kernels/arithmetic.ts';
import { atomics } from './kernels/atomics.ts';
import { diagnosed, inPlaceAllReduce, sessions, waiting } from './kernels/communication.ts';
import { controlFlow } from './kernels/control-flow.ts';
import { functions } from './kernels/functions.ts';
import { groups, warps } from './kernels/groups.ts';
import { minifiedForms } from './kernels/minified-forms.ts';
import { multicasts } from './kernels/multicast.ts';
import { scaledBf16, scaledF32, scaledU32, vectorsAndArrays } from './kernels/vectors.ts';

/** All kernels of the matrix except the broken one, in the order in which they run. */
export const kernels: readonly Pick<Kernel, 'name' | 'compile'>[] = [
  integers,
  floats,
  vectorsAndArrays,
  scaledF32,
  scaledBf16,
  scaledU32,
  controlFlow,
  atomics,
  warps,
  groups,
  functions,
  inPlaceAllReduce,
  sessions,
  waiting,
  diagnosed,
  multicasts,
  minifiedForms,
];

const words = 2048;
const count = 50;

interface Rank {
  readonly comm: Communicator;
  readonly dev: DevComm;
  readonly win: Window<'u32'>;
  readonly src: Window<'u32'>;
}

/** The functions that launch each kernel, by its name. */
const launches: Readonly<Record<string, (rank: Rank) => Promise<void>>> = {
  integers: ({ comm, win }) => comm.launch(integers, both, { win, count }),
  floats: ({ comm, win }) => comm.launch(floats, one, { win, count }),
  vectorsAndArrays: ({ comm, win }) => comm.launch(vectorsAndArrays, one, { win, count }),
  'scaled-f32': ({ comm, win }) => comm.launch(scaledF32, one, { win, count }),
  'scaled-bf16': ({ comm, win }) => comm.launch(scaledBf16, one, { win, count }),
  'scaled-u32': ({ comm, win }) => comm.launch(scaledU32, one, { win, count }),
  controlFlow: ({ comm, win }) => comm.launch(controlFlow, both, { win, count }),
  atomics: ({ comm, dev, win }) => comm.launch(atomics, both, { comm: dev, win, count }),
  warps: ({ comm, win }) => comm.launch(warps, one, { win, count }),
  groups: ({ comm, win }) => comm.launch(groups, one, { win, count }),
  functions: ({ comm, dev, win, src }) =>
    comm.launch(functions, one, { comm: dev, src: { window: src, offset: 16 }, win, count }),
  inPlaceAllReduce: ({ comm, dev, src }) =>
    comm.launch(inPlaceAllReduce, both, { comm: dev, win: src, offset: 128, count: 1000 }),
  sessions: ({ comm, dev, win }) => comm.launch(sessions, one, { comm: dev, win, count }),
  waiting: ({ comm, dev, win }) => comm.launch(waiting, one, { comm: dev, win, count }),
  multicasts: ({ comm, dev, win }) => comm.launch(multicasts, one, { comm: dev, win, count }),
  minifiedForms: ({ comm, win }) => comm.launch(minifiedForms, both, { win, count }),
  diagnosed: ({ comm, win }) => comm.launch(diagnosed, one, { win, count }),
};

const one: LaunchOptions = { grid: 1, block: 64 };
const both: LaunchOptions = { grid: 2, block: 64 };

/**
 * Runs every kernel on two simulated ranks, each with the same initial memory. Returns a hash of
 * the final memory for each kernel.
 */
export async function runKernels(): Promise<Readonly<Record<string, string>>> {
  // Node 22 runs this file unchanged, and does not support `await using` yet.
  const world = await World.open({ backend: sim({ ranks: 2 }) });
  const hashes = await world.run(async (comm) => {
    const found: [string, string][] = [];
    for (const { name } of kernels) {
      const win = await comm.allocWindow(u32, words);
      const src = await comm.allocWindow(u32, words);
      await win.write(Uint32Array.from({ length: words }, (_, i) => (i < 32 ? 0 : i * 7 + comm.rank)));
      await src.write(new Uint32Array(Float32Array.from({ length: words }, (_, i) => (i % 17) + comm.rank).buffer));
      // A collective call, so no rank starts before all have filled their memory.
      const dev = await comm.createDevComm({ lsaBarrierCount: 4, lsaMultimem: true });
      await launches[name]?.({ comm, dev, win, src });
      await comm.synchronize();
      found.push([name, hash([await win.read(), await src.read()])]);
    }
    return found;
  });
  await world.close();
  const [first = []] = hashes;
  return Object.fromEntries(first.map(([name], i) => [name, hashes.map((rank) => rank[i]?.[1]).join(' ')]));
}

/** FNV-1a. */
function hash(parts: readonly Uint32Array[]): string {
  let state = 0x811c9dc5;
  for (const part of parts) {
    for (const byte of new Uint8Array(part.buffer, part.byteOffset, part.byteLength)) {
      state = Math.imul(state ^ byte, 0x01000193);
    }
  }
  return (state >>> 0).toString(16).padStart(8, '0');
}
