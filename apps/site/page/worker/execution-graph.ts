import type { ExploredExecution, ExploredRead, ExploredStore } from '@nccl-ts/checker';
import type { ExecutionEvent, ExecutionGraph } from '../protocol.ts';
import { lineOf, nameOf } from './label-text.ts';

/** A read that returns another write in another execution. */
export interface OpenChoice {
  readonly read: ExploredRead;
  readonly took: string;
  /** The other writes, as `tookOf` names them. */
  readonly others: readonly string[];
}

/** The most threads, and the most accesses of each, that a picture has. */
const COLUMNS = 6;
const ROWS = 14;

/**
 * The accesses of some threads to windows, with the writes that reads returned. If no read is open,
 * the picture shows the first threads. Words of barriers are left out: they are in no window.
 */
export function graphOf(
  { reads, writes }: ExploredExecution,
  open: readonly OpenChoice[],
  named: ReadonlySet<string>,
): ExecutionGraph {
  const isOpen = new Set(open.map(({ read }) => read.event));
  const all = [
    ...reads.map((access) => ({ access, isRead: true })),
    ...writes.map((access) => ({ access, isRead: false })),
  ]
    .filter(({ access }) => isOfProgram(access) || isOpen.has(access.event))
    .toSorted((a, b) => a.access.event - b.access.event);
  const everyone = [...new Set(all.map(({ access }) => nameOf(access.by)))].toSorted(byNumbers);
  const agents = (named.size === 0 ? everyone : everyone.filter((name) => named.has(name))).slice(0, COLUMNS);
  const rows = agents.map(() => 0);
  const events = all.flatMap(({ access, isRead }): readonly ExecutionEvent[] => {
    const agent = agents.indexOf(nameOf(access.by));
    const row = rows[agent];
    if (row === undefined || (row >= ROWS && !isOpen.has(access.event))) return [];
    rows[agent] = row + 1;
    return [
      {
        id: access.event,
        agent,
        ...textOf(access, isRead),
        ...locationOf(access),
        does: isRead ? 'read' : 'write',
        ...(isOpen.has(access.event) ? { isOpen: true } : {}),
      },
    ];
  });
  const shown = new Set(events.map(({ id }) => id));
  return {
    agents,
    coherence: [],
    moreAgents: everyone.length - agents.length,
    events,
    reads: reads.flatMap(({ event, took }) =>
      shown.has(event) ? took.map((write) => [write.event, event] as const) : [],
    ),
    others: open.flatMap(({ read, others }) =>
      others.flatMap((text) => {
        const write = writes.find((one) => storeText(one) === text && shown.has(one.event));
        return write === undefined || !shown.has(read.event) ? [] : [[write.event, read.event] as const];
      }),
    ),
  };
}

/** True for a window of the program. Barriers keep their epochs in other windows. */
function isOfProgram({ place: meaning }: ExploredStore): boolean {
  return meaning.kind === 'window' && /^window \d+$/.test(meaning.window);
}

/** The words for a write that `tookOf` uses. */
function storeText({ by, value }: ExploredStore): string {
  const line = lineOf(by);
  return `${value} of ${nameOf(by)}${line === undefined ? '' : `, line ${line}`}`;
}

function textOf(
  { by, place: meaning, bytes, value }: ExploredStore,
  isRead: boolean,
): Pick<ExecutionEvent, 'text' | 'note'> {
  const line = lineOf(by);
  const what = `${isRead ? 'read' : 'write'} ${value}`;
  return {
    text: line === undefined ? what : `line ${line}: ${what}`,
    note: noteOf(meaning, bytes),
  };
}

/** Accesses of equal size to one element have one location. */
function locationOf({ place: meaning, bytes }: ExploredStore): Pick<ExecutionEvent, 'at'> {
  if (meaning.kind !== 'window') return {};
  return { at: `${meaning.window} ${meaning.rank} ${meaning.offset} ${bytes}` };
}

function noteOf(meaning: ExploredStore['place'], bytes: number): string {
  switch (meaning.kind) {
    case 'window':
      return meaning.window.startsWith('window')
        ? `${meaning.window}, rank ${meaning.rank}, [${meaning.offset / bytes}]`
        : 'state of the communicator';
    case 'lsaInbox':
      return `inbox of rank ${meaning.rank}`;
    case 'gin':
      return `${meaning.word.kind} of rank ${meaning.rank}`;
    case 'array':
      return `${meaning.space} memory`;
    case 'unknown':
      return 'freed memory';
  }
}

function byNumbers(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
