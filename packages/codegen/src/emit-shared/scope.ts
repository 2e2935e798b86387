import { expressionChildren, isLeaf, type Expression, type LocalId, type LoopStatement, type Span } from '@nccl-ts/ir';

import type { Components, EmitContext } from './context.ts';
import type { PausePoint } from './pausing.ts';

/** One function of the generated text while it is being generated. */
export interface FunctionText {
  /** The constants that its head binds, by name, with their values. */
  readonly head: Map<string, string>;
  /** True if the head binds the fields of the CTA that the function uses. */
  readonly bindsFields: boolean;
  counter: number;
  /** True if its loops count their rounds in a variable `fuel`. */
  fuel: boolean;
  /**
   * Set if the variable `left` counts the rounds until the next clock check: its initial value.
   * `ahead` has the number of those rounds that `fuel` does not count.
   */
  look: number | undefined;
}

export function functionText(bindsFields: boolean = true): FunctionText {
  return { head: new Map(), bindsFields, counter: 0, fuel: false, look: undefined };
}

/** The targets of jumps in the code that is being generated. */
export interface JumpTargets {
  /** Statements that leave the innermost loop, continue with its update, or end the thread. */
  readonly break: string;
  readonly continue: string;
  readonly return: string;
}

/** The position at which code is generated, and the facts that hold there. */
export interface EmitScope {
  readonly context: EmitContext;
  readonly fn: FunctionText;
  /** The lines, without indentation. */
  readonly code: string[];
  /** The span of the current statement, for faults of expressions without their own. */
  readonly span: Span;
  /** The text of the current thread's linear index. */
  readonly thread: string;
  /** Returns the variables of a local, to read or set. */
  readonly local: (id: LocalId) => Components;
  /** Returns values that were computed before the loop over the threads. */
  readonly hoisted: ((e: Expression) => Components | undefined) | undefined;
  /** Called for every assignment, so that known values are updated. */
  readonly track: Tracker | undefined;
  /** Nodes that occur more than once in the current statement, with the names of their values. */
  readonly repeated: ReadonlySet<Expression>;
  readonly done: Map<Expression, Components>;
  readonly jumps: JumpTargets;
  /** True if accesses are reported to the trace. Those in the polls of a wait are not. */
  readonly traced: boolean;
  /** True if they are reported to the watch, with the same exception. */
  readonly watched: boolean;
  /** Returns statements that pause the turn in a round of the loop. Absent if no turn may pause. */
  readonly pause?: ((loop: LoopStatement) => readonly string[]) | undefined;
  /** True in a run of threads inside a shared loop; see `pausesIn`. */
  readonly isInside?: boolean | undefined;
  /** The surrounding loops in which the turn may pause. Absent if there are none. */
  readonly loops?: number | undefined;
  /**
   * Set in code that resumes after a pause. The pause point's number is in the variable `enter`
   * until the code reaches it; then that is 0.
   */
  readonly entry?: ReadonlyMap<LoopStatement, PausePoint> | undefined;
  /**
   * Set in the condition of a wait, if the code decides whether the wait is over: the text that is
   * true if the thread continues.
   */
  readonly decides?: string | undefined;
  /**
   * Set in code that tests a wait again for its time: the clock stands still, since a check of it
   * has a visible effect.
   */
  readonly isClockStill?: boolean | undefined;
  /** Set if loads are recorded for people: the list's name. */
  readonly recorder: string | undefined;
  /** The locals whose loads are recorded. All are, if it is absent. */
  readonly awaited?: ReadonlySet<LocalId> | undefined;
}

/** Returns a scope that knows nothing but `own`: no jumps, tracked values or recorder. */
export function plainScope(
  context: EmitContext,
  fn: FunctionText,
  local: EmitScope['local'],
  own: Partial<EmitScope>,
): EmitScope {
  return {
    context,
    fn,
    code: [],
    thread: 't',
    span: { source: 0, start: 0, end: 0 },
    local,
    hoisted: undefined,
    track: undefined,
    repeated: new Set(),
    done: new Map(),
    jumps: { break: '', continue: '', return: '' },
    traced: context.traced,
    watched: context.watched,
    recorder: undefined,
    // Scopes are copied for every statement, and the engine copies objects of one shape fastest.
    pause: undefined,
    isInside: undefined,
    loops: undefined,
    entry: undefined,
    decides: undefined,
    awaited: undefined,
    isClockStill: undefined,
    ...own,
  };
}

/** The known values of locals in a scope; see `affine.ts`. */
export interface Tracker {
  assign(local: LocalId, value: Expression | undefined): void;
  /**
   * Returns the access through `pointer` as elements `base + step * thread`, which are checked
   * before the loop; see `emit-access.ts`.
   */
  access(pointer: Expression, bytes: number, align: number): AffineAccess | undefined;
  branch(body: () => void): void;
  /** Forgets locals that are about to be set repeatedly. */
  forget(locals: ReadonlySet<LocalId>): void;
}

/**
 * The byte address `base + step * thread`. It is inside its region and aligned for every thread of
 * the loop.
 */
export interface AffineAccess {
  /** The byte address that thread 0 would access, and the distance to that of the next thread. */
  readonly base: string;
  readonly stride: number;
  /**
   * Returns the index of the element that thread 0 would access, in units of `bytes`, as an int32.
   */
  readonly element: (bytes: number) => string;
}

const identifierOrNumber = /^(?:[A-Za-z_$][\w$]*|\d+n?|\(-\d+n?\))$/;

/** True if a text may be repeated at no cost. */
export function isAtom(text: string): boolean {
  return identifierOrNumber.test(text);
}

export function fresh(scope: EmitScope, prefix = 'c'): string {
  return `${prefix}${scope.fn.counter++}`;
}

/** Returns `text` itself if it is an atom, and otherwise a new constant with its value. */
export function atom(scope: EmitScope, text: string): string {
  if (isAtom(text)) return text;
  const name = fresh(scope);
  scope.code.push(`const ${name} = ${text};`);
  return name;
}

/** Returns a name that the head of the function binds to `value`. */
export function bound(scope: EmitScope, name: string, value: string): string {
  scope.fn.head.set(name, value);
  return name;
}

/**
 * Returns the scope with an empty list of lines, for code that runs only sometimes. Its values are
 * not visible outside.
 */
export function branchScope(scope: EmitScope): EmitScope {
  return { ...scope, code: [], done: new Map(scope.done) };
}

/**
 * Returns the scope for one statement with these expressions. Nodes that occur in them more than
 * once are computed once.
 */
export function statementScope(scope: EmitScope, roots: readonly Expression[]): EmitScope {
  return { ...scope, repeated: repeatedNodes(roots), done: new Map() };
}

/** Returns the nodes that occur more than once in `roots` and are worth computing once. */
export function repeatedNodes(roots: readonly Expression[]): ReadonlySet<Expression> {
  if (roots.every(isLeaf)) return none;
  const seen = new Set<Expression>();
  const repeated = new Set<Expression>();
  const visit = (e: Expression): void => {
    if (isLeaf(e)) return;
    if (seen.has(e)) {
      repeated.add(e);
      return;
    }
    seen.add(e);
    if (e.kind === 'intrinsic') visit(e.expansion);
    else expressionChildren(e).forEach(visit);
  };
  roots.forEach(visit);
  return repeated;
}

const none: ReadonlySet<Expression> = new Set();
