import { cuda } from '@nccl-ts/backend-cuda';
import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { isNcclError } from '@nccl-ts/core';
import { devComm } from '@nccl-ts/devcomm';
import { bf16, e4m3, e5m2, f16, f32, f64, i64, i8, kernel, u32, vec } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { errorFinding, report } from './phases.ts';

/* Tests the output of kernels on the GPUs of this machine. */

/** Prints a line. */
export const says = kernel({ name: 'says', params: { value: u32 } }, ({ threadIdx, print }, { value }) => {
  if (threadIdx.x === 0) print('value', value);
});

const shows = kernel(
  {
    name: 'shows',
    params: { a: i8, b: i64, c: f16, d: bf16, e: e4m3, f: e5m2, g: f32, h: f64, v: vec(f32, 4) },
  },
  ({ print, threadIdx, blockIdx }, { a, b, c, d, e, f, g, h, v }) => {
    print('of', threadIdx.x, a, b, c, d, e, f, g, h, v, a < 0);
    if (blockIdx.y === 1) print();
  },
);

const shape = { grid: 4, block: 64 };

const counts = kernel({ name: 'counts', params: { n: u32 } }, ({ print, u32: unsigned }, { n }) => {
  for (let i = unsigned(0); i < n; i++) print('line', i);
});

const asserts = kernel({ name: 'asserts', params: {} }, ({ assert, blockIdx, threadIdx }) => {
  assert(blockIdx.x < 100 || threadIdx.x < 40, 'few are here');
});

const saysAndMeets = kernel(
  { name: 'saysAndMeets', use: { lsa }, params: { comm: devComm } },
  ({ lsa, coopCta, blockIdx, threadIdx, print }, { comm }) => {
    if (threadIdx.x === 0) print('waits');
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'acquire');
  },
);

/** Tests all guarantees of `print`. */
export async function prints(): Promise<void> {
  await using world = await World.open({ backend: cuda() });
  const lines = await world.run(async (comm) => {
    for (let i = 0; i < 3; i++) await comm.launch(says, { grid: 1, block: 32 }, { value: 100 * comm.rank + i });
    return (await comm.synchronize()).printed;
  });
  report({ lines });
  if (lines.some(({ length }) => length !== 3)) throw new Error('three lines of each rank were expected');
  await printsAsTheSimulator(world);
  await printsInOrder(world);
  await printsInGraphs(world);
  await printsTooMuch();
}

/** Every kind of value, formatted as in the simulator. */
async function printsAsTheSimulator(world: World): Promise<void> {
  const values = {
    a: -5,
    b: -(2n ** 62n),
    c: 1 / 3,
    d: 1 / 3,
    e: 1.75,
    f: -0.375,
    g: 0.1,
    h: 0.1,
    v: [1, -0, NaN, Infinity],
  };
  const printedOn = async (on: World): Promise<readonly string[]> => {
    const lines = await on.run(async (comm) => {
      await comm.launch(shows, { grid: { x: 3, y: 2 }, block: 40 }, values);
      return (await comm.synchronize()).printed;
    });
    return lines.flat().toSorted((a, b) => (a < b ? -1 : 1));
  };
  const { nRanks } = world;
  await using simulator = await World.open({ backend: sim({ ranks: nRanks }) });
  const [gpus, simulated] = [await printedOn(world), await printedOn(simulator)];
  const differing = simulated.find((line, i) => line !== gpus[i]);
  report({ lines: gpus.length, ofTheSimulator: simulated.length, first: gpus[0], differing });
  if (gpus.length !== simulated.length || differing !== undefined) throw new Error('the simulator prints other lines');
}

/** Lines of many threads, on two streams of every GPU at once. */
async function printsInOrder(world: World): Promise<void> {
  const [grid, block, n] = [32, 128, 4];
  const totals = await world.run(async (comm) => {
    const other = await comm.createStream();
    const streams = [comm.defaultStream, other];
    for (const stream of streams) await comm.launch(counts, { grid, block, stream }, { n });
    const reports = await Promise.all(streams.map(async (stream) => stream.synchronize()));
    await other.close();
    return reports.map(({ printed }) => {
      const next = new Map<string, number>();
      let misplaced = 0;
      for (const line of printed) {
        const [who = '', what = ''] = line.split('] line ');
        const expected = next.get(who) ?? 0;
        if (Number(what) !== expected) misplaced++;
        next.set(who, expected + 1);
      }
      return { lines: printed.length, threads: next.size, misplaced };
    });
  });
  report({ inOrder: totals });
  const right = totals.flat().every(({ lines, misplaced }) => lines === grid * block * n && misplaced === 0);
  if (!right) throw new Error('lines are missing or out of order');
}

async function printsInGraphs(world: World): Promise<void> {
  const graph = await world.capture(async (comm) => {
    for (let i = 0; i < 2; i++) await comm.launch(says, { grid: 1, block: 32 }, { value: 10 * comm.rank + i });
  });
  for (let i = 0; i < 5; i++) await graph.launch();
  const lines = await world.run(async (comm) => (await comm.synchronize()).printed.length);
  await graph.close();
  report({ linesOfGraphs: lines });
  if (lines.some((length) => length !== 10)) throw new Error('ten lines of each rank were expected');
}

/** Prints more than the buffer holds. Dropped lines must be counted. */
async function printsTooMuch(): Promise<void> {
  await using world = await World.open({ backend: cuda({ devices: [0], printBytes: 64 << 10 }) });
  const comm = world.comm(0);
  const total = 64 * 1024;
  for (const isRead of [true, false]) {
    const started = performance.now();
    await comm.launch(counts, { grid: 64, block: 1024 }, { n: 1 });
    // No line is read while this program is busy.
    const busyUntil = isRead ? 0 : started + 300;
    while (performance.now() < busyUntil);
    const { printed } = await comm.synchronize();
    const ms = Math.round(performance.now() - started);
    const lost = Number(/(?<lost>\d+) lines are lost$/.exec(printed.at(-1) ?? '')?.groups?.['lost'] ?? 0);
    const reported = printed.length - (lost > 0 ? 1 : 0);
    report({ tooMuch: total, isRead, told: reported, lost, ms });
    if (reported + lost !== total) throw new Error('lines are neither printed nor counted as lost');
  }
}

/** The error contains the line of the failed assertion. */
export async function assertions(): Promise<void> {
  const world = await World.open({ backend: cuda() });
  const comm = world.comm(0);
  await comm.launch(asserts, { grid: 132, block: 64 }, {});
  const error: unknown = await comm.synchronize().catch((reason: unknown) => reason);
  report({ told: errorFinding(error) });
  if (!(error instanceof Error && error.message.includes('the assertion did not name the printed lines')))
    throw new Error('the error does not name the assertion');
}

/** Prints from a kernel that then hangs. */
export async function printsAndHangs(): Promise<void> {
  const world = await World.open({ backend: cuda({ launchTimeout: 300 }) });
  const comm = world.comm(0);
  const devs = await world.run(async (each) => each.createDevComm({ lsaBarrierCount: 4 }));
  const [dev] = devs;
  if (dev === undefined) throw new Error('there is no device communicator');
  for (const abortable of [true, false]) {
    await comm.launch(saysAndMeets, { ...shape, abortable }, { comm: dev });
    const error: unknown = await comm.synchronize().catch((reason: unknown) => reason);
    const printed: unknown = isNcclError(error, 'NCCL_TIMEOUT') ? error.details['printed'] : undefined;
    report({ abortable, printed, ...errorFinding(error) });
    if (!Array.isArray(printed) || printed.length !== shape.grid) throw new Error('a line of each CTA was expected');
  }
  report({ closed: await world.close().then(() => 'closed', errorFinding) });
}
