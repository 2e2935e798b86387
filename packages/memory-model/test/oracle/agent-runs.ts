import type { AccessScope, MemoryOrder } from '@nccl-ts/core';

import type { Agent, Operation, Ordering, Rmw, Value, Wait } from './small-program.ts';

/** A run of an agent, step by step. The index of an event is its position in the run. */
export type RunEvent = Readonly<{
  kind: 'read' | 'write' | 'fence' | 'barrier';
  /** The position of its operation. */
  position: number;
  /** The location of a read or a write. Empty for other events. */
  location: string;
  value: number;
  /** The scope of a strong access or a fence. `undefined` for a weak access or a barrier. */
  scope: AccessScope | undefined;
  /**
   * True if a write releases, a read acquires, or a fence begins release patterns or ends acquire
   * patterns.
   */
  releases: boolean;
  acquires: boolean;
  /** True for a fence.sc. */
  sequential: boolean;
  /**
   * The reads of the run on which it depends by data or control, by index. The write of a
   * read-modify-write depends on its read.
   */
  depends: readonly number[];
  /** For the write of a read-modify-write: the index of its read. */
  rmwRead: number | undefined;
}>;

/** A path of an agent: its events for these results of its reads. */
export type AgentRun = Readonly<{
  events: readonly RunEvent[];
  registers: ReadonlyMap<string, number>;
  /** The wait or barrier that blocks it forever, if any. */
  stuck: Wait | 'barrier' | undefined;
}>;

export type RunOptions = Readonly<{
  /** True if a wait may also contain one read that did not satisfy it. */
  failedPolls: boolean;
  /**
   * The events that an `if` orders by control. Either these are its body, and everything after it
   * if the body may block. Or they are always everything after it, as herd and Dat3M treat a branch
   * of PTX. PTX allows both: a store that does not depend on a read may come early.
   */
  control: 'body' | 'after';
}>;

export const usualOptions: RunOptions = { failedPolls: false, control: 'body' };

type Numbered = Readonly<{ operation: Operation; position: number; body: readonly Numbered[] }>;
/** An operation to run, and the reads on which it depends by control. */
type Pending = Readonly<{ numbered: Numbered; control: readonly number[] }>;
type State = Readonly<{
  events: readonly RunEvent[];
  registers: ReadonlyMap<string, Readonly<{ value: number; read: number }>>;
  /** The reads of waits and conditions on which all later events depend. */
  decided: readonly number[];
}>;

/** Lists every run of `agent` in which each read returns one of `values` for its location. */
export function agentRuns(
  agent: Agent,
  values: ReadonlyMap<string, ReadonlySet<number>>,
  { failedPolls, control: reach }: RunOptions,
): readonly AgentRun[] {
  const runs: AgentRun[] = [];

  const end = ({ events, registers }: State, stuck: AgentRun['stuck']): void => {
    runs.push({ events, registers: new Map([...registers].map(([name, { value }]) => [name, value])), stuck });
  };

  const run = (pending: readonly Pending[], before: State): void => {
    const [first, ...rest] = pending;
    if (first === undefined) {
      end(before, undefined);
      return;
    }
    const { operation, position } = first.numbered;
    const control = [...first.control, ...before.decided];
    const state = 'ordering' in operation ? withFenceOf(operation, position, control, before) : before;
    const valuesOf = (location: string): readonly number[] => [...(values.get(location) ?? [])];

    switch (operation.kind) {
      case 'load':
        for (const value of valuesOf(operation.location)) {
          const next = withEvent(state, read(operation, position, value, control));
          run(rest, withRegister(next, operation.register, value, state.events.length));
        }
        return;
      case 'store': {
        const { value, depends } = evaluate(operation.value, state);
        const { location, ordering } = operation;
        run(rest, withEvent(state, write(location, ordering, position, value, [...control, ...depends], undefined)));
        return;
      }
      case 'rmw':
        for (const value of valuesOf(operation.location)) {
          run(rest, withRmw(state, operation, position, value, control));
        }
        return;
      case 'fence':
        run(rest, withEvent(state, fenceEvent(position, operation.ordering.scope, operation.ordering.order, control)));
        return;
      case 'barrier':
        end(state, 'barrier');
        run(rest, withEvent(state, { ...nothing, kind: 'barrier', position, depends: control }));
        return;
      case 'if': {
        const register = state.registers.get(operation.register);
        const decided = register === undefined ? control : [...control, register.read];
        const next = reach === 'after' || mayBlock(operation) ? { ...state, decided } : state;
        const taken = (register?.value ?? 0) === operation.equals;
        const body = taken ? first.numbered.body.map((numbered) => ({ numbered, control: decided })) : [];
        run([...body, ...rest], next);
        return;
      }
      case 'wait': {
        const polled = [state];
        if (failedPolls) {
          for (const value of valuesOf(operation.location)) {
            if (value !== operation.equals) polled.push(withEvent(state, read(operation, position, value, control)));
          }
        }
        for (const poll of polled) {
          end(poll, operation);
          if (!valuesOf(operation.location).includes(operation.equals)) continue;
          const seen = withEvent(poll, read(operation, position, operation.equals, control));
          run(rest, { ...seen, decided: [...seen.decided, poll.events.length] });
        }
      }
    }
  };

  const numbered = numberAll(agent.operations, { next: 0 });
  run(
    numbered.map((operation) => ({ numbered: operation, control: [] })),
    { events: [], registers: new Map(), decided: [] },
  );
  return runs;
}

const nothing: RunEvent = {
  kind: 'barrier',
  position: 0,
  location: '',
  value: 0,
  scope: undefined,
  releases: false,
  acquires: false,
  sequential: false,
  depends: [],
  rmwRead: undefined,
};

function mayBlock(operation: Operation): boolean {
  if (operation.kind === 'if') return operation.body.some(mayBlock);
  return operation.kind === 'wait' || operation.kind === 'barrier';
}

function numberAll(operations: readonly Operation[], counter: { next: number }): readonly Numbered[] {
  return operations.map((operation) => {
    const position = counter.next++;
    return { operation, position, body: operation.kind === 'if' ? numberAll(operation.body, counter) : [] };
  });
}

function withEvent(state: State, event: RunEvent): State {
  return { ...state, events: [...state.events, event] };
}

function withRegister(state: State, register: string, value: number, read: number): State {
  return { ...state, registers: new Map(state.registers).set(register, { value, read }) };
}

/** A seq_cst access follows a fence.sc of its scope. */
function withFenceOf(operation: Operation, position: number, control: readonly number[], state: State): State {
  if (!('location' in operation) || operation.ordering === 'weak' || operation.ordering.order !== 'seq_cst')
    return state;
  return withEvent(state, fenceEvent(position, operation.ordering.scope, 'seq_cst', control));
}

function withRmw(state: State, operation: Rmw, position: number, value: number, control: readonly number[]): State {
  const readIndex = state.events.length;
  const operand = evaluate(operation.value, state);
  const next = withEvent(state, read(operation, position, value, control));
  const loaded = withRegister(next, operation.register, value, readIndex);
  if (operation.update === 'cas' && value !== operation.compare) return loaded;
  const written = operation.update === 'add' ? value + operand.value : operand.value;
  const depends = [...control, ...operand.depends, readIndex];
  return withEvent(loaded, write(operation.location, operation.ordering, position, written, depends, readIndex));
}

function evaluate({ register, constant }: Value, { registers }: State): { value: number; depends: readonly number[] } {
  const held = register === undefined ? undefined : registers.get(register);
  return { value: (held?.value ?? 0) + constant, depends: held === undefined ? [] : [held.read] };
}

function read(
  { location, ordering }: Readonly<{ location: string; ordering: Ordering }>,
  position: number,
  value: number,
  depends: readonly number[],
): RunEvent {
  const acquires = ordering !== 'weak' && acquiring[ordering.order];
  return { ...nothing, kind: 'read', position, location, value, scope: scopeOf(ordering), acquires, depends };
}

function write(
  location: string,
  ordering: Ordering,
  position: number,
  value: number,
  depends: readonly number[],
  rmwRead: number | undefined,
): RunEvent {
  const releases = ordering !== 'weak' && releasing[ordering.order];
  const scope = scopeOf(ordering);
  return { ...nothing, kind: 'write', position, location, value, scope, releases, depends, rmwRead };
}

function fenceEvent(position: number, scope: AccessScope, order: MemoryOrder, depends: readonly number[]): RunEvent {
  const { [order]: releases } = releasing;
  const { [order]: acquires } = acquiring;
  return { ...nothing, kind: 'fence', position, scope, releases, acquires, sequential: order === 'seq_cst', depends };
}

function scopeOf(ordering: Ordering): AccessScope | undefined {
  return ordering === 'weak' ? undefined : ordering.scope;
}

const acquiring: Readonly<Record<MemoryOrder, boolean>> = {
  relaxed: false,
  acquire: true,
  release: false,
  acq_rel: true,
  seq_cst: true,
};

const releasing: Readonly<Record<MemoryOrder, boolean>> = {
  relaxed: false,
  acquire: false,
  release: true,
  acq_rel: true,
  seq_cst: true,
};
