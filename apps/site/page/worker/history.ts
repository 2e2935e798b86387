import { sim, type SimTurn } from '@nccl-ts/backend-sim';
import type { FindingLabel } from '@nccl-ts/findings';
import type { CellWriter, History, HistoryWindow, Machine } from '../protocol.ts';
import { elementBytes, elementsOf } from './elements.ts';
import { hostedProgram } from './hosted-program.ts';
import { lineOf, nameOf } from './label-text.ts';
import { captureLog } from './program-console.ts';
import { noteWindows, simOptions } from './run-program.ts';

/** The number of elements of a window that are shown over time. */
const SHOWN = 64;

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
    const run = hostedProgram(text, (comm) => allocated.set(comm.rank, noteWindows(comm)));
    await run(backend);
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
  return { windows, turns: turnsOfHistory(turns, windows, machine.ranks) };
}

function byNumber(a: string, b: string): number {
  return Number(/\d+/.exec(a)?.[0] ?? '0') - Number(/\d+/.exec(b)?.[0] ?? '0');
}

/** Converts turns from words to elements of windows. */
function turnsOfHistory(turns: readonly SimTurn[], windows: readonly HistoryWindow[], ranks: number): History['turns'] {
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
