import {
  exploreExecutions,
  fence,
  read,
  after,
  known,
  write,
  type AgentProgram,
  type Execution,
  type Later,
} from '@nccl-ts/memory-model';
import type { ExecutionEvent, LitmusOutcome, LitmusResult } from '../protocol.ts';
import { parseLitmus, type LitmusThread } from './litmus-program.ts';

/** The largest number of runs, enough for every test of the memory model's table. */
const RUNS = 50_000;

const locations = ['x', 'y', 'z'] as const;

/** Every outcome that the memory model allows, each with one execution that shows it. */
export function litmusOutcomes(text: string): LitmusResult {
  const program = parseLitmus(text);
  const used = locations.filter((name) =>
    program.threads.some(({ steps }) => steps.some((step) => step.kind !== 'fence' && step.at === name)),
  );
  const found = new Map<string, Mutable<LitmusOutcome>>();
  let executions = 0;
  const { complete } = exploreExecutions(
    program.threads.map((thread, index) => agentOf(thread, index)),
    {
      runs: RUNS,
      onExecution: (execution) => {
        executions++;
        for (const values of valuesOf(execution, used)) {
          const key = JSON.stringify(values);
          const isRacy = execution.races.length > 0;
          const outcome = found.get(key);
          if (outcome === undefined) {
            found.set(key, { values, executions: 1, isRacy, ...graphOf(execution, program.threads, values) });
          } else {
            outcome.executions++;
            outcome.isRacy ||= isRacy;
          }
        }
      },
    },
  );
  const outcomes = [...found.values()].toSorted((a, b) =>
    JSON.stringify(a.values) < JSON.stringify(b.values) ? -1 : 1,
  );
  const { condition: asked, conditionText: askedText } = program;
  if (asked === undefined) return { outcomes, executions, complete };
  const isAllowed = outcomes.some(({ values }) =>
    Object.entries(asked).every(([name, value]) => values[name] === value),
  );
  return { outcomes, executions, complete, condition: { text: askedText, isAllowed } };
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

function rangeOf(name: string): { readonly at: number; readonly bytes: number } {
  return { at: 64 + 64 * locations.findIndex((one) => one === name), bytes: 4 };
}

function agentOf({ name, rank, steps }: LitmusThread, index: number): AgentProgram {
  return {
    name,
    coordinates: { rank, cta: index, thread: 0 },
    start: function* () {
      const registers = new Map<string, Later<bigint>>();
      for (const step of steps) {
        if (step.kind === 'fence') yield* fence(step.access, step.line);
        else if (step.kind === 'read') {
          registers.set(step.register, yield* read(rangeOf(step.at), step.access, step.line));
        } else {
          const value = typeof step.value === 'bigint' ? step.value : registers.get(step.value);
          if (value === undefined) throw new Error(`No earlier read has set ${String(step.value)}.`);
          yield* write(rangeOf(step.at), step.access, step.line, value);
        }
      }
      const entries = [...registers];
      return after(
        entries.map(([, value]) => value),
        () => Object.fromEntries(entries.map(([register, value]) => [register, String(known(value))])),
      );
    },
  };
}

/** Registers and final values. A location may have several final values if its writes race. */
function valuesOf(execution: Execution, used: readonly string[]): readonly Record<string, string>[] {
  const registers: Record<string, string> = {};
  for (const result of execution.results) {
    if (typeof result !== 'object' || result === null) continue;
    for (const [name, value] of Object.entries(result)) registers[name] = String(value);
  }
  return execution
    .finals(used.map(rangeOf))
    .map((finals) => ({ ...registers, ...Object.fromEntries(used.map((name, i) => [name, String(finals[i])])) }));
}

function graphOf(
  { run }: Execution,
  threads: readonly LitmusThread[],
  values: Readonly<Record<string, string>>,
): Pick<LitmusOutcome, 'events' | 'reads' | 'coherence'> {
  const writes: { readonly id: number; readonly at: string; readonly value: string }[] = [];
  const events: ExecutionEvent[] = [];
  const reads: [number, number][] = [];
  for (const event of run.graph.events) {
    const thread = threads[event.agent - 1];
    if (thread === undefined || event.kind === 'point') continue;
    const step = thread.steps.find(({ line }) => line === event.site);
    const access = step === undefined || step.kind === 'fence' ? {} : { at: step.at, does: step.kind };
    events.push({ id: event.id, agent: event.agent - 1, text: step?.text ?? event.kind, ...access });
    if (step?.kind === 'write') writes.push({ id: event.id, at: step.at, value: String(step.value) });
    for (const source of event.sources ?? []) reads.push([source.write.id, event.id]);
  }
  // The final value of a location tells which write is the last, if only one writes it.
  const coherence = writes.flatMap((last) => {
    const isLast =
      values[last.at] === last.value &&
      writes.filter(({ at, value }) => at === last.at && value === last.value).length === 1;
    const others = writes.filter(({ at, id }) => at === last.at && id !== last.id);
    return isLast ? others.map(({ id }) => [id, last.id] as const) : [];
  });
  return { events, reads, coherence };
}
