import { verdictOf } from '../../../packages/memory-model/test/oracle/oracle.ts';
import {
  smallProgram,
  type Agent,
  type If,
  type LoadOrder,
  type Operation,
  type StoreOrder,
} from '../../../packages/memory-model/test/oracle/small-program.ts';
import type { Location, Ordering, KernelPart, CampaignProgram, Statement } from './program.ts';

/** The result of brute force over the axioms for a program. */
export interface Truth {
  /** The values that the hosts read, in the format of `host` in the program's text. */
  readonly outcomes: ReadonlySet<string>;
  readonly races: boolean;
  readonly deadlocks: boolean;
}

/** The most accesses that brute force can handle. */
const MOST = 6;

/**
 * The result of brute force over the axioms of PTX for a program, or `undefined` if it has
 * unsupported parts. Supported are one launch, or several launches of one thread, with 4-byte
 * accesses, fences and CTA barriers. The network, other barriers, and hosts that do more are not
 * supported.
 */
export function truthOf(program: CampaignProgram): Truth | undefined {
  const text = draftOf(program);
  if (text === undefined) return undefined;
  const { agents, registerValues: kept } = text;
  if (agents.every(({ operations }) => operations.length === 0)) return undefined;
  const verdict = verdictOf(smallProgram('program', agents), { control: 'after' });
  const outcomes = new Set(verdict.outcomes.map((outcome) => outcomeText(program, outcome, kept)));
  return { outcomes, races: verdict.races.length > 0, deadlocks: verdict.deadlocks };
}

/** A value that a thread keeps. */
interface RegisterValue {
  readonly rank: number;
  readonly agent: number;
  readonly register: string;
  /** The values that registers must have for the thread to reach the statement. */
  readonly where: readonly { readonly register: string; readonly equals: number }[];
}

interface Text {
  readonly agents: readonly Agent[];
  readonly registerValues: readonly RegisterValue[];
}

function draftOf({ ranks, grid, block, kernels, steps }: CampaignProgram): Text | undefined {
  const isPlain = steps.every((step) => (step.kind === 'launch' ? step.stream === 0 : step.kind === 'synchronize'));
  if (!isPlain) return undefined;
  const kept: RegisterValue[] = [];
  const agents: Agent[] = [];
  let accesses = 0;
  for (let rank = 0; rank < ranks; rank++) {
    const launched = steps.flatMap((step) =>
      step.kind === 'launch' && (step.rank === undefined || step.rank === rank) ? [step.kernel] : [],
    );
    // Kept values are in the order of the kernels.
    if (launched.some((kernel, index) => index > 0 && kernel <= (launched[index - 1] ?? -1))) return undefined;
    const runs = launched.map((kernel) => ownParts(kernels[kernel]?.parts ?? [], rank));
    if (runs.length > 1 && !isOfOneThread(runs)) return undefined;
    if (!runs.every((parts) => parts.every(isKnownPart))) return undefined;
    for (const part of runs.flat()) if (part.kind === 'thread') accesses += countOf(part.body);
    for (let cta = 0; cta < grid; cta++) {
      for (let thread = 0; thread < block; thread++) {
        const writer = new AgentText(rank, agents.length, cta);
        agents.push({ place: { rank, cta, thread }, operations: writer.all(runs, thread) });
        kept.push(...writer.registerValues);
      }
    }
  }
  return accesses > MOST ? undefined : { agents, registerValues: kept };
}

/** The parts of a kernel that run on a rank. */
function ownParts(parts: readonly KernelPart[], rank: number): readonly KernelPart[] {
  return parts.filter((part) => !('rank' in part) || part.rank === undefined || part.rank === rank);
}

/** True if only one thread is active, so that its launches are ordered like statements. */
function isOfOneThread(runs: readonly (readonly KernelPart[])[]): boolean {
  const places = runs.flat().map((part) => (part.kind === 'thread' ? `${part.cta} ${part.thread}` : part.kind));
  return new Set(places).size <= 1;
}

function isKnownPart(part: KernelPart): boolean {
  return part.kind === 'sync' || (part.kind === 'thread' && part.body.every(isKnown));
}

function countOf(body: readonly Statement[]): number {
  return body.reduce((sum, statement) => sum + accessesOf(statement), 0);
}

/** Writes one thread's part of the program. */
class AgentText {
  readonly registerValues: RegisterValue[] = [];
  readonly #rank: number;
  readonly #agent: number;
  readonly #cta: number;
  #registers = 0;

  constructor(rank: number, agent: number, cta: number) {
    this.#rank = rank;
    this.#agent = agent;
    this.#cta = cta;
  }

  /**
   * The operations of the thread in consecutive launches: each kernel begins and ends with a fence.
   */
  all(runs: readonly (readonly KernelPart[])[], thread: number): readonly Operation[] {
    const between: Operation = { kind: 'fence', ordering: { order: 'acq_rel', scope: 'system' } };
    return runs.flatMap((parts, index) => [...(index > 0 ? [between] : []), ...this.#run(parts, thread)]);
  }

  #run(parts: readonly KernelPart[], thread: number): readonly Operation[] {
    return parts.flatMap((part): readonly Operation[] => {
      if (part.kind === 'sync') return [{ kind: 'barrier' }];
      if (part.kind !== 'thread') return [];
      return part.cta === this.#cta && part.thread === thread ? this.#body(part.body, undefined, []) : [];
    });
  }

  #body(body: readonly Statement[], before: string | undefined, where: RegisterValue['where']): readonly Operation[] {
    const operations: Operation[] = [];
    let seen = before;
    for (const statement of body) {
      switch (statement.kind) {
        case 'store': {
          const { at, ordering } = statement;
          const isSeen = statement.value === 'seen' && seen !== undefined;
          const constant = statement.value === 'seen' ? 1 : statement.value;
          const value = isSeen && seen !== undefined ? { register: seen, constant } : { constant };
          const { order, scope } = ordering ?? { order: undefined, scope: undefined };
          const how = order === undefined || !isStoreOrder(order) ? 'weak' : ({ order, scope } as const);
          operations.push({ kind: 'store', location: this.#location(at), value, ordering: how });
          break;
        }
        case 'load': {
          const { at, keep, then } = statement;
          const register = this.#register(keep, where);
          seen = register;
          operations.push({
            kind: 'load',
            location: this.#location(at),
            register,
            ordering: loadOrdering(statement.ordering),
          });
          if (then === undefined) break;
          const inner = this.#body(then.body, register, [...where, { register, equals: then.equals }]);
          operations.push({ kind: 'if', register, equals: then.equals, body: inner } satisfies If);
          break;
        }
        case 'atomic': {
          const { at, update, value, expected, keep, ordering } = statement;
          const register = this.#register(keep, where);
          if (keep) seen = register;
          const rmw = {
            kind: 'rmw',
            location: this.#location(at),
            register,
            value: { constant: value },
            ordering,
          } as const;
          if (update === 'Cas') operations.push({ ...rmw, update: 'cas', compare: expected });
          else operations.push({ ...rmw, update: update === 'Add' ? 'add' : 'exch' });
          break;
        }
        case 'fence': {
          const { order, scope } = statement.ordering;
          if (order !== 'relaxed') operations.push({ kind: 'fence', ordering: { order, scope } });
          break;
        }
        case 'wait': {
          const { at, ordering, value } = statement;
          const location = this.#location(at);
          operations.push({ kind: 'wait', location, equals: value, ordering: loadOrdering(ordering) });
          break;
        }
        case 'put':
        case 'putValue':
        case 'get':
        case 'signal':
        case 'waitSignal':
        case 'waitCounter':
        case 'flush':
        case 'fabricFill':
        case 'fabricLook':
        case 'fabricPut':
        case 'fabricGet':
        case 'fabricSubmit':
        case 'fabricFlush':
        case 'fabricFlushSmem':
        case 'fabricFence':
        case 'fabricWait':
          throw new TypeError('Brute force does not support a network.');
      }
    }
    return operations;
  }

  #register(keep: boolean, where: RegisterValue['where']): string {
    const register = `r${this.#registers++}`;
    if (keep) this.registerValues.push({ rank: this.#rank, agent: this.#agent, register, where });
    return register;
  }

  #location({ home, word }: Location): string {
    return `${home === 'own' ? this.#rank : home}.${word}`;
  }
}

/** An outcome of the oracle in the form of the hosts' results. */
function outcomeText(
  { ranks, words, readsWords }: CampaignProgram,
  outcome: string,
  kept: readonly RegisterValue[],
): string {
  const values = new Map(
    outcome.split(' ').map((part) => {
      const at = part.lastIndexOf('=');
      return [part.slice(0, at), Number(part.slice(at + 1))] as const;
    }),
  );
  const valueOf = (agent: number, register: string): number | undefined => values.get(`${agent}:${register}`);
  const hosts = Array.from({ length: ranks }, (_, rank) => {
    const own = kept.flatMap(({ rank: of, agent, register, where }) => {
      const value = valueOf(agent, register);
      const happened = where.every((condition) => valueOf(agent, condition.register) === condition.equals);
      return of === rank && happened && value !== undefined ? [value + 100] : [];
    });
    // A location that the program does not name stays zero.
    const memory = Array.from({ length: words * 2 }, (_word, half) =>
      half % 2 === 0 ? (values.get(`${rank}.${half / 2}`) ?? 0) : 0,
    );
    return ` ${own.join()} ${readsWords ? memory.join() : ''}`;
  });
  return hosts.join(' | ');
}

function isKnown(statement: Statement): boolean {
  switch (statement.kind) {
    case 'store':
    case 'load':
      return isWord(statement.at) && (statement.kind === 'store' || (statement.then?.body.every(isKnown) ?? true));
    case 'atomic':
      return isWord(statement.at) && ['Add', 'Exch', 'Cas'].includes(statement.update);
    case 'wait':
      return isWord(statement.at) && statement.until === '===';
    case 'fence':
      return true;
    case 'put':
    case 'putValue':
    case 'get':
    case 'signal':
    case 'waitSignal':
    case 'waitCounter':
    case 'flush':
    case 'fabricFill':
    case 'fabricLook':
    case 'fabricPut':
    case 'fabricGet':
    case 'fabricSubmit':
    case 'fabricFlush':
    case 'fabricFlushSmem':
    case 'fabricFence':
    case 'fabricWait':
      return false;
  }
}

function isWord({ home, bytes }: Location): boolean {
  return home !== 'array' && bytes === 4;
}

function accessesOf(statement: Statement): number {
  if (statement.kind === 'fence') return 0;
  if (statement.kind !== 'load' || statement.then === undefined) return 1;
  return 1 + countOf(statement.then.body);
}

function loadOrdering(
  ordering: Ordering | undefined,
): 'weak' | { readonly order: LoadOrder; readonly scope: Ordering['scope'] } {
  if (ordering === undefined) return 'weak';
  const { order, scope } = ordering;
  if (order === 'relaxed' || order === 'acquire' || order === 'seq_cst') return { order, scope };
  throw new TypeError(`A load has no order ${order}.`);
}

function isStoreOrder(order: string): order is StoreOrder {
  return order === 'relaxed' || order === 'release' || order === 'seq_cst';
}
