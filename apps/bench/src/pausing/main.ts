import { sim, type SimOptions } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { f32, u32 } from '@nccl-ts/kernel';
import { parseArgs } from 'node:util';
import { allReduceKernel } from '../kernels/all-reduce-kernel.ts';
import { nestedLoopsKernel, partedThreadsKernel, sharedRoundsKernel } from '../kernels/loop-kernels.ts';
import { ringAllReduceKernel } from '../kernels/ring-all-reduce-kernel.ts';
import { machineText, writeResults } from '../write-results.ts';
import { pairedCost, type Cost } from './paired-cost.ts';
import { unpausedSim } from './unpaused.ts';

/*
 * Measures the cost of turns that can pause. It compares run mode with the same simulator without
 * pauses. The control compares two simulators without pauses, which shows the noise of this
 * machine. node apps/bench/dist/pausing/main.js [--pairs N] [--only KERNEL] [--json FILE] Both take
 * turns in one process, in an order that alternates. A pair of samples is compared by the CPU time
 * of the process. The exit code is 0 if each row's median ratio is within the bar.
 */

const BAR = 1.02;
const WARMUP = 10;
const COUNT = 1 << 20;

type StartLaunch = () => Promise<void>;

/** By kernel: makes a function that launches it and waits for it. */
const programs: Readonly<Record<string, (world: World) => Promise<StartLaunch>>> = {
  AllReduce: async (world) => {
    const setups = await world.run(async (comm) => ({
      win: await comm.allocWindow(f32, COUNT),
      devComm: await comm.createDevComm({ lsaBarrierCount: 16 }),
    }));
    return async () => {
      await world.run(async (comm) => {
        const { win, devComm } = setups[comm.rank] ?? {};
        if (win === undefined || devComm === undefined) return;
        await comm.launch(allReduceKernel, { grid: 16, block: 512 }, { comm: devComm, win, offset: 0, count: COUNT });
        await comm.synchronize();
      });
    };
  },
  'ring AllReduce': async (world) => {
    const setups = await world.run(async (comm) => ({
      win: await comm.allocWindow(f32, COUNT),
      devComm: await comm.createDevComm({ lsaBarrierCount: 16 }),
    }));
    return async () => {
      await world.run(async (comm) => {
        const { win, devComm } = setups[comm.rank] ?? {};
        if (win === undefined || devComm === undefined) return;
        await comm.launch(ringAllReduceKernel, { grid: 16, block: 512 }, { comm: devComm, win, count: COUNT });
        await comm.synchronize();
      });
    };
  },
  'loops in loops of threads': async (world) => launchOf(world, nestedLoopsKernel, 1 << 14),
  'loops of threads in shared loops': async (world) => launchOf(world, sharedRoundsKernel, 2048),
  'threads with a program counter each': async (world) => launchOf(world, partedThreadsKernel, 128),
};

async function launchOf(world: World, kernel: typeof nestedLoopsKernel, count: number): Promise<StartLaunch> {
  const windows = await world.run(async (comm) => comm.allocWindow(u32, 1 << 16));
  return async () => {
    await world.run(async (comm) => {
      const win = windows[comm.rank];
      if (win === undefined) return;
      await comm.launch(kernel, { grid: 8, block: 256 }, { win, count });
      await comm.synchronize();
    });
  };
}

interface PauseCost extends Cost {
  readonly kernel: string;
  readonly engine: string;
  /** The same comparison of two simulators that never pause. */
  readonly control: Pick<Cost, 'median' | 'quartiles'>;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      pairs: { type: 'string', default: '41' },
      only: { type: 'string', default: '' },
      json: { type: 'string' },
    },
  });
  const machine = machineText();
  console.log(machine);
  const rows: PauseCost[] = [];
  for (const engine of ['js', 'wasm'] as const) {
    for (const [kernel, make] of Object.entries(programs)) {
      if (!kernel.includes(values.only)) continue;
      const options: SimOptions = { ranks: 4, engine };
      await using paused = await World.open({ backend: sim(options) });
      await using unpaused = await World.open({ backend: await unpausedSim(options) });
      await using same = await World.open({ backend: await unpausedSim(options) });
      const other = await make(unpaused);
      const cost = await pairedCost(await make(paused), other, Number(values.pairs), WARMUP);
      const { median: control, quartiles: spread } = await pairedCost(
        await make(same),
        other,
        Number(values.pairs),
        WARMUP,
      );
      rows.push({ kernel, engine, ...cost, control: { median: control, quartiles: spread } });
      const { median, quartiles, milliseconds } = cost;
      console.log(
        `  ${kernel}, ${engine}: ${textOf(median, quartiles)}, control ${textOf(control, spread)}, ` +
          `${milliseconds.unpaused.toFixed(2)} ms of CPU time without pauses`,
      );
      if (!(median <= BAR)) process.exitCode = 1;
    }
  }
  if (values.json !== undefined) writeResults(values.json, machine, { bar: BAR, rows });
}

function textOf(median: number, quartiles: Cost['quartiles']): string {
  return `${median.toFixed(3)} (${quartiles.map((one) => one.toFixed(3)).join(' to ')})`;
}

await main();
