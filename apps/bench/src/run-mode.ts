import { medianOf } from '@nccl-ts/core';
import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { f32 } from '@nccl-ts/kernel';
import { heapMemory } from './heap-memory.ts';
import { interleave, type TimedContender, type Samples } from './interleave.ts';
import { allReduceKernel } from './kernels/all-reduce-kernel.ts';
import { ringAllReduceKernel } from './kernels/ring-all-reduce-kernel.ts';
import { allReduceOnHeap, allReduceOnViews, ringOnHeap, ringOnViews, type HandWritten } from './peers/hand-written.ts';

const RANKS = 4;
const CTAS = 16;
const THREADS = 512;
const COUNT = 1 << 20;
/** The padding of the simulator's allocations, so that no two ranks' elements share cache sets. */
const PADDING_BYTES = 1280;
const ROUNDS = 15;
const WARMUP = 8;

/** A comparison: the simulator's time as a multiple of the faster of two hand-written loops. */
export interface RunModeRow {
  readonly kernel: string;
  readonly samples: readonly Samples[];
  /**
   * The ratio for the JavaScript engine, to which the bar applies, and for the WebAssembly engine.
   */
  readonly ratio: number;
  readonly wasmRatio: number;
  readonly bar: number;
}

/**
 * Compares run mode with hand-written loops over the same bytes. They are warmed up and alternate
 * within one run.
 */
export async function runModeRows(): Promise<readonly RunModeRow[]> {
  await using js = await World.open({ backend: sim({ ranks: RANKS, engine: 'js' }) });
  await using wasm = await World.open({ backend: sim({ ranks: RANKS, engine: 'wasm' }) });
  const launchers = [await launcher(js), await launcher(wasm)] as const;
  const heap = handHeap();
  const hand = (name: string, loop: HandWritten): TimedContender => ({
    name,
    run: () => loop(heap.floats, heap.bases, COUNT),
  });
  const rows: RunModeRow[] = [];
  for (const { kernel, ring, bar, peers } of [
    {
      kernel: 'AllReduce',
      ring: false,
      bar: 2,
      peers: [hand('loop over the heap', allReduceOnHeap), hand('loop over views', allReduceOnViews)],
    },
    {
      kernel: 'ring AllReduce',
      ring: true,
      bar: 4,
      peers: [hand('loop over the heap', ringOnHeap), hand('loop over views', ringOnViews)],
    },
  ]) {
    const engines = launchers.map((launch, i): TimedContender => ({
      name: i === 0 ? 'simulator, js' : 'simulator, wasm',
      run: async () => launch(ring),
    }));
    const samples = await interleave([...engines, ...peers], ROUNDS, WARMUP);
    const [first, second, ...others] = samples;
    const best = Math.min(...others.map(({ ms }) => medianOf(ms)));
    const ratio = (own: Samples | undefined): number => (own === undefined ? Number.NaN : medianOf(own.ms) / best);
    rows.push({ kernel, samples, ratio: ratio(first), wasmRatio: ratio(second), bar });
  }
  return rows;
}

/** Launches the kernel of a row on all ranks of `world`, and waits for it. */
async function launcher(world: World): Promise<(ring: boolean) => Promise<void>> {
  const setups = await world.run(async (comm) => {
    const win = await comm.allocWindow(f32, COUNT);
    if (win === null) throw new Error('the simulator has symmetric memory');
    await win.write(Float32Array.from({ length: COUNT }, (_, i) => (i % 13) / 1024));
    return { win, comm: await comm.createDevComm({ lsaBarrierCount: CTAS }) };
  });
  return async (ring) => {
    await world.run(async (comm) => {
      const setup = setups[comm.rank];
      if (setup === undefined) return;
      const { win, comm: devComm } = setup;
      const shape = { grid: CTAS, block: THREADS };
      if (ring) await comm.launch(ringAllReduceKernel, shape, { comm: devComm, win, count: COUNT });
      else await comm.launch(allReduceKernel, shape, { comm: devComm, win, offset: 0, count: COUNT });
      await comm.synchronize();
    });
  };
}

/** A heap with the simulator's layout: WebAssembly memory with one padded buffer for each rank. */
function handHeap(): { floats: Float32Array; bases: readonly number[] } {
  const stride = COUNT * 4 + PADDING_BYTES;
  const floats = new Float32Array(heapMemory(RANKS * stride));
  for (let i = 0; i < floats.length; i++) floats[i] = (i % 13) / 1024;
  return { floats, bases: Array.from({ length: RANKS }, (_, rank) => (rank * stride) / 4) };
}
