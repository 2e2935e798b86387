import { explore, type ExploredExecution, type ExploredRead } from '@nccl-ts/checker';
import type { WordMeaning } from '@nccl-ts/findings';
import type { Executions, Machine } from '../protocol.ts';
import { graphOf, type OpenChoice } from './execution-graph.ts';
import { hostedProgram } from './hosted-program.ts';
import { lineOf, nameOf } from './label-text.ts';
import { captureLog } from './program-console.ts';
import { simOptions } from './run-program.ts';

/** The largest number of executions in the view. */
const MOST = 200;

/** The executions of a small program, with the write that each open read returned. */
export async function executionsOf(text: string, machine: Machine): Promise<Executions> {
  const found: ExploredExecution[] = [];
  const restore = captureLog([]);
  try {
    const { complete } = await explore(
      { ...simOptions(machine), mode: 'check' },
      hostedProgram(text),
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
  const named = executions.map((execution) => {
    const times = new Map<string, number>();
    const own = execution.reads.map((read) => {
      const { kernel, launch } = read.by;
      const base = [kernel, launch, nameOf(read.by), lineOf(read.by), read.by.place?.span.start].join(' ');
      const time = (times.get(base) ?? 0) + 1;
      times.set(base, time);
      const key = `${base} ${time}`;
      const took = tookOf(read);
      choices.set(key, (choices.get(key) ?? new Set()).add(took));
      return { key, read, took };
    });
    return { own, execution };
  });
  // A read that always returns the same write makes no difference.
  const open = ({ own }: (typeof named)[number]): readonly OpenChoice[] =>
    own.flatMap(({ key, read, took }) => {
      const all = choices.get(key) ?? new Set();
      return all.size > 1 ? [{ read, took, others: [...all].filter((one) => one !== took) }] : [];
    });
  // Every execution is drawn with the same threads.
  const agents = new Set(named.flatMap((one) => open(one).flatMap(({ read }) => namesOf(read))));
  return {
    complete,
    executions: named.map((one) => {
      const { execution } = one;
      const reads = open(one);
      return {
        races: execution.races,
        isStuck: execution.isStuck,
        reads: reads.map(({ read, took, others }) => {
          const line = lineOf(read.by);
          return {
            who: nameOf(read.by),
            where: whereOf(read.place, read.bytes),
            value: String(read.value),
            took,
            others,
            ...(line === undefined ? {} : { line }),
          };
        }),
        graph: graphOf(execution, reads, agents),
      };
    }),
  };
}

/** The threads of a read and of the writes that it returned. */
function namesOf({ by, took }: ExploredRead): readonly string[] {
  return [by, ...took.flatMap((write) => write.by ?? [])].map(nameOf);
}

function whereOf(meaning: WordMeaning, bytes: number): string {
  if (meaning.kind === 'window') return `${meaning.window}, rank ${meaning.rank}, element ${meaning.offset / bytes}`;
  if (meaning.kind === 'lsaInbox') return `barrier inbox of rank ${meaning.rank} from rank ${meaning.peerRank}`;
  return meaning.kind;
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
