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
  type Later,
  type SpaceOptions,
} from '../../src/graph/index.ts';
import type { Verdict } from '../oracle/oracle.ts';
import { linesOf, locationsOf } from '../oracle/small-program.ts';
import type { Agent, Operation, Ordering, Rmw, SmallProgram, Value } from '../oracle/small-program.ts';

type Registers = Map<string, Later<bigint>>;

const BYTES = 4;

/** What the graph engine says of a small program, in the oracle's words. */
export function graphVerdictOf(program: SmallProgram, options: Partial<SpaceOptions> = {}): Verdict & { readonly runs: number } {
  const locations = locationsOf(program);
  const range = (location: string): { at: number; bytes: number } => ({ at: 64 + BYTES * locations.indexOf(location), bytes: BYTES });
  const outcomes = new Set<string>();
  const races = new Set<string>();
  let deadlocks = false;
  const { executions, runs, complete } = exploreExecutions(
    program.agents.map((agent, index) => programOf(program, agent, index, range)),
    {
      runs: 1e6,
      ...options,
      onExecution: ({ races: found, blocked, results, finals }) => {
        for (const { first, second } of found) {
          races.add(`${first.agent - 1}.${first.site} ${second.agent - 1}.${second.site}`);
        }
        if (blocked.length > 0) {
          deadlocks = true;
          return;
        }
        for (const values of finals(locations.map(range))) {
          const parts = [...results.map(String).filter((text) => text !== ''), ...locations.map((name, i) => `${name}=${values[i]}`)];
          outcomes.add(parts.join(' '));
        }
      },
    },
  );
  if (!complete) throw new Error('The engine came to a bound.');
  return { outcomes: [...outcomes].sort(), races: [...races].sort(), deadlocks, executions, runs };
}

function programOf(
  program: SmallProgram,
  { place, operations }: Agent,
  index: number,
  range: (location: string) => { at: number; bytes: number },
): AgentProgram {
  const cta = place.rank * 100 + place.cta;
  const mates = program.agents.filter(({ place: other }) => other.rank === place.rank && other.cta === place.cta);
  const own = mates.findIndex((mate) => mate.place.thread === place.thread);
  const names = linesOf(operations).flatMap(({ operation }) =>
    operation.kind === 'load' || operation.kind === 'rmw' ? [operation.register] : [],
  );
  return {
    name: `${index}`,
    place: { rank: place.rank, cta, thread: place.thread },
    start: function* () {
      const registers: Registers = new Map();
      const position = { next: 0 };
      yield* run(operations, { registers, position, range, meeting: { group: `cta ${cta}`, size: mates.length, index: own } });
      const values = names.map((name) => registers.get(name) ?? 0n);
      return after(values, () => names.map((name, i) => `${index}:${name}=${known(values[i])}`).join(' '));
    },
  };
}

interface Machine {
  readonly registers: Registers;
  readonly position: { next: number };
  readonly range: (location: string) => { at: number; bytes: number };
  readonly meeting: { readonly group: string; readonly size: number; readonly index: number };
}

function* run(operations: readonly Operation[], machine: Machine): AgentSteps {
  const { registers, range } = machine;
  for (const operation of operations) {
    const site = machine.position.next++;
    switch (operation.kind) {
      case 'load':
        registers.set(operation.register, yield* read(range(operation.location), accessOf(operation.ordering), site));
        break;
      case 'store':
        yield* write(range(operation.location), accessOf(operation.ordering), site, valueOf(operation.value, registers));
        break;
      case 'rmw': {
        const operand = valueOf(operation.value, registers);
        const change = after([operand], () => changeOf(operation, known(operand)));
        const { location, ordering, register, update } = operation;
        registers.set(register, yield* modify(range(location), ordering, site, change, update !== 'cas'));
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
        if ((yield* use(value)) === BigInt(operation.equals)) yield* run(operation.body, machine);
        else machine.position.next += linesOf(operation.body).length;
        break;
      }
      case 'wait':
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
