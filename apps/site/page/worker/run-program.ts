import { sim, type SimBackend, type SimWorld } from '@nccl-ts/backend-sim';
import { World, type Communicator } from '@nccl-ts/communicator';
import type { Timeline } from '@nccl-ts/core';
import { defineBackend, type Backend } from '@nccl-ts/transport';
import type { Machine, MemoryRow, RunResult } from '../protocol.ts';
import { loadProgram, noHost, opensWorld } from './load-program.ts';
import { captureLog } from './program-console.ts';
import { showValue } from './show-value.ts';

/** The element types, by the typed arrays that hold them. */
const elementNames: Readonly<Record<string, string>> = {
  Float32Array: 'f32',
  Float64Array: 'f64',
  Uint8Array: 'u8',
  Uint16Array: 'u16',
  Uint32Array: 'u32',
  BigUint64Array: 'u64',
  Int8Array: 'i8',
  Int16Array: 'i16',
  Int32Array: 'i32',
  BigInt64Array: 'i64',
};

/** The number of elements of a window that the page shows. */
const SHOWN = 64;

interface Readable {
  read(): Promise<ArrayLike<unknown>>;
}

/** Runs a program once, and returns its results, its memory and its timeline. */
export async function runProgram(text: string, machine: Machine, width: number): Promise<RunResult> {
  const started = performance.now();
  const worlds: SimWorld[] = [];
  const traced = observed(sim({ ...simOptions(machine), trace: true }), worlds);
  const log: string[] = [];
  const restore = captureLog(log);
  try {
    const { host } = await loadProgram(text, () => traced);
    let ran: Ran = { results: [], memory: [] };
    let svg = '';
    if (host !== undefined) {
      ran = await runHost(traced, host, async () => {
        svg = await pictureOf(worlds, width);
      });
    } else if (opensWorld(text)) svg = await pictureOf(worlds, width);
    else throw noHost('run the program');
    const milliseconds = performance.now() - started;
    return { ...ran, log, svg, traffic: worlds[0]?.traffic() ?? [], milliseconds };
  } finally {
    restore();
  }
}

type Ran = Pick<RunResult, 'results' | 'memory'>;

/** Runs the host program of every rank in a new world. */
export async function runHost(
  backend: Backend,
  host: (comm: Communicator) => unknown,
  atEnd: () => Promise<void>,
): Promise<Ran> {
  const world = await World.open({ backend });
  try {
    const windows = new Map<number, { readonly window: Readable; readonly count: number }[]>();
    const results = await world.run(async (comm) => {
      windows.set(comm.rank, noteWindows(comm));
      return host(comm);
    });
    await atEnd();
    const memory: MemoryRow[] = [];
    for (const [rank, own] of windows) memory.push(...(await rowsOf(rank, own)));
    return { results: results.map((one) => showValue(one)), memory };
  } finally {
    await world.close();
  }
}

export function simOptions({ ranks, lsaSize, seed }: Machine): { ranks: number; seed: number; lsaSize?: number } {
  return { ranks, seed, ...(lsaSize === undefined ? {} : { lsaSize }) };
}

function observed(backend: SimBackend, worlds: SimWorld[]): SimBackend {
  return defineBackend<SimBackend>({
    ...backend,
    open: async (options) => {
      const world = await backend.open(options);
      worlds.push(world);
      return world;
    },
  });
}

/** The timeline of the last run, for views of it with another width. */
let lastTimeline: Timeline | undefined;

async function pictureOf(worlds: readonly SimWorld[], width: number): Promise<string> {
  const { createTimelineRecorder, timelineSvg } = await import('@nccl-ts/timeline');
  const timeline = worlds[0]?.timeline(createTimelineRecorder());
  lastTimeline = timeline;
  return timeline === undefined || timeline.processes.length === 0 ? '' : timelineSvg(timeline, { width });
}

/** The timeline of the last run, drawn with another width. */
export async function timelineOf(width: number): Promise<string> {
  const { timelineSvg } = await import('@nccl-ts/timeline');
  return timelineSvg(runTimeline(), { width });
}

/** The timeline of the last run as a trace that Perfetto reads. */
export async function traceOf(): Promise<string> {
  const { chromeTrace, writeChromeTrace } = await import('@nccl-ts/timeline');
  return writeChromeTrace(chromeTrace(runTimeline()));
}

function runTimeline(): Timeline {
  if (lastTimeline === undefined) throw new TypeError('The timeline is gone with its worker: run the program again.');
  return lastTimeline;
}

/** Records the windows that a rank allocates from now on. */
export function noteWindows(comm: Communicator): { window: Readable; count: number; type: string }[] {
  const windows: { window: Readable; count: number; type: string }[] = [];
  const allocate = comm.allocWindow.bind(comm);
  Object.defineProperty(comm, 'allocWindow', {
    configurable: true,
    value: async (type: Parameters<typeof allocate>[0], count: number, options?: Parameters<typeof allocate>[2]) => {
      const window = await allocate(type, count, options);
      windows.push({ window, ...scalarsOf(type, count) });
      return window;
    },
  });
  return windows;
}

/** The number of scalars in a window's element type: a vector has several. */
function scalarsOf(type: Parameters<Communicator['allocWindow']>[0], count: number): { type: string; count: number } {
  if (typeof type === 'string') return { type, count };
  return type.kind === 'vector' ? { type: type.element, count: count * type.width } : { type: type.scalar, count };
}

async function rowsOf(
  rank: number,
  windows: readonly { readonly window: Readable; readonly count: number }[],
): Promise<readonly MemoryRow[]> {
  const rows: MemoryRow[] = [];
  for (const [index, { window, count }] of windows.entries()) {
    try {
      const values = await window.read();
      const type = elementNames[Object.prototype.toString.call(values).slice(8, -1)] ?? 'elements';
      rows.push({ rank, window: index, type, count, values: Array.from(values).slice(0, SHOWN).map(String) });
    } catch {
      // The program has freed it.
    }
  }
  return rows;
}
