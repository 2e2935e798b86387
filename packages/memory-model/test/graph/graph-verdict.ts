import {
  after,
  exploreExecutions,
  fence,
  known,
  meet,
  modify,
  read,
  use,
  wait,
  write,
  type AgentProgram,
  type AgentSteps,
  type ByteRange,
  type Later,
  type SpaceOptions,
} from '../../src/graph/index.ts';
import type { Verdict } from '../oracle/oracle.ts';
import { clusterNumber, linesOf, locationsOf } from '../oracle/small-program.ts';
import type { Agent, Operation, Ordering, Rmw, SmallProgram, Value } from '../oracle/small-program.ts';

type Registers = Map<string, Later<bigint>>;

const BYTES = 4;

/**
 * The result of the graph engine for a small program, in the oracle's terms. In the oracle, only
 * the body of an `if` depends on its register. In the engine, everything after the use of a value
 * depends on it. So both outcomes of each `if` are guessed, and its body depends on the register by
 * data. Executions with a wrong guess do not count.
 */
export function graphVerdictOf(
  program: SmallProgram,
  options: Partial<SpaceOptions> = {},
): Verdict & { readonly runs: number } {
  const locations = locationsOf(program);
  const range = (location: string): ByteRange => ({ at: 64 + BYTES * locations.indexOf(location), bytes: BYTES });
  const outcomes = new Set<string>();
  const races = new Set<string>();
  let deadlocks = false;
  let executions = 0;
  let runs = 0;
  const ifs = program.agents.flatMap(({ operations }, agent) =>
    linesOf(operations).flatMap(({ operation, position }) => (operation.kind === 'if' ? [`${agent}.${position}`] : [])),
  );
  for (let bits = 0; bits < 2 ** ifs.length; bits++) {
    const foretold = new Map(ifs.map((name, index) => [name, ((bits >> index) & 1) === 1]));
    const decided = new Map<string, Later<boolean>>();
    const explored = exploreExecutions(
      program.agents.map((agent, index) => programOf(program, agent, { index, range, foretold, decided })),
      {
        runs: 1e6,
        ...options,
        onExecution: ({ races: found, blocked, results, finals }) => {
          // Bodies that do not run need only one guess.
          if (![...foretold].every(([name, value]) => known(decided.get(name) ?? false) === value)) return;
          executions++;
          for (const { first, second } of found) {
            races.add(`${first.agent - 1}.${first.site} ${second.agent - 1}.${second.site}`);
          }
          if (blocked.length > 0) {
            deadlocks = true;
            return;
          }
          for (const values of finals(locations.map(range))) {
            const registers = results.map(String).filter((text) => text !== '');
            outcomes.add([...registers, ...locations.map((name, i) => `${name}=${values[i]}`)].join(' '));
          }
        },
      },
    );
    if (!explored.complete) throw new Error('The engine came to a bound.');
    runs += explored.runs;
  }
  return { outcomes: [...outcomes].sort(), races: [...races].sort(), deadlocks, executions, runs };
}

interface Setting {
  readonly index: number;
  readonly range: (location: string) => ByteRange;
  readonly foretold: ReadonlyMap<string, boolean>;
  /** The conditions of each `if` that this execution has reached. */
  readonly decided: Map<string, Later<boolean>>;
}

function programOf(program: SmallProgram, { place, operations }: Agent, setting: Setting): AgentProgram {
  const { index, decided } = setting;
  const cta = place.rank * 100 + place.cta;
  const mates = program.agents.filter(({ place: other }) => other.rank === place.rank && other.cta === place.cta);
  const own = mates.findIndex((mate) => mate.place.thread === place.thread);
  const names = linesOf(operations).flatMap(({ operation }) =>
    operation.kind === 'load' || operation.kind === 'rmw' ? [operation.register] : [],
  );
  return {
    name: `${index}`,
    coordinates: { rank: place.rank, cta, thread: place.thread, cluster: clusterNumber(place) },
    start: function* () {
      for (const name of decided.keys()) if (name.startsWith(`${index}.`)) decided.delete(name);
      const registers: Registers = new Map();
      const meeting = { group: `cta ${cta}`, size: mates.length, index: own };
      yield* run(operations, { ...setting, registers, position: { next: 0 }, meeting, control: 0n });
      const values = names.map((name) => registers.get(name) ?? 0n);
      return after(values, () => names.map((name, i) => `${index}:${name}=${known(values[i])}`).join(' '));
    },
  };
}

interface Machine extends Setting {
  readonly registers: Registers;
  readonly position: { next: number };
  readonly meeting: { readonly group: string; readonly size: number; readonly index: number };
  /** The value on which everything in this body depends. Its number does not matter. */
  readonly control: Later<bigint>;
}

function* run(operations: readonly Operation[], machine: Machine): AgentSteps {
  const { registers, range, control } = machine;
  const controlled = (value: Later<bigint>): Later<bigint> => after([value, control], () => known(value));
  for (const operation of operations) {
    const site = machine.position.next++;
    switch (operation.kind) {
      case 'load': {
        const value = yield* read(range(operation.location), accessOf(operation.ordering), site);
        registers.set(operation.register, controlled(value));
        break;
      }
      case 'store': {
        const value = controlled(valueOf(operation.value, registers));
        yield* write(range(operation.location), accessOf(operation.ordering), site, value);
        break;
      }
      case 'rmw': {
        const operand = valueOf(operation.value, registers);
        const change = after([operand, control], () => changeOf(operation, known(operand)));
        const { location, ordering, register, update } = operation;
        registers.set(register, controlled(yield* modify(range(location), ordering, site, change, update !== 'cas')));
        break;
      }
      case 'fence':
        yield* fence(operation.ordering, site);
        break;
      case 'barrier':
        yield* meet({ ...machine.meeting, give: undefined });
        break;
      case 'if': {
        const value = registers.get(operation.register) ?? 0n;
        const name = `${machine.index}.${site}`;
        machine.decided.set(
          name,
          after([value], () => known(value) === BigInt(operation.equals)),
        );
        const both = after([value, control], () => 0n);
        // If a body may block, the condition also decides if the code after it runs.
        if (mayBlock(operation.body)) yield* use(both);
        if (machine.foretold.get(name) === true) yield* run(operation.body, { ...machine, control: both });
        else machine.position.next += linesOf(operation.body).length;
        break;
      }
      case 'wait':
        yield* use(control);
        yield* wait((look) => {
          const value = look(range(operation.location), accessOf(operation.ordering), site);
          return value === BigInt(operation.equals) ? { value } : undefined;
        }, site);
        break;
    }
  }
  return undefined;
}

function accessOf(ordering: Ordering): Exclude<Ordering, 'weak'> | undefined {
  return ordering === 'weak' ? undefined : ordering;
}

function valueOf({ register, constant }: Value, registers: Registers): Later<bigint> {
  const held = register === undefined ? 0n : (registers.get(register) ?? 0n);
  return after([held], () => known(held) + BigInt(constant));
}

function changeOf(operation: Rmw, operand: bigint): (old: bigint) => bigint | undefined {
  switch (operation.update) {
    case 'exch':
      return () => operand;
    case 'add':
      return (old) => old + operand;
    case 'cas':
      return (old) => (old === BigInt(operation.compare) ? operand : undefined);
  }
}

function mayBlock(body: readonly Operation[]): boolean {
  return body.some((inner) => {
    if (inner.kind === 'wait' || inner.kind === 'barrier') return true;
    return inner.kind === 'if' && mayBlock(inner.body);
  });
}
