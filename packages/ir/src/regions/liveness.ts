import type { LocalId } from '../expression.ts';
import type { Body, Statement } from '../statement.ts';
import { statementTarget } from '../visit/children.ts';
import { readLocals, statementReads, unionLocals } from '../visit/locals.ts';
import { successors, type State, type StateGraph, type StateId } from './split.ts';

type Locals = ReadonlySet<LocalId>;

/**
 * The locals that are still needed at each statement. The analysis is conservative: if it does not
 * list a local, no statement reads it before it is set again.
 */
export interface Liveness {
  /**
   * The locals whose values a state needs on entry, including those that a wait's repeated tests
   * read.
   */
  liveInto(state: StateId): Locals;
  /**
   * The locals whose values are needed before and after a statement. If a statement occurs several
   * times, the result covers all occurrences.
   */
  liveBefore(statement: Statement): Locals;
  liveAfter(statement: Statement): Locals;
}

/** Finds the live locals of every state and statement of `graph`. */
export function analyseLiveness(graph: StateGraph): Liveness {
  const analysis = new LivenessAnalysis(graph);
  analysis.run();
  return {
    liveInto: (state) => analysis.into[state] ?? none,
    liveBefore: (statement) => analysis.before.get(statement) ?? none,
    liveAfter: (statement) => analysis.after.get(statement) ?? none,
  };
}

const none: Locals = new Set();

interface Targets {
  readonly end: Locals;
  readonly update: Locals;
  readonly blocks: ReadonlyMap<number, Locals>;
}

class LivenessAnalysis {
  readonly into: Locals[];
  readonly before = new Map<Statement, Locals>();
  readonly after = new Map<Statement, Locals>();
  readonly #graph: StateGraph;
  /** True once `into` is final. */
  #isKnown = false;

  constructor(graph: StateGraph) {
    this.#graph = graph;
    this.into = graph.states.map(() => none);
  }

  run(): void {
    let changed: boolean;
    do {
      changed = false;
      for (let id = this.#graph.states.length - 1; id >= 0; id--) {
        const state = this.#graph.states[id];
        if (state === undefined) continue;
        const live = this.#state(state);
        if (live.size !== this.into[id]?.size) {
          this.into[id] = live;
          changed = true;
        }
      }
    } while (changed);
    // The sets only grow until then, so that what is known of statements earlier is not needed.
    this.#isKnown = true;
    for (const state of this.#graph.states.toReversed()) this.#state(state);
  }

  #state(state: State): Locals {
    const { terminator } = state;
    let live = union(successors(terminator).map((to) => this.into[to] ?? none));
    const targets: Targets = { end: none, update: none, blocks: new Map() };
    if (terminator.kind === 'branch') live = union([live, readLocals(terminator.condition)]);
    else if (terminator.kind === 'cut') live = this.#statement(terminator.statement, live, targets);
    return this.#body(state.body, live, targets);
  }

  #body(body: Body, after: Locals, targets: Targets): Locals {
    let live = after;
    for (let i = body.length - 1; i >= 0; i--) {
      const statement = body[i];
      if (statement !== undefined) live = this.#statement(statement, live, targets);
    }
    return live;
  }

  #statement(s: Statement, after: Locals, targets: Targets): Locals {
    const before = this.#transfer(s, after, targets);
    if (this.#isKnown) {
      addAll(this.after, s, after);
      addAll(this.before, s, before);
    }
    return before;
  }

  #transfer(s: Statement, after: Locals, targets: Targets): Locals {
    switch (s.kind) {
      case 'if':
        return union([this.#body(s.then, after, targets), this.#body(s.else, after, targets), readLocals(s.condition)]);
      case 'loop': {
        const condition = s.condition === undefined ? none : readLocals(s.condition);
        // Without a condition, only jumps leave the loop.
        let head = s.condition === undefined ? condition : union([after, condition]);
        for (;;) {
          const update = this.#body(s.update, head, { ...targets, end: after, update: none });
          const body = this.#body(s.body, update, { ...targets, end: after, update });
          const next = union([head, body]);
          if (next.size === head.size) return next;
          head = next;
        }
      }
      case 'block':
        return this.#body(s.body, after, { ...targets, blocks: new Map([...targets.blocks, [s.label, after]]) });
      case 'break':
        return targets.end;
      case 'continue':
        return targets.update;
      case 'leave':
        return targets.blocks.get(s.label) ?? none;
      case 'return':
        return none;
      case 'wait':
        return this.#body(s.body, union([after, readLocals(s.condition)]), targets);
      case 'waitAll': {
        const tested = this.#body(s.body, union([after, readLocals(s.condition)]), targets);
        return union([without(tested, s.index), after, statementReads(s)]);
      }
      case 'call':
        return s.body === undefined
          ? union([without(after, s.local), statementReads(s)])
          : union([this.#body(s.body, after, targets), statementReads(s)]);
      case 'assign':
      case 'load':
      case 'store':
      case 'atomic':
      case 'fence':
      case 'fenceProxy':
      case 'sync':
      case 'collective':
      case 'assert':
      case 'print':
      case 'approximate':
      case 'clock':
        return union([without(after, statementTarget(s)), statementReads(s)]);
    }
  }
}

function addAll(map: Map<Statement, Locals>, key: Statement, locals: Locals): void {
  map.set(key, unionLocals(map.get(key) ?? none, locals));
}

function union(sets: readonly Locals[]): Locals {
  return sets.reduce(unionLocals, none);
}

function without(locals: Locals, removed: LocalId | undefined): Locals {
  if (removed === undefined || !locals.has(removed)) return locals;
  const rest = new Set(locals);
  rest.delete(removed);
  return rest;
}
