import {
  assignedLocals,
  bodyReads,
  mayFault,
  readLocals,
  isCounted,
  statementBodies,
  type Body,
  type Liveness,
  type LocalId,
  type Statement,
} from '@nccl-ts/ir';

import type { JsContext } from './js-context.ts';
import { emitCollective } from './emit-collective.ts';
import { emitExpression, emitOne } from '../emit-shared/emit-expression.ts';
import { burnFuel, comesNearer, setLocal } from './emit-statement.ts';
import { allThreads, emitCompiled, emitRow, emitThreads, threadRun } from './emit-threads.ts';
import type { ThreadRun, ThreadRange } from './thread-run.ts';
import {
  containsMeeting,
  isAllUniform,
  isLeftDivergently,
  isMeeting,
  jumpsOut,
  movesAccesses,
  NotLockstep,
  setsSharedLocal,
  uniformLoop,
} from './lockstep.ts';
import { orders } from './groups.ts';
import { KnownValues } from './known-values.ts';
import { MOST_AHEAD } from '../emit-shared/pausing.ts';
import { helper } from '../emit-shared/context.ts';
import { sharedFields, type ModuleText } from '../emit-shared/module-text.ts';
import { statementScope, type Scope } from '../emit-shared/scope.ts';
import { containsStride, planStride, type StridePlan } from './stride.ts';

/** Rounds of all threads together between two looks of a loop that is turned inside out. */
const ROUNDS_TURNED = 4096;

/** See `VectorEmitter.#pause`. */
type PlacePause = (place: (leave: readonly string[]) => readonly string[]) => readonly string[];

/**
 * Writes code for all threads of a CTA: shared values once, in `resume` itself; the rest in loops
 * over the threads, each in a separate function. A schedule in which every thread runs some
 * statements before any runs the next is possible on a GPU, so only the order within each thread
 * must be kept.
 */
export class VectorEmitter {
  /** Shared locals that `resume` holds in variables. */
  readonly shared: Set<LocalId> = new Set();
  readonly #context: JsContext;
  readonly #text: ModuleText;
  readonly #liveness: Liveness;
  #known = new KnownValues();
  /**
   * Makes a place at which the turn may pause, of statements that get those that do it. Absent in
   * code that is not directly in a state.
   */
  #pause: PlacePause | undefined;
  /** True if loops over threads become WebAssembly where they can. */
  #compiles = true;

  constructor(context: JsContext, text: ModuleText, liveness: Liveness) {
    this.#context = context;
    this.#text = text;
    this.#liveness = liveness;
  }

  /** The code of a state: shared values once, the rest in loops over the threads. */
  state(body: Body, scope: Scope, pause: PlacePause): void {
    this.#known = new KnownValues();
    this.#pause = pause;
    this.emit(body, scope, allThreads);
  }

  /** Code for the threads of `range`. */
  emit(body: Body, scope: Scope, range: ThreadRange): void {
    let run: Statement[] = [];
    const flush = (): void => {
      const [first, ...rest] = run;
      if (first !== undefined) this.#threads([first, ...rest], scope, range);
      run = [];
    };
    for (const [index, s] of body.entries()) {
      if (this.#isSharedAssign(s)) {
        if (!this.#mayGoBefore(s, run)) flush();
        this.#once(s, scope);
      } else if (s.kind === 'sync' && isMeeting(s)) {
        this.#requireTogether(s);
        flush();
        if (this.#context.watched) scope.code.push(meetText(s));
        if (this.#context.traced && s.coop.kind === 'cta') scope.code.push('cta.trace.meets();');
      } else if (s.kind === 'collective' && isMeeting(s)) {
        this.#requireTogether(s);
        flush();
        if (this.#context.watched && orders(s)) scope.code.push('cta.watch.meetAll();');
        if (this.#context.traced && orders(s)) scope.code.push('cta.trace.meets();');
        this.#collective(s, scope);
      } else if (this.#standsOutside(s)) {
        flush();
        this.#construct(s, scope, range);
      } else {
        const stride = s.kind === 'loop' ? planStride(this.#liveness, s, run, this.#known, scope, range) : undefined;
        const mayRow = s.kind === 'loop' && stride === undefined && range === allThreads;
        if (mayRow && this.#isApart(run, body.slice(index + 1)) && this.#rowOrThreads(s, run, scope)) {
          run = [];
        } else if (stride !== undefined) {
          run = run.filter((before) => before !== stride.init);
          flush();
          this.#stride(stride, scope, range);
        } else {
          if (containsMeeting([s])) throw new NotLockstep('a sync');
          run.push(s);
        }
      }
      this.#learn(s);
    }
    flush();
  }

  /** Keeps `#known` true after `s`. */
  #learn(s: Statement): void {
    this.#known.forget(assignedLocals([s]));
    if (s.kind === 'assign' && !readLocals(s.value).has(s.local)) this.#known.learn(s.local, s.value);
  }

  /** Statements that take a local that all threads share out of its field. */
  reload(local: LocalId): readonly string[] {
    this.shared.add(local);
    return sharedFields(this.#context, this.#text, local).map(({ field, variable }) => `${variable} = ${field};`);
  }

  #requireTogether(s: Statement): void {
    if (this.#divergent(s)) throw new NotLockstep('a sync');
  }

  readonly #divergent = (s: Statement): boolean => this.#context.uniformity.divergence(s) !== undefined;

  #isSharedAssign(s: Statement): s is Extract<Statement, { kind: 'assign' }> {
    return s.kind === 'assign' && !this.#context.uniformity.varying.has(s.local);
  }

  /** True if `s` may run before the statements in `run`, which come before it. */
  #mayGoBefore(s: Extract<Statement, { kind: 'assign' }>, run: Body): boolean {
    return run.length === 0 || (!mayFault(s.value) && !bodyReads(run).has(s.local) && !assignsAny(run, s));
  }

  #once(s: Extract<Statement, { kind: 'assign' }>, scope: Scope): void {
    const inner = { ...statementScope(scope, [s.value]), span: s.span };
    setLocal(s.local, emitExpression(s.value, inner), inner);
  }

  #collective(s: Extract<Statement, { kind: 'collective' }>, scope: Scope): void {
    const reads = [s.value, s.lane].flatMap((e) => (e === undefined ? [] : [...readLocals(e)]));
    for (const id of reads) if (!this.#context.uniformity.varying.has(id)) this.shared.add(id);
    scope.code.push(emitCollective(this.#context, this.#text, s));
    if (!this.#context.uniformity.varying.has(s.local)) scope.code.push(...this.reload(s.local));
  }

  #threads(run: readonly [Statement, ...Statement[]], scope: Scope, range: ThreadRange): void {
    const pause = range === allThreads ? this.#pause : undefined;
    const pausing =
      pause === undefined
        ? undefined
        : (call: string): readonly string[] => pause((leave) => [`if (${call}) {`, ...leave, '}']);
    this.#run(threadRun(run, this.#liveness, range, pausing), scope);
  }

  #run(run: ThreadRun, scope: Scope): void {
    const context = this.#compiles ? this.#context : { ...this.#context, regions: undefined };
    scope.code.push(...emitThreads(context, this.#text, run, (id) => this.shared.add(id)));
  }

  /**
   * The loop with the rounds outside and the threads inside; else, as it is written, where the
   * numbers are too large.
   */
  #stride(plan: StridePlan, scope: Scope, range: ThreadRange): void {
    const [inner, general] = [
      { ...scope, code: [] as string[] },
      { ...scope, code: [] as string[] },
    ];
    const pause = this.#pause;
    this.#pause = undefined;
    const inside: ThreadRange = { count: plan.count, inductions: [...range.inductions, plan.induction] };
    const point = this.#known.now;
    this.#known.forget(assignedLocals([plan.loop]));
    const row = this.#row(plan);
    const compiles = this.#compiles;
    // Code after a row seldom runs.
    this.#compiles &&= row === undefined;
    const whole = this.#nested(plan.loop.body, inside);
    if (whole === undefined) this.emit(plan.loop.body, inner, inside);
    else inner.code.push(...whole);
    this.#compiles = compiles;
    this.#pause = pause;
    this.#known.back(point);
    // Other statements may stand between the two, so what they set is live here.
    const { loop, init } = plan;
    const before = new Set(this.#liveness.liveBefore(loop));
    if (init !== undefined) {
      before.delete(init.local);
      for (const id of readLocals(init.value)) before.add(id);
    }
    const statements = init === undefined ? [loop] : [init, loop];
    this.#run({ statements, before, after: this.#liveness.liveAfter(loop), range }, general);
    const { length } = plan.requirements;
    const turned = (leave: readonly string[] | undefined): readonly string[] => {
      // A turn that has paused goes on with the round, whatever the conditions are by now.
      const [begin, goesOn] = leave === undefined ? [plan.first, ''] : [`gone ?? ${plan.first}`, 'gone !== null || '];
      const looks = leave === undefined ? undefined : this.#looks(plan, begin, leave);
      const head = [...(looks?.before ?? []), ...plan.head(begin), ...(looks?.inside ?? [])];
      const rounds = [...head, ...inner.code, '}'];
      const fast = row === undefined ? rounds : [...row.before, `if (${goesOn}!(${row.done})) {`, ...rounds, '}'];
      return [
        '{',
        ...(leave === undefined ? [] : ['const { gone } = cta;', 'cta.gone = null;']),
        ...plan.before,
        ...(length === 0 ? fast : [`if (${goesOn}(${plan.requirements.join(' && ')})) {`, ...fast]),
        ...(length === 0 ? [] : ['} else {', ...general.code, '}']),
        '}',
      ];
    };
    if (pause === undefined || range !== allThreads) scope.code.push(...turned(undefined));
    else scope.code.push(...pause(turned));
  }

  /** The looks at the clock of a loop that is turned inside out, every so many rounds. */
  #looks(
    { induction: { base: at }, step }: StridePlan,
    begin: string,
    leave: readonly string[],
  ): { readonly before: readonly string[]; readonly inside: readonly string[] } {
    this.#text.fields.set('gone', 'null');
    const rounds = Math.max(Math.ceil(ROUNDS_TURNED / this.#context.threads), 1);
    const late = `if (${helper(this.#context, 'isLate')}()) {`;
    return {
      before: [`const far = ${rounds} * ${step};`, `let next = (${begin}) + far;`],
      inside: [`if (${at} >= next) {`, 'next += far;', late, `cta.gone = ${at};`, ...leave, '}', '}'],
    };
  }

  /**
   * Runs all rounds as one loop over threads, in WebAssembly, if possible: code before, and an
   * expression that is true if it has.
   */
  #row({ loop, row }: StridePlan): { readonly before: readonly string[]; readonly done: string } | undefined {
    const [first, ...rest] = loop.body;
    if (row === undefined || first === undefined || !this.#compiles) return undefined;
    const { count, induction, before } = row;
    const run = threadRun([first, ...rest], this.#liveness, { count, inductions: [induction] });
    const done = emitRow(this.#context, this.#text, run, (id) => this.shared.add(id));
    return done === undefined ? undefined : { before, done: `${count} > 0 && ${done}` };
  }

  /**
   * True if it makes no difference, not even for memory after a fault, if all threads do `run` and
   * a loop before any continues with `rest`.
   */
  #isApart(run: Body, rest: Body): boolean {
    const isPure = (s: Statement): boolean => s.kind === 'assign' && !mayFault(s.value);
    const next = rest.find((s) => !isPure(s));
    const ends =
      next === undefined || isMeeting(next) || this.#standsOutside(next) || containsStride(this.#context, next);
    return ends && run.every(isPure);
  }

  /**
   * A loop that JavaScript leaves to each thread, after the assignments `run`: all rounds as one
   * loop over threads, if possible, else in JavaScript's form. Returns true if it has written
   * anything.
   */
  #rowOrThreads(loop: Extract<Statement, { kind: 'loop' }>, run: readonly Statement[], scope: Scope): boolean {
    if (this.#context.regions === undefined) return false;
    const plan = planStride(this.#liveness, loop, run, this.#known, scope, allThreads, true);
    const row = plan === undefined ? undefined : this.#row(plan);
    if (plan === undefined || row === undefined) return false;
    const after = this.#liveness.liveAfter(loop);
    const [first = loop] = run;
    const before = this.#liveness.liveBefore(first);
    const [assigned, threads] = [
      { ...scope, code: [] as string[] },
      { ...scope, code: [] as string[] },
    ];
    if (run.length > 0) this.#run({ statements: run, before, after, range: allThreads }, assigned);
    this.#run({ statements: [...run, loop], before, after, range: allThreads }, threads);
    const conditions = [...plan.requirements, row.done].join(' && ');
    scope.code.push('{', ...plan.before, ...row.before, `if (${conditions}) {`, ...assigned.code);
    scope.code.push('} else {', ...threads.code, '}', '}');
    return true;
  }

  /**
   * A round as one loop over threads, although inner loops could be turned inside out too: in
   * WebAssembly counting inside of a thread is cheaper than keeping its values between rounds.
   */
  #nested(body: Body, range: ThreadRange): readonly string[] | undefined {
    const [first, ...rest] = body;
    const { regions } = this.#context;
    if (regions === undefined || first === undefined || !this.#compiles) return undefined;
    if (!body.some((s) => containsStride(this.#context, s))) return undefined;
    const run = threadRun([first, ...rest], this.#liveness, range);
    const lines = emitCompiled(this.#context, this.#text, run, (id) => this.shared.add(id));
    return typeof lines === 'string' ? undefined : lines;
  }

  /** True if control flow of `s` is written outside of loops over threads. */
  #standsOutside(s: Statement): boolean {
    if (this.#divergent(s)) return false;
    switch (s.kind) {
      case 'break':
      case 'continue':
      case 'leave':
      case 'return':
        return true;
      case 'if':
        return this.#context.uniformity.isUniform(s.condition) && this.#wantsOutside(s);
      case 'loop':
        return uniformLoop(this.#context, s) && !isLeftDivergently(s, this.#divergent) && this.#wantsOutside(s);
      case 'block':
        return !isLeftDivergently(s, this.#divergent) && this.#wantsOutside(s);
      case 'assign':
      case 'load':
      case 'store':
      case 'atomic':
      case 'fence':
      case 'fenceProxy':
      case 'sync':
      case 'wait':
      case 'waitAll':
      case 'collective':
      case 'assert':
      case 'print':
      case 'clock':
      case 'call':
        return false;
    }
  }

  #wantsOutside(s: Statement): boolean {
    return (
      containsMeeting([s]) ||
      isAllUniform(this.#context, s) ||
      [...jumpsOut(s, this.#divergent).values()].includes(false) ||
      setsSharedLocal(this.#context, this.#liveness, s) ||
      containsStride(this.#context, s) ||
      movesAccesses(this.#context, s)
    );
  }

  #construct(s: Statement, scope: Scope, range: ThreadRange): void {
    switch (s.kind) {
      case 'break':
        scope.code.push(scope.jumps.break);
        return;
      case 'continue':
        scope.code.push(scope.jumps.continue);
        return;
      case 'return':
        scope.code.push(scope.jumps.return);
        return;
      case 'leave':
        scope.code.push(`break block${s.label};`);
        return;
      case 'if': {
        const inner = { ...statementScope(scope, [s.condition]), span: s.span };
        const condition = emitOne(s.condition, inner);
        scope.code.push(`if (${condition}) {`, ...this.#inside(s.then, scope, range));
        if (s.else.length > 0) scope.code.push('} else {', ...this.#inside(s.else, scope, range));
        scope.code.push('}');
        return;
      }
      case 'block':
        scope.code.push(`block${s.label}: {`, ...this.#inside(s.body, scope, range), '}');
        return;
      case 'loop':
        this.#loop(s, scope, range);
        return;
      case 'assign':
      case 'load':
      case 'store':
      case 'atomic':
      case 'fence':
      case 'fenceProxy':
      case 'sync':
      case 'wait':
      case 'waitAll':
      case 'collective':
      case 'assert':
      case 'print':
      case 'clock':
      case 'call':
        throw new NotLockstep(s.kind);
    }
  }

  #inside(body: Body, scope: Scope, range: ThreadRange, jumps: Scope['jumps'] = scope.jumps): readonly string[] {
    const inner = { ...scope, code: [], jumps };
    const before = this.#known.now;
    const pause = this.#pause;
    this.#pause = undefined;
    this.emit(body, inner, range);
    this.#pause = pause;
    this.#known.back(before);
    return inner.code;
  }

  /** Brings the next look at the clock nearer by the work of the threads in a round of `s`. */
  #ahead(s: Extract<Statement, { kind: 'loop' }>): readonly string[] {
    if (isAllUniform(this.#context, s)) return [];
    const inside = s.body.some((inner) => inner.kind === 'loop' || statementBodies(inner).flat().length > 0);
    return comesNearer(String(inside ? MOST_AHEAD : this.#context.threads * s.body.length));
  }

  #loop(s: Extract<Statement, { kind: 'loop' }>, scope: Scope, range: ThreadRange): void {
    this.#known.forget(assignedLocals([s]));
    const number = scope.fn.counter++;
    const jumps = { ...scope.jumps, break: `break loop${number};`, continue: `break body${number};` };
    const head = { ...scope, code: [] as string[] };
    if (s.condition !== undefined) {
      const inner = { ...statementScope(head, [s.condition]), span: s.span };
      head.code.push(`if (!${emitOne(s.condition, inner)}) break;`);
    }
    const whole = (leave: readonly string[] | undefined): readonly string[] => [
      `loop${number}: for (;;) {`,
      ...head.code,
      ...(leave === undefined && isCounted(s) ? [] : burnFuel(s, scope, leave)),
      ...(leave === undefined ? [] : this.#ahead(s)),
      `body${number}: {`,
      ...this.#inside(s.body, scope, range, jumps),
      '}',
      ...this.#inside(s.update, scope, range, jumps),
      '}',
    ];
    scope.code.push(...(this.#pause === undefined ? whole(undefined) : this.#pause(whole)));
  }
}

/**
 * All groups of the kind synchronize, since all threads are here. The members of other groups are
 * unknown here.
 */
function meetText({ coop }: Extract<Statement, { kind: 'sync' }>): string {
  switch (coop.kind) {
    case 'cta':
      return 'cta.watch.meetAll();';
    case 'tile':
      return `cta.watch.meetTiles(${coop.size});`;
    case 'lanes':
    case 'warpSpan':
      throw new NotLockstep('a group that depends on the thread');
  }
}

function assignsAny(run: Body, s: Extract<Statement, { kind: 'assign' }>): boolean {
  const assigned = assignedLocals(run);
  return assigned.has(s.local) || [...readLocals(s.value)].some((id) => assigned.has(id));
}
