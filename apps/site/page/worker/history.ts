import { explore, sim, type ExploredExecution, type ExploredRead, type SimTurn } from '@nccl-ts/backend-sim';
import { World, type Communicator } from '@nccl-ts/communicator';
import type { FindingLabel } from '@nccl-ts/findings';
import type { CellWriter, Executions, History, HistoryWindow, Machine } from '../protocol.ts';
import { elementBytes, elementsOf } from './elements.ts';
import { lineAt } from './line-at.ts';
import { loadProgram } from './load-program.ts';
import { captureLog, noteWindows, simOptions } from './run-program.ts';

/** The number of elements of a window that are shown over time. */
const SHOWN = 64;
/** The largest number of executions in the view. */
const MOST = 200;

/**
 * Runs the program once under a check. For each turn it records the writer and the source line of
 * each element.
 */
export async function historyOf(text: string, machine: Machine): Promise<History> {
  const turns: SimTurn[] = [];
  const backend = sim({ ...simOptions(machine), mode: 'check', onTurn: (turn) => turns.push(turn) });
  const allocated = new Map<number, { readonly type: string; readonly count: number }[]>();
  const restore = captureLog([]);
  try {
    const { host } = await loadProgram(text, () => backend);
    if (host === undefined) return { windows: [], turns: [] };
    const world = await World.open({ backend });
    try {
      await world.run(async (comm: Communicator) => {
        allocated.set(comm.rank, noteWindows(comm));
        return host(comm);
      });
    } finally {
      await world.close();
    }
  } finally {
    restore();
  }
  // All ranks allocate windows together, so the first rank's list has them in the order of their
  // names.
  const names = [...new Set(turns.flatMap(({ writes }) => writes.map(({ window }) => window)))].toSorted(byNumber);
  const types = allocated.get(0) ?? [];
  const windows = names.map((name, index): HistoryWindow => {
    const { type, count } = types[index] ?? { type: 'u32', count: SHOWN };
    return { name, type, count: Math.min(count, SHOWN), all: count };
  });
  return { windows, turns: told(turns, windows, machine.ranks) };
}

function byNumber(a: string, b: string): number {
  return Number(/\d+/.exec(a)?.[0] ?? '0') - Number(/\d+/.exec(b)?.[0] ?? '0');
}

/** Converts turns from words to elements of windows. */
function told(turns: readonly SimTurn[], windows: readonly HistoryWindow[], ranks: number): History['turns'] {
  const memory = new Map<string, Uint8Array>();
  const copyOf = (window: HistoryWindow, rank: number): Uint8Array => {
    const key = `${window.name} ${rank}`;
    const known = memory.get(key) ?? new Uint8Array(window.count * elementBytes(window.type) + 8);
    memory.set(key, known);
    return known;
  };
  return turns.map(({ cta, writes }) => {
    const cells = new Map<string, CellWriter>();
    for (const { window: name, rank, offset, bytes, by } of writes) {
      const index = windows.findIndex((one) => one.name === name);
      const window = windows[index];
      if (window === undefined || rank >= ranks) continue;
      const copy = copyOf(window, rank);
      if (offset + bytes.length > copy.length) continue;
      copy.set(bytes, offset);
      const size = elementBytes(window.type);
      for (let element = Math.floor(offset / size); element * size < offset + bytes.length; element++) {
        if (element >= window.count) continue;
        const [value = ''] = elementsOf(window.type, copy, element, 1);
        cells.set(`${index} ${rank} ${element}`, { window: index, rank, element, value, ...writerOf(by) });
      }
    }
    const who = cta === undefined ? 'the hosts' : `rank ${cta.rank}, CTA ${cta.blockIdx.x}`;
    return { who, writes: [...cells.values()] };
  });
}

function writerOf(by: readonly FindingLabel[]): Pick<CellWriter, 'by' | 'line' | 'also'> {
  const last = by.at(-1);
  const line = last === undefined ? undefined : lineOf(last);
  return {
    by: last === undefined ? '' : nameOf(last),
    ...(line === undefined ? {} : { line }),
    also: by.slice(0, -1).map(nameOf),
  };
}

function nameOf({ agent, rank, blockIdx, thread, does }: FindingLabel): string {
  if (agent === 'host') return `the host of rank ${rank}`;
  const what = agent === 'network' ? `${does}, ` : '';
  return `${what}rank ${rank}, CTA ${blockIdx?.x}, thread ${thread}`;
}

function lineOf({ place }: FindingLabel): number | undefined {
  return place === undefined ? undefined : lineAt(place);
}

/** The executions of a small program, with the write that each open read returned. */
export async function executionsOf(text: string, machine: Machine): Promise<Executions> {
  const found: ExploredExecution[] = [];
  const restore = captureLog([]);
  try {
    const { complete } = await explore(
      { ...simOptions(machine), mode: 'check' },
      async (backend) => {
        const { host } = await loadProgram(text, () => backend);
        if (host === undefined) return;
        const world = await World.open({ backend });
        try {
          await world.run(async (comm) => host(comm));
        } finally {
          await world.close();
        }
      },
      { runs: 4 * MOST, accesses: 400_000, milliseconds: 20_000 },
      {
        onExecution: (execution) => {
          if (execution.index === 0) found.length = 0;
          if (found.length < MOST) found.push(execution);
        },
      },
    );
    return tabled(found, complete && found.length < MOST);
  } finally {
    restore();
  }
}

/** Two reads are the same if their thread, source location and occurrence match. */
function tabled(executions: readonly ExploredExecution[], complete: boolean): Executions {
  const choices = new Map<string, Set<string>>();
  const named = executions.map(({ reads, races, isStuck }) => {
    const times = new Map<string, number>();
    const own = reads.map((read) => {
      const { kernel, launch } = read.by;
      const base = [kernel, launch, nameOf(read.by), lineOf(read.by), read.by.place?.span.start].join(' ');
      const time = (times.get(base) ?? 0) + 1;
      times.set(base, time);
      const key = `${base} ${time}`;
      const took = tookOf(read);
      choices.set(key, (choices.get(key) ?? new Set()).add(took));
      return { key, read, took };
    });
    return { own, races, isStuck };
  });
  // A read that always returns the same write makes no difference.
  const isOpen = (key: string): boolean => (choices.get(key)?.size ?? 0) > 1;
  return {
    complete,
    executions: named.map(({ own, races, isStuck }) => ({
      races,
      isStuck,
      reads: own
        .filter(({ key }) => isOpen(key))
        .map(({ key, read, took }) => {
          const line = lineOf(read.by);
          return {
            who: nameOf(read.by),
            where: whereOf(read),
            value: String(read.value),
            took,
            others: [...(choices.get(key) ?? [])].filter((one) => one !== took),
            ...(line === undefined ? {} : { line }),
          };
        }),
    })),
  };
}

function whereOf({ place, bytes }: ExploredRead): string {
  if (place.kind === 'window') return `${place.window}, rank ${place.rank}, element ${place.offset / bytes}`;
  if (place.kind === 'lsaInbox') return `barrier inbox of rank ${place.rank} from rank ${place.peerRank}`;
  return place.kind;
}

function tookOf({ took }: ExploredRead): string {
  return took
    .map(({ by, value }) => {
      const from = by === undefined ? 'the initial contents' : nameOf(by);
      const line = by === undefined ? undefined : lineOf(by);
      return `${value} of ${from}${line === undefined ? '' : `, line ${line}`}`;
    })
    .join(' and ');
}
