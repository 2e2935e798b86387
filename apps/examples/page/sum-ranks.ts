import { webgpu, type WebgpuWorld } from '@nccl-ts/backend-webgpu';
import { World, type Communicator } from '@nccl-ts/communicator';
import { f32 } from '@nccl-ts/kernel';
import type { Backend } from '@nccl-ts/transport';
import { allReduceKernel } from '../src/01-allreduce-lsa/all-reduce-kernel.ts';

const CTAS = 16;
const THREADS_PER_CTA = 256;

/** The number of launches after the first, which compiles. */
const AGAIN = 5;

/** The steps of a run, in order. */
export const steps = {
  open: 'Opening the GPU',
  data: 'Giving every rank its data',
  first: 'Compiling the kernel, and running it',
  again: `Running it ${AGAIN} times more`,
  check: 'Reading and checking every sum',
} as const;

export type PageStep = keyof typeof steps;

export interface SumOptions {
  readonly ranks: number;
  /** The number of floats on each rank. */
  readonly count: number;
  /**
   * The mistake to make. `absent`: the last rank launches nothing. `beyond`: the count that the
   * kernel gets is one float too large.
   */
  readonly variant: 'right' | 'absent' | 'beyond';
  /** Called when a step begins. */
  readonly onStep: (step: PageStep) => void;
  /**
   * Called once, when the world is open. The callback may use the world until the run has ended.
   */
  readonly onWorld: (world: WebgpuWorld) => void;
}

export interface Sums {
  /** The expected value of every element on every rank. */
  readonly expected: number;
  /** The number of wrong elements on all ranks. */
  readonly wrong: number;
  /**
   * The times of the later launches in milliseconds, from the first rank's launch to the last
   * rank's end, in ascending order.
   */
  readonly milliseconds: readonly number[];
}

/**
 * Runs the AllReduce of example 01 on WebGPU. Every rank fills a buffer with its number, and a
 * kernel sums the buffers of all ranks. The world is closed at the end.
 *
 * @throws NcclError like `World.open` and `World.run`, if there is no GPU or if the kernel fails.
 */
export async function sumRanks({ ranks, count, variant, onStep, onWorld }: SumOptions): Promise<Sums> {
  onStep('open');
  await using world = await World.open({ backend: observed(ranks, onWorld) });

  onStep('data');
  const prepared = await world.run(async (comm) => {
    const sendWin = await comm.allocWindow(f32, count);
    const recvWin = await comm.allocWindow(f32, count);
    await sendWin.write(new Float32Array(count).fill(comm.rank));
    return { sendWin, recvWin, devComm: await comm.createDevComm({ lsaBarrierCount: CTAS }) };
  });
  const own = ({ rank }: Communicator): (typeof prepared)[number] => {
    const mine = prepared[rank];
    if (mine === undefined) throw new RangeError(`rank ${rank} has not prepared its data`);
    return mine;
  };

  const told = variant === 'beyond' ? count + 1 : count;
  const launchAll = async (): Promise<void> => {
    await world.run(async (comm) => {
      if (variant === 'absent' && comm.rank === ranks - 1) return;
      const { sendWin, recvWin, devComm } = own(comm);
      const args = { sendWin, sendOffset: 0, recvWin, recvOffset: 0, count: told, comm: devComm };
      await comm.launch(allReduceKernel, { grid: CTAS, block: THREADS_PER_CTA }, args);
      await comm.synchronize();
    });
  };
  onStep('first');
  await launchAll();

  onStep('again');
  const milliseconds: number[] = [];
  for (let i = 0; i < AGAIN; i++) {
    const started = performance.now();
    await launchAll();
    milliseconds.push(performance.now() - started);
  }

  onStep('check');
  const expected = (ranks * (ranks - 1)) / 2;
  const wrong = await world.run(async (comm) => {
    const sums = await own(comm).recvWin.read();
    return sums.reduce((found, value) => found + (value === expected ? 0 : 1), 0);
  });
  return {
    expected,
    wrong: wrong.reduce((total, ofRank) => total + ofRank, 0),
    milliseconds: milliseconds.sort((a, b) => a - b),
  };
}

/**
 * The backend, which also exposes its world, because code above a backend sees only the members
 * that all backends have.
 */
function observed(ranks: number, onWorld: (world: WebgpuWorld) => void): Backend {
  const backend = webgpu({ ranks });
  return {
    ...backend,
    open: async (options) => {
      const world = await backend.open(options);
      onWorld(world);
      return world;
    },
  };
}
