import { medianOf } from '@nccl-ts/core';
import { DeadlockError, sim, type SimBackend } from '@nccl-ts/backend-sim';
import { explore } from '@nccl-ts/checker';
import { World } from '@nccl-ts/communicator';
import { f32 } from '@nccl-ts/kernel';
import { interleave, type Samples } from './interleave.ts';
import { allReduceKernel } from './kernels/all-reduce-kernel.ts';
import { barrierKernel, lonelyBarrierKernel } from './kernels/barrier-kernels.ts';
import { retainedBytes } from './retained-bytes.ts';

const RANKS = 4;
const CTAS = 16;
const THREADS = 512;
const COUNT = 1 << 20;
const ROUNDS = 9;
const WARMUP = 8;

/** A measurement of check mode, with its bar. */
export interface CheckModeRow {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly spread: string;
  readonly bar: string;
  readonly holds: boolean;
}

export async function checkModeRows(): Promise<readonly CheckModeRow[]> {
  return [...(await allReduceRows()), await barrierRow(), await deadlockRow()];
}

/** Times the AllReduce with and without a check, alternately. */
async function allReduceRows(): Promise<readonly CheckModeRow[]> {
  const before = await retainedBytes();
  const plain = await allReduceOn(sim({ ranks: RANKS }));
  const between = await retainedBytes();
  const backend = sim({ ranks: RANKS, mode: 'check' });
  const checked = await allReduceOn(backend);
  await checked.launch();
  const once = await retainedBytes();
  const accessesBefore = backend.report().accesses;
  await checked.launch();
  const accesses = backend.report().accesses - accessesBefore;
  const samples = await interleave(
    [
      { name: 'check', run: checked.launch },
      { name: 'run', run: plain.launch },
    ],
    ROUNDS,
    WARMUP,
  );
  const [check, run] = samples;
  if (check === undefined || run === undefined) throw new Error('nothing was timed');
  const after = await retainedBytes();
  const windows = RANKS * COUNT * 4;
  // The additional memory of the checked world, compared with a world with the same windows.
  const memoryOf = (bytes: number): number => (bytes - between - (between - before)) / windows;
  const memory = memoryOf(after);
  await plain.close();
  await checked.close();
  const rate = accesses / medianOf(check.ms) / 1000;
  return [
    {
      what: `accesses checked, AllReduce of ${RANKS} x ${COUNT} f32`,
      value: rate,
      unit: 'million a second',
      spread: spreadOf(check),
      bar: 'at least 10',
      holds: rate >= 10,
    },
    {
      what: 'time beside run mode',
      value: medianOf(check.ms) / medianOf(run.ms),
      unit: 'times',
      spread: `${spreadOf(run)} in run mode`,
      bar: 'none',
      holds: true,
    },
    {
      what: `memory of the checker after ${2 + ROUNDS + WARMUP} launches`,
      value: memory,
      unit: "times the windows'",
      spread: `${memoryOf(once).toFixed(2)} after the first`,
      bar: 'at most 4',
      holds: memory <= 4,
    },
  ];
}

interface Launcher {
  readonly launch: () => Promise<void>;
  readonly close: () => Promise<void>;
}

async function allReduceOn(backend: SimBackend): Promise<Launcher> {
  const world = await World.open({ backend });
  const setups = await world.run(async (comm) => {
    const win = await comm.allocWindow(f32, COUNT);
    await win.write(Float32Array.from({ length: COUNT }, (_, i) => (i % 13) / 1024));
    return { win, comm: await comm.createDevComm({ lsaBarrierCount: CTAS }) };
  });
  const launch = async (): Promise<void> => {
    await world.run(async (comm) => {
      const setup = setups[comm.rank];
      if (setup === undefined) return;
      const args = { comm: setup.comm, win: setup.win, offset: 0, count: COUNT };
      await comm.launch(allReduceKernel, { grid: CTAS, block: THREADS }, args);
      await comm.synchronize();
    });
  };
  return { launch, close: async () => world.close() };
}

/** One round of the LSA barrier among four ranks: every execution that the memory model allows. */
async function barrierRow(): Promise<CheckModeRow> {
  const seconds: number[] = [];
  let runs = 0;
  let complete = true;
  for (let round = 0; round < 3; round++) {
    const began = performance.now();
    const explored = await explore(
      { ranks: RANKS, mode: 'check' },
      async (backend) => {
        await using world = await World.open({ backend });
        await world.run(async (comm) => {
          const devComm = await comm.createDevComm({ lsaBarrierCount: 1 });
          await comm.launch(barrierKernel, { grid: 1, block: 1 }, { comm: devComm });
          await comm.synchronize();
        });
      },
      { runs: 1_000_000 },
    );
    seconds.push((performance.now() - began) / 1000);
    runs = explored.runs;
    complete &&= explored.complete && explored.report?.verdict === 'clean';
  }
  const ascending = seconds.toSorted((a, b) => a - b);
  const value = ascending[1] ?? Number.NaN;
  return {
    what: `LSA barrier of ${RANKS} ranks, exhaustively (${runs} runs, ${complete ? 'all, clean' : 'NOT complete, or not clean'})`,
    value,
    unit: 's',
    spread: `${ascending[0]?.toFixed(2)} to ${ascending.at(-1)?.toFixed(2)}`,
    bar: 'under 10',
    holds: complete && value < 10,
  };
}

/** The time from the last launch to the report, for 64 ranks of which one misses a barrier. */
async function deadlockRow(): Promise<CheckModeRow> {
  const ms: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const world = await World.open({ backend: sim({ ranks: 64, mode: 'check' }) });
    let launched = 0;
    let began = 0;
    const ended = world.run(async (comm) => {
      const devComm = await comm.createDevComm({ lsaBarrierCount: 1 });
      await comm.launch(lonelyBarrierKernel, { grid: 1, block: 32 }, { comm: devComm });
      if (++launched === 64) began = performance.now();
      await comm.synchronize();
    });
    try {
      await ended;
    } catch (error) {
      if (!isDeadlock(error)) throw error;
    }
    ms.push(performance.now() - began);
    await world.close();
  }
  const ascending = ms.toSorted((a, b) => a - b);
  const value = medianOf(ms);
  return {
    what: 'deadlock of 64 ranks, from the last launch to its report',
    value,
    unit: 'ms',
    spread: `${ascending[0]?.toFixed(0)} to ${ascending.at(-1)?.toFixed(0)}`,
    bar: 'under 1000',
    holds: value < 1000,
  };
}

function isDeadlock(error: unknown): boolean {
  if (error instanceof DeadlockError) return true;
  return error instanceof Error && error.cause !== undefined && isDeadlock(error.cause);
}

function spreadOf({ ms }: Samples): string {
  return `${ms[0]?.toFixed(0)} to ${ms.at(-1)?.toFixed(0)} ms`;
}
