import type { Expression, LocalId } from '../expression.ts';
import type { Span } from '../span.ts';
import type { AtomicStatement, Body, LoadStatement, Statement, StoreStatement } from '../statement.ts';
import { expressionChildren, isLeaf, statementExpressions } from '../visit/children.ts';
import { readLocals, statementReads } from '../visit/locals.ts';
import { walkBody } from '../visit/walk.ts';
import { casLoops } from './cas-loops.ts';

/**
 * An access through which a value becomes visible to others, or that depends on it. It writes a
 * value that depends on it, has such an address, or is a load in a wait that compares with it.
 */
export type ValueUse = LoadStatement | StoreStatement | AtomicStatement;

/**
 * Finds the accesses through which a value loaded in `body` leaves its thread. Returns `undefined`
 * if it has other effects, such as on control flow. If a thread reaches none of these accesses, the
 * loaded value does not affect its behaviour.
 */
export function valueUses(body: Body, load: LoadStatement): ReadonlySet<ValueUse> | undefined {
  const flow = new Flow(load);
  return flow.runsThrough(body) ? flow.uses : undefined;
}

/**
 * As `valueUses`, for all loads of a source location. Also returns `undefined` if there is none.
 */
export function loadUses(body: Body, span: Span): ReadonlySet<ValueUse> | undefined {
  const loads: LoadStatement[] = [];
  walkBody(body, {
    statement: (s) => {
      if (s.kind === 'load' && s.span === span) loads.push(s);
    },
  });
  if (loads.length === 0) return undefined;
  const uses = new Set<ValueUse>();
  for (const load of loads) {
    const found = valueUses(body, load);
    if (found === undefined) return undefined;
    for (const use of found) uses.add(use);
  }
  return uses;
}

/**
 * Follows a value through the locals and the arrays of a thread, in any order of its statements.
 */
class Flow {
  readonly uses = new Set<ValueUse>();
  readonly #locals: Set<LocalId>;
  /** The thread's own arrays that contain it. `undefined` means that any array may contain it. */
  readonly #arrays = new Set<number | undefined>();

  constructor(load: LoadStatement) {
    this.#locals = new Set([load.local]);
  }

  /** True if it leaves the thread only through `uses`. */
  runsThrough(body: Body): boolean {
    const loops = new Map<Statement, AtomicStatement>(casLoops(body).map(({ loop, atomic }) => [loop, atomic]));
    for (let known = -1; known !== this.#known;) {
      known = this.#known;
      let isFollowed = true;
      walkBody(body, {
        statement: (s) => {
          const tried = loops.get(s);
          if (tried !== undefined) {
            // The results of a trial are dropped afterwards.
            isFollowed &&= !this.#isIn(tried.pointer);
            return false;
          }
          isFollowed &&= this.#passes(s);
          // The expression that a wait reads is a part of it.
          return s.kind !== 'wait' && s.kind !== 'waitAll';
        },
      });
      if (!isFollowed) return false;
    }
    return true;
  }

  get #known(): number {
    return this.#locals.size + this.#arrays.size + this.uses.size;
  }

  /** True if the analysis knows the flow of the value through a statement. */
  #passes(s: Statement): boolean {
    switch (s.kind) {
      case 'assign':
        if (this.#isIn(s.value)) this.#locals.add(s.local);
        return true;
      case 'load':
        if (this.#mayBeStoredIn(s.pointer)) this.#locals.add(s.local);
        return this.#leadsTo(s);
      case 'store':
        if (this.#isIn(s.value)) {
          if (isOwn(s.pointer)) this.#arrays.add(arrayOf(s.pointer));
          else this.uses.add(s);
        }
        return this.#leadsTo(s);
      case 'atomic':
        if (!this.#isRead(s)) return true;
        this.uses.add(s);
        return !isOwn(s.pointer);
      case 'wait':
      case 'waitAll':
        return this.#passesWait(s);
      case 'call':
        // If a call has a body, the body shows where its arguments flow.
        return s.body !== undefined || !this.#isRead(s);
      case 'assert':
      case 'if':
      case 'loop':
        return !statementExpressions(s).some((e) => this.#decides(e));
      case 'block':
      case 'break':
      case 'clock':
      case 'collective':
      case 'continue':
      case 'fence':
      case 'fenceProxy':
      case 'leave':
      case 'print':
      case 'approximate':
      case 'return':
      case 'sync':
        return !this.#isRead(s);
    }
  }

  /** An access at an address that depends on the value is a use too. */
  #leadsTo(s: LoadStatement | StoreStatement): boolean {
    if (!this.#isIn(s.pointer)) return true;
    this.uses.add(s);
    return !isOwn(s.pointer);
  }

  #passesWait(s: Extract<Statement, { readonly kind: 'wait' | 'waitAll' }>): boolean {
    const before = s.kind === 'waitAll' && this.#isIn(s.count);
    const loads: LoadStatement[] = [];
    let isSeen = this.#isIn(s.condition);
    walkBody(s.body, {
      statement: (inner) => {
        if (inner.kind === 'load') loads.push(inner);
        isSeen ||= this.#isRead(inner) || (inner.kind === 'load' && this.#mayBeStoredIn(inner.pointer));
      },
    });
    if (!isSeen) return !before;
    const shared = loads.filter(({ pointer }) => !isOwn(pointer));
    for (const load of shared) this.uses.add(load);
    return !before && shared.length > 0;
  }

  /**
   * True if a condition depends on the value. The number of copies behind a multicast address does
   * not count, because the accesses of the copies depend on that address too.
   */
  #decides(e: Expression): boolean {
    if (e.kind === 'multicastSize' || !this.#isIn(e)) return false;
    return isLeaf(e) || expressionChildren(e).some((child) => this.#decides(child));
  }

  #mayBeStoredIn(pointer: Expression): boolean {
    if (!isOwn(pointer) || this.#arrays.size === 0) return false;
    const array = arrayOf(pointer);
    return array === undefined || this.#arrays.has(array) || this.#arrays.has(undefined);
  }

  #isRead(s: Statement): boolean {
    return [...statementReads(s)].some((id) => this.#locals.has(id));
  }

  #isIn(e: Expression): boolean {
    return [...readLocals(e)].some((id) => this.#locals.has(id));
  }
}

/** Returns the array that a pointer points into, if the analysis can determine it. */
function arrayOf(pointer: Expression): number | undefined {
  switch (pointer.kind) {
    case 'array':
      return pointer.array;
    case 'pointerOffset':
    case 'pointerCast':
      return arrayOf(pointer.pointer);
    case 'intrinsic':
      return arrayOf(pointer.expansion);
    case 'addressPointer':
    case 'binary':
    case 'bitcast':
    case 'builtin':
    case 'compare':
    case 'constant':
    case 'convert':
    case 'field':
    case 'lane':
    case 'local':
    case 'logical':
    case 'math':
    case 'multicastPointer':
    case 'multicastSize':
    case 'clusterPointer':
    case 'param':
    case 'select':
    case 'unary':
    case 'unicastPointer':
    case 'vector':
    case 'windowPointer':
    case 'withLane':
      return undefined;
  }
}

/** True if a pointer points into an array of the thread. */
function isOwn({ type }: Expression): boolean {
  return type.kind === 'pointer' && type.space === 'local';
}
