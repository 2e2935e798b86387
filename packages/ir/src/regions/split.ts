import { at } from '@nccl-ts/core';
import type { Expression } from '../expression.ts';
import type {
  Body,
  CollectiveStatement,
  LoopStatement,
  ReturnStatement,
  Statement,
  SyncStatement,
  WaitAllStatement,
  WaitStatement,
} from '../statement.ts';
import { statementBodies } from '../visit/children.ts';
import { pollsByAtomics } from './spin.ts';

/** Index into `StateGraph.states`. */
export type StateId = number;

/** A statement at which a program may stop and continue later. */
export type CutStatement = WaitStatement | WaitAllStatement | SyncStatement | CollectiveStatement;

/** The end of a state. */
export type Terminator =
  | { readonly kind: 'jump'; readonly to: StateId }
  | { readonly kind: 'branch'; readonly condition: Expression; readonly then: StateId; readonly else: StateId }
  | { readonly kind: 'cut'; readonly statement: CutStatement; readonly to: StateId }
  /** Does not block, but lets other threads run. It is the back-edge of a loop that polls. */
  | { readonly kind: 'yield'; readonly loop: LoopStatement; readonly to: StateId }
  /**
   * Does not block, but lets other threads run between two accesses of this thread. `behind` and
   * `before` are the statements that requested it. `next` is the statement after it, if only
   * assignments are in between.
   */
  | {
      readonly kind: 'pause';
      readonly to: StateId;
      readonly behind?: Statement;
      readonly before?: Statement;
      readonly next?: Statement;
    }
  | { readonly kind: 'exit' };

/** Structured code without cuts, and the next state. A `return` inside the code ends the thread. */
export interface State {
  readonly body: Body;
  readonly terminator: Terminator;
}

/** State 0 is the entry. */
export interface StateGraph {
  readonly states: readonly State[];
}

export interface SplitOptions {
  /** True if a blocking statement is a cut. The others stay inside states. */
  readonly isCut: (statement: CutStatement) => boolean;
  /** True if a loop that polls with atomics or ordered loads yields at its back-edge. */
  readonly yields: boolean | ((loop: LoopStatement) => boolean);
  /**
   * True if the code after such a loop also runs in a later slice. That code may read data that was
   * written before the word that ended the loop.
   *
   * @default false
   */
  readonly yieldsBehind?: boolean;
  /**
   * True if a thread may be interrupted before and after a statement that does not block. If the
   * statement is a construct, it stays whole, unless it contains a cut or a jump out of itself. By
   * default no thread is interrupted.
   */
  readonly pausesAround?: (statement: Statement) => boolean;
  /** True if a thread may also be interrupted before its first effect. @default false */
  readonly pausesFirst?: boolean;
  /**
   * True if a `return` ends a state, which takes the constructs around it apart. By default a
   * `return` ends its thread inside a state.
   */
  readonly endsState?: (statement: ReturnStatement) => boolean;
}

/**
 * Cuts `body` into states at its blocking statements. A construct is taken apart if it contains a
 * cut, or a jump to an outer construct that contains one. All others stay whole inside a state.
 * Calls must already be expanded.
 */
export function splitStates(body: Body, options: SplitOptions): StateGraph {
  const splitter = new Splitter(options);
  splitter.run(body);
  return mergeChains(threadJumps(splitter.states()));
}

interface OpenState {
  readonly body: Statement[];
  terminator: Terminator | undefined;
}

interface LoopTargets {
  readonly end: StateId;
  readonly update: StateId;
}

class Splitter {
  readonly #options: SplitOptions;
  readonly #states: OpenState[] = [];
  readonly #blockEnds = new Map<number, StateId>();
  readonly #loops: LoopTargets[] = [];
  #current: OpenState;
  /**
   * The state after the last pause. Initially it is the entry, unless a thread may be interrupted
   * before its first effect.
   */
  #paused: OpenState | undefined;
  /** The state that ends with the last pause. */
  #last: OpenState | undefined;

  constructor(options: SplitOptions) {
    this.#options = options;
    this.#current = this.#state(this.#open());
    this.#paused = options.pausesFirst === true ? undefined : this.#current;
  }

  run(body: Body): void {
    this.#flatten(body);
    this.#end({ kind: 'exit' });
  }

  states(): readonly State[] {
    return this.#states.map(({ body, terminator }) => ({ body, terminator: terminator ?? { kind: 'exit' } }));
  }

  #open(): StateId {
    this.#states.push({ body: [], terminator: undefined });
    return this.#states.length - 1;
  }

  #state(id: StateId): OpenState {
    const state = this.#states[id];
    if (state === undefined) throw new RangeError(`There is no state ${id}.`);
    return state;
  }

  /** Ends the current state. Code before the next `#enter` is unreachable. */
  #end(terminator: Terminator): void {
    this.#current.terminator ??= terminator;
  }

  #startState(id: StateId): void {
    this.#current = this.#state(id);
  }

  #flatten(body: Body): void {
    for (const statement of body) {
      if (this.#current.terminator !== undefined) return;
      this.#statement(statement);
    }
  }

  #statement(s: Statement): void {
    if (!this.#pausesAround(s) || !this.#isWhole(s)) {
      this.#parts(s);
      return;
    }
    this.#pause({ before: s });
    this.#current.body.push(s);
    this.#pause({ behind: s });
  }

  /**
   * Ends the current state with a pause. Two pauses without a visible effect in between become one.
   */
  #pause(where: { readonly before?: Statement; readonly behind?: Statement }): void {
    const { before: next } = where;
    if (this.#current === this.#paused && this.#current.body.every((s) => s.kind === 'assign')) {
      const last = this.#last?.terminator;
      if (this.#last !== undefined && last?.kind === 'pause' && next !== undefined)
        this.#last.terminator = { ...last, next };
      return;
    }
    const to = this.#open();
    this.#last = this.#current;
    this.#end({ kind: 'pause', to, ...where, ...(next === undefined ? {} : { next }) });
    this.#startState(to);
    this.#paused = this.#current;
  }

  #parts(s: Statement): void {
    switch (s.kind) {
      case 'wait':
      case 'waitAll':
      case 'sync':
      case 'collective':
        if (this.#options.isCut(s)) {
          const to = this.#open();
          this.#end({ kind: 'cut', statement: s, to });
          this.#startState(to);
        } else {
          this.#current.body.push(s);
        }
        return;
      case 'if':
        if (this.#isWhole(s)) this.#current.body.push(s);
        else this.#if(s.condition, s.then, s.else);
        return;
      case 'loop':
        if (this.#isWhole(s)) this.#current.body.push(s);
        else this.#loop(s);
        return;
      case 'block':
        if (this.#isWhole(s)) {
          this.#current.body.push(s);
        } else {
          const end = this.#open();
          this.#blockEnds.set(s.label, end);
          this.#flatten(s.body);
          this.#end({ kind: 'jump', to: end });
          this.#startState(end);
        }
        return;
      case 'break':
        this.#jump(this.#loops.at(-1)?.end);
        return;
      case 'continue':
        this.#jump(this.#loops.at(-1)?.update);
        return;
      case 'leave':
        this.#jump(this.#blockEnds.get(s.label));
        return;
      case 'return':
        this.#end({ kind: 'exit' });
        return;
      case 'assign':
      case 'load':
      case 'store':
      case 'atomic':
      case 'fence':
      case 'fenceProxy':
      case 'assert':
      case 'print':
      case 'approximate':
      case 'clock':
      case 'call':
        this.#current.body.push(s);
        return;
    }
  }

  #jump(to: StateId | undefined): void {
    if (to === undefined) throw new RangeError('A jump has no enclosing construct.');
    this.#end({ kind: 'jump', to });
  }

  #if(condition: Expression, then: Body, otherwise: Body): void {
    const thenState = this.#open();
    const end = this.#open();
    const elseState = otherwise.length === 0 ? end : this.#open();
    this.#end({ kind: 'branch', condition, then: thenState, else: elseState });
    this.#startState(thenState);
    this.#flatten(then);
    this.#end({ kind: 'jump', to: end });
    if (elseState !== end) {
      this.#startState(elseState);
      this.#flatten(otherwise);
      this.#end({ kind: 'jump', to: end });
    }
    this.#startState(end);
  }

  #loop(s: LoopStatement): void {
    const head = this.#open();
    const body = s.condition === undefined ? head : this.#open();
    const update = this.#open();
    const end = this.#open();
    this.#end({ kind: 'jump', to: head });
    if (s.condition !== undefined) {
      this.#startState(head);
      this.#end({ kind: 'branch', condition: s.condition, then: body, else: end });
    }
    this.#loops.push({ end, update });
    this.#startState(body);
    this.#flatten(s.body);
    this.#end({ kind: 'jump', to: update });
    this.#startState(update);
    this.#flatten(s.update);
    this.#end(this.#yields(s) ? { kind: 'yield', loop: s, to: head } : { kind: 'jump', to: head });
    this.#loops.pop();
    this.#startState(end);
    if (this.#options.yieldsBehind !== true || !this.#yields(s)) return;
    const behind = this.#open();
    this.#end({ kind: 'yield', loop: s, to: behind });
    this.#startState(behind);
  }

  /**
   * The constructs around this point were taken apart, so a jump out of a construct takes that one
   * apart too.
   */
  #isWhole(s: Statement): boolean {
    const pauses = !this.#pausesAround(s);
    return !this.#containsCut(s, pauses) && !jumpsOut(s, false, new Set());
  }

  #yields(loop: LoopStatement): boolean {
    const { yields } = this.#options;
    return (typeof yields === 'boolean' ? yields : yields(loop)) && pollsByAtomics(loop);
  }

  #pausesAround(s: Statement): boolean {
    return this.#options.pausesAround?.(s) ?? false;
  }

  /** `pauses` is true if points at which a thread may be interrupted count. */
  #containsCut(s: Statement, pauses: boolean): boolean {
    if (s.kind === 'wait' || s.kind === 'waitAll' || s.kind === 'sync' || s.kind === 'collective') {
      return this.#options.isCut(s);
    }
    if (s.kind === 'return') return this.#options.endsState?.(s) ?? false;
    if (pauses && this.#pausesAround(s)) return true;
    if (s.kind === 'loop' && this.#yields(s)) return true;
    return statementBodies(s).some((body) => body.some((inner) => this.#containsCut(inner, pauses)));
  }
}

/** True if a `break`, `continue` or `leave` in `s` jumps out of it. */
export function jumpsOut(s: Statement, inLoop: boolean, labels: ReadonlySet<number>): boolean {
  if (s.kind === 'break' || s.kind === 'continue') return !inLoop;
  if (s.kind === 'leave') return !labels.has(s.label);
  const inside = s.kind === 'block' ? new Set([...labels, s.label]) : labels;
  const loop = inLoop || s.kind === 'loop';
  return statementBodies(s).some((body) => body.some((inner) => jumpsOut(inner, loop, inside)));
}

/** Removes unreachable states, and states that only jump. */
function threadJumps(states: readonly State[]): StateGraph {
  const resolve = (id: StateId, seen: ReadonlySet<StateId> = new Set()): StateId => {
    const state = states[id];
    if (state === undefined || state.body.length > 0 || state.terminator.kind !== 'jump' || seen.has(id)) return id;
    return resolve(state.terminator.to, new Set([...seen, id]));
  };
  const order: StateId[] = [];
  const numbers = new Map<StateId, StateId>();
  const visit = (target: StateId): StateId => {
    const id = resolve(target);
    let number = numbers.get(id);
    if (number === undefined) {
      number = order.push(id) - 1;
      numbers.set(id, number);
    }
    return number;
  };
  visit(0);
  const threaded: State[] = [];
  for (let i = 0; i < order.length; i++) {
    const state = states[at(order, i)];
    if (state !== undefined) threaded.push({ body: state.body, terminator: mapTargets(state.terminator, visit) });
  }
  return { states: threaded };
}

/** Merges every state with its successor, if that has no other predecessor. */
function mergeChains({ states }: StateGraph): StateGraph {
  const entries = states.map(() => 0);
  for (const { terminator } of states) for (const to of successors(terminator)) entries[to] = at(entries, to) + 1;
  // The entry also has a predecessor outside the graph.
  entries[0] = 2;
  const merged = states.map((state): State => {
    let { body, terminator } = state;
    while (terminator.kind === 'jump' && entries[terminator.to] === 1) {
      const next: State | undefined = states[terminator.to];
      if (next === undefined || next === state) break;
      body = [...body, ...next.body];
      terminator = next.terminator;
    }
    return { body, terminator };
  });
  return threadJumps(merged);
}

function mapTargets(terminator: Terminator, map: (id: StateId) => StateId): Terminator {
  switch (terminator.kind) {
    case 'branch':
      return { ...terminator, then: map(terminator.then), else: map(terminator.else) };
    case 'jump':
    case 'cut':
    case 'yield':
    case 'pause':
      return { ...terminator, to: map(terminator.to) };
    case 'exit':
      return terminator;
  }
}

/** The possible next states. */
export function successors(terminator: Terminator): readonly StateId[] {
  switch (terminator.kind) {
    case 'branch':
      return [terminator.then, terminator.else];
    case 'jump':
    case 'cut':
    case 'yield':
    case 'pause':
      return [terminator.to];
    case 'exit':
      return [];
  }
}
