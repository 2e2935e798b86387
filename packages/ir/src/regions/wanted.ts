import { logical, select, unary } from '../build/operation.ts';
import type { Expression, LocalId } from '../expression.ts';
import type { Body, IfStatement, LoadStatement, Statement, WaitAllStatement, WaitStatement } from '../statement.ts';
import { assignedLocals, readLocals, substituteLocals } from '../visit/locals.ts';
import { walkBody } from '../visit/walk.ts';
import { withoutNumbers } from './selected.ts';

/** A strong load of a wait, and the condition on the loaded word. */
export interface WantedWord {
  readonly load: LoadStatement;
  /**
   * The wait executes the load if all of these are true. They read words of earlier loads, and
   * values that the wait does not set.
   */
  readonly guards: readonly Expression[];
  /**
   * The conditions on this word. The wait ends when the conditions of every word are true. They
   * read no other word of the wait. Absent if the condition on this word depends on other words.
   */
  readonly conditions: readonly Expression[] | undefined;
  /** True if code after the wait reads a value that depends on the word. */
  readonly isUsedAfter: boolean;
}

/**
 * Returns the conditions of a wait on each of its words, in the order of its loads. `after` is the
 * code that reads the wait's values. Returns `undefined` if the conditions cannot be separated.
 * That is so if a word decides the address of another, if several loads set one local, or if the
 * wait loads from memory that it stores to.
 *
 * For a wait with a time limit, `reached || late`, the result has the conditions of `reached`.
 */
export function wantedWords(
  s: WaitStatement | WaitAllStatement,
  after: ReadonlySet<LocalId>,
): readonly WantedWord[] | undefined {
  const walk = new WaitWalk(s.body);
  if (walk.isLost || (walk.stored.length > 0 && walk.readsOwn)) return undefined;
  const wanted = new Set(walk.parts(walk.wanted(s)));
  if ([...wanted].some((part) => walk.readsClock(part))) return undefined;
  const ofWord = walk.loads.map(({ load, guards }): WantedWord => {
    const parts = [...wanted].filter((part) => readLocals(part).has(load.local));
    const isCoupled = parts.some((part) => walk.loadsIn(part).length > 1);
    return { load, guards, conditions: isCoupled ? undefined : parts, isUsedAfter: false };
  });
  const left = [...assignedLocals(s.body)].filter((id) => after.has(id)).flatMap((id) => walk.setTo(id) ?? []);
  const kept = new Set([...walk.stored, ...left].flatMap((value) => walk.loadsBesides(value, wanted)));
  return ofWord.map((one) => ({ ...one, isUsedAfter: kept.has(one.load.local) || after.has(one.load.local) }));
}

/**
 * Returns `reached` of `reached || late`. If `late` has its own statements, the condition is a
 * local: true if `reached` is true, and otherwise set to `late`. `reached` reads values that the
 * body loads, and values that it does not set.
 */
export function reachedOf(s: WaitStatement | WaitAllStatement): Expression {
  const walk = new WaitWalk(s.body);
  return walk.isLost ? firstOf(s) : walk.reached(s);
}

/**
 * Returns the condition of a wait as an expression of loaded words and of values that the body does
 * not set. Returns `undefined` if it has no such form.
 */
export function conditionOf(s: WaitStatement | WaitAllStatement): Expression {
  const walk = new WaitWalk(s.body);
  const condition = walk.valueOf(s.condition);
  return walk.isLost ? s.condition : condition;
}

function firstOf({ body, condition }: WaitStatement | WaitAllStatement): Expression {
  if (condition.kind === 'logical' && condition.op === 'or') return condition.left;
  return deciding(body, condition)?.condition ?? condition;
}

function deciding(body: Body, condition: Expression): IfStatement | undefined {
  if (condition.kind !== 'local') return undefined;
  let found: IfStatement | undefined;
  walkBody(body, {
    statement: (s) => {
      if (s.kind !== 'if' || s.else.length === 0) return;
      if (s.then.some((one) => one.kind === 'assign' && one.local === condition.local)) found ??= s;
    },
  });
  return found;
}

/**
 * Walks once through the body of a wait, and tracks the values of locals as expressions of the
 * loaded words.
 */
class WaitWalk {
  readonly loads: { readonly load: LoadStatement; readonly guards: readonly Expression[] }[] = [];
  /** The stored values. */
  readonly stored: Expression[] = [];
  isLost = false;
  /** True if it loads from the thread's own arrays. */
  readsOwn = false;
  /** The results of reads of the clock. If there are any, the wait may time out. */
  readonly #clocks = new Set<LocalId>();
  readonly #values = new Map<LocalId, Expression>();
  /** Locals that loads and reads of the clock set. Their values are unknown. */
  readonly #given = new Set<LocalId>();
  readonly #assigned: ReadonlySet<LocalId>;
  readonly #conditions = new Map<Statement, Expression>();
  readonly #parts = new Map<Expression, readonly Expression[]>();

  constructor(body: Body) {
    this.#assigned = assignedLocals(body);
    this.#body(body, []);
  }

  wanted(s: WaitStatement | WaitAllStatement): Expression {
    return this.#clocks.size > 0 ? this.reached(s) : this.valueOf(s.condition);
  }

  reached(s: WaitStatement | WaitAllStatement): Expression {
    const branch = deciding(s.body, s.condition);
    return (branch && this.#conditions.get(branch)) ?? this.valueOf(firstOf(s));
  }

  /** The value of a local that the body has set, other than by a load. */
  setTo(id: LocalId): Expression | undefined {
    return this.#values.get(id);
  }

  /** The loads that `e` depends on if all of `known` are true. */
  loadsBesides(e: Expression, known: ReadonlySet<Expression>): readonly LocalId[] {
    if (e.kind === 'select' && this.parts(e.condition).every((part) => known.has(part)))
      return this.loadsBesides(e.then, known);
    return this.parts(e)
      .filter((part) => !known.has(part))
      .flatMap((part) => this.loadsIn(part));
  }

  readsClock(e: Expression): boolean {
    return [...readLocals(e)].some((id) => this.#clocks.has(id));
  }

  /** The loads that an expression depends on. */
  loadsIn(e: Expression): readonly LocalId[] {
    const reads = readLocals(e);
    return this.loads.map(({ load }) => load.local).filter((id) => reads.has(id));
  }

  /** Expressions that are all true exactly if `e` is true. */
  parts(e: Expression): readonly Expression[] {
    const known = this.#parts.get(e);
    if (known !== undefined) return known;
    const parts = this.#split(withoutNumbers(e));
    this.#parts.set(e, parts);
    return parts;
  }

  #split(e: Expression): readonly Expression[] {
    if (e.kind === 'intrinsic') return this.parts(e.expansion);
    if (e.kind === 'constant' && e.value === true) return [];
    if (e.kind === 'unary' && e.op === 'not') return this.#splitNot(e, e.operand);
    if (e.kind === 'logical' && e.op === 'and') return [...new Set([...this.parts(e.left), ...this.parts(e.right)])];
    if (e.kind !== 'select' || e.type.kind !== 'scalar' || e.type.scalar !== 'bool') return [e];
    const isAnd = e.else === e.condition || (e.else.kind === 'constant' && e.else.value === false);
    if (isAnd) return [...new Set([...this.parts(e.condition), ...this.parts(e.then)])];
    if (e.then.kind === 'constant' && e.then.value === false)
      return [...new Set([...this.parts(unary('not', e.condition)), ...this.parts(e.else)])];
    if (this.loadsIn(e.condition).length > 0) return [e];
    const [then, otherwise] = [this.parts(e.then), this.parts(e.else)];
    const both = then.filter((part) => otherwise.includes(part));
    return [
      ...both,
      ...then.filter((part) => !both.includes(part)).map((part) => logical('or', unary('not', e.condition), part)),
      ...otherwise.filter((part) => !both.includes(part)).map((part) => logical('or', e.condition, part)),
    ];
  }

  /** Separates `!operand`, which is `e`. */
  #splitNot(e: Expression, operand: Expression): readonly Expression[] {
    if (operand.kind === 'unary' && operand.op === 'not') return this.parts(operand.operand);
    if (operand.kind !== 'logical' || operand.op !== 'or') return [e];
    return [...new Set([operand.left, operand.right].flatMap((one) => this.parts(unary('not', one))))];
  }

  /** An expression of the loaded words and of values that the body does not set. */
  valueOf(e: Expression): Expression {
    const value = substituteLocals(e, (id) => this.#values.get(id));
    // If a local was set before the wait and is set again in it, its value changes during the wait.
    for (const id of readLocals(value)) if (this.#assigned.has(id) && !this.#given.has(id)) this.isLost = true;
    return value;
  }

  #body(body: Body, guards: readonly Expression[]): void {
    for (const s of body) this.#statement(s, guards);
  }

  #give(id: LocalId): void {
    if (this.#given.has(id) || this.#values.has(id)) this.isLost = true;
    this.#given.add(id);
  }

  #statement(s: Statement, guards: readonly Expression[]): void {
    switch (s.kind) {
      case 'assign':
        if (this.#given.has(s.local)) this.isLost = true;
        this.#values.set(s.local, this.valueOf(s.value));
        return;
      case 'load':
        this.#give(s.local);
        if (this.loadsIn(this.valueOf(s.pointer)).length > 0) this.isLost = true;
        this.readsOwn ||= s.pointer.type.kind === 'pointer' && s.pointer.type.space === 'local';
        if (s.access !== undefined) this.loads.push({ load: s, guards });
        return;
      case 'clock':
        this.#clocks.add(s.local);
        this.#give(s.local);
        return;
      case 'if':
        this.#branch(s, guards);
        return;
      case 'store':
        // The array belongs to the thread and remains after the wait.
        this.stored.push(this.valueOf(s.value));
        return;
      case 'approximate':
        return;
      case 'assert':
      case 'atomic':
      case 'block':
      case 'break':
      case 'call':
      case 'collective':
      case 'continue':
      case 'fence':
      case 'fenceProxy':
      case 'leave':
      case 'loop':
      case 'print':
      case 'return':
      case 'sync':
      case 'wait':
      case 'waitAll':
        this.isLost = true;
    }
  }

  #branch(s: IfStatement, guards: readonly Expression[]): void {
    const condition = withoutNumbers(this.valueOf(s.condition));
    this.#conditions.set(s, condition);
    if (condition.kind === 'constant') {
      this.#body(condition.value === true ? s.then : s.else, guards);
      return;
    }
    const before = new Map(this.#values);
    this.#body(s.then, [...guards, condition]);
    const then = new Map(this.#values);
    this.#restore(before);
    this.#body(s.else, [...guards, unary('not', condition)]);
    for (const [id, value] of then) {
      const other = this.#values.get(id);
      // Only one side sets it, and code that follows the other side does not read it.
      if (other === undefined) this.#values.set(id, value);
      else if (other !== value) this.#values.set(id, select(condition, value, other));
    }
  }

  #restore(values: ReadonlyMap<LocalId, Expression>): void {
    this.#values.clear();
    for (const [id, value] of values) this.#values.set(id, value);
  }
}
