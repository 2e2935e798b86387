import {
  assignedLocals,
  bodyReads,
  mayFault,
  readLocals,
  isControl,
  isCounted,
  statementBodies,
  statementReads,
  statementTarget,
  type Body,
  type ControlStatement,
  type IfStatement,
  type Liveness,
  type LocalId,
  type LoopStatement,
  type Statement,
} from '@nccl-ts/ir';

import type { JsContext } from './js-context.ts';
import { emitCollective } from './emit-collective.ts';
import { emitExpression, emitOne } from '../emit-shared/emit-expression.ts';
import { burnFuel, comesNearer, setLocal } from './emit-statement.ts';
import { allThreads, emitCompiled, emitRow, emitThreads, threadRun } from './emit-threads.ts';
import { addPoint, BodyParts, isHere, lastPoint, type ResumePoint, type Point } from './resume-points.ts';
import type { ThreadRun } from './thread-run.ts';
import { containsMeeting, isAllUniform, isMeeting, isOfWholeGroup, meetText, NotLockstep } from './lockstep.ts';
import { orders } from './groups.ts';
import { KnownValues } from './known-values.ts';
import { MOST_AHEAD } from '../emit-shared/pausing.ts';
import { helper, site } from '../emit-shared/context.ts';
import { sharedFields, type ModuleText } from '../emit-shared/module-text.ts';
import { isCtaControlFlow } from './cta-control-flow.ts';
import { statementScope, type EmitScope } from '../emit-shared/scope.ts';
import { containsStride, planStride, type StridePlan } from './stride.ts';
import type { VectorContext } from './vector-context.ts';

/** Starts a pause point of its own. Absent in code in which the turn cannot pause. */
type StartPausePoint = (() => Point) | undefined;

/**
 * Generates code for all threads of a CTA. Shared values are computed once, in `resume` itself. The
 * rest is in loops over the threads, each in a separate function. On a GPU, every thread may run
 * some statements before any thread runs the next ones. So only the order within each thread must
 * be kept.
 */
export class VectorEmitter {
  /** The shared locals that are variables of `resume`. */
  readonly shared: Set<LocalId> = new Set();
  readonly #context: JsContext;
  readonly #text: ModuleText;
  readonly #liveness: Liveness;
  /** True if a turn may pause inside a construct. `resume` then has the variable `enter`. */
  resumesInside = false;

  constructor(context: JsContext, text: ModuleText, liveness: Liveness) {
    this.#context = context;
    this.#text = text;
    this.#liveness = liveness;
  }

  /** Emits the code of a state: shared values once, and the rest in loops over the threads. */
  state(body: Body, scope: EmitScope, makePoint: (() => ResumePoint) | undefined): void {
    this.#body(body, {
      scope,
      range: allThreads,
      known: new KnownValues(),
      place: makePoint,
      inner: undefined,
      compiles: true,
    });
  }

  #body(body: Body, surrounding: VectorContext): void {
    const { scope, range, known, inner } = surrounding;
    let run: Statement[] = [];
    const parts = inner === undefined ? undefined : new BodyParts(scope.code, inner);
    const flush = (): void => {
      const [first, ...rest] = run;
      if (first === undefined) return;
      parts?.mark();
      this.#threads([first, ...rest], surrounding);
      parts?.mark();
      run = [];
    };
    for (const [index, s] of body.entries()) {
      if (this.#isSharedAssign(s)) {
        if (!this.#mayGoBefore(s, run)) flush();
        this.#once(s, scope);
      } else if ((s.kind === 'sync' || s.kind === 'collective') && isMeeting(s)) {
        this.#requireTogether(s);
        flush();
        this.#meet(s, scope);
      } else if (isControl(s) && isCtaControlFlow(this.#context, this.#liveness, s)) {
        flush();
        this.#construct(s, surrounding);
      } else {
        const stride = s.kind === 'loop' ? planStride(this.#liveness, s, run, known, scope, range) : undefined;
        const mayRow = s.kind === 'loop' && stride === undefined && range === allThreads;
        if (mayRow && this.#canRunAhead(run, body.slice(index + 1)) && this.#rowOrThreads(s, run, surrounding)) {
          run = [];
        } else if (stride !== undefined) {
          run = run.filter((before) => before !== stride.init);
          flush();
          this.#addPausable(surrounding, (own, inside) => this.#stride(stride, inside, own));
        } else {
          if (containsMeeting([s])) throw new NotLockstep('a sync');
          run.push(s);
        }
      }
      known.pass(s);
      parts?.mark();
    }
    flush();
    parts?.close();
  }

  /** Statements that load a local that all threads share from its field. */
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

  /** True if `s` may run before the statements in `run`, which precede it. */
  #mayGoBefore(s: Extract<Statement, { kind: 'assign' }>, run: Body): boolean {
    return run.length === 0 || (!mayFault(s.value) && !bodyReads(run).has(s.local) && !assignsAny(run, s));
  }

  #once(s: Extract<Statement, { kind: 'assign' }>, scope: EmitScope): void {
    const inner = { ...statementScope(scope, [s.value]), span: s.span };
    setLocal(s.local, emitExpression(s.value, inner), inner);
  }

  #meet(s: Extract<Statement, { kind: 'sync' | 'collective' }>, scope: EmitScope): void {
    const { watched, traced, uniformity } = this.#context;
    if (s.kind === 'sync' && !isOfWholeGroup(this.#context, s)) throw new NotLockstep('a barrier of some threads');
    if (watched && orders(s)) scope.code.push(s.kind === 'sync' ? meetText(s) : 'cta.watch.meetAll();');
    if (traced && s.coop.kind === 'cta') scope.code.push(`cta.trace.meets(${site(this.#context, s.span, s.kind)});`);
    const local = statementTarget(s);
    if (local === undefined) return;
    for (const id of statementReads(s)) if (!uniformity.varying.has(id)) this.shared.add(id);
    scope.code.push(emitCollective(this.#context, this.#text, s));
    if (!uniformity.varying.has(local)) scope.code.push(...this.reload(local));
  }

  /**
   * Adds a construct in which the turn may pause. Directly in a state it gets a point of its own.
   * Elsewhere it uses points of the surrounding construct.
   */
  #addPausable(
    surrounding: VectorContext,
    write: (own: StartPausePoint, inside: VectorContext) => readonly string[],
  ): void {
    const { scope, place: makePoint, inner } = surrounding;
    if (makePoint === undefined) {
      const from = lastPoint(inner);
      const lines = write(inner === undefined ? undefined : () => addPoint(inner), surrounding);
      const to = lastPoint(inner);
      scope.code.push(...(to === from ? lines : [`if (${isHere(from, to)}) {`, ...lines, '}']));
      return;
    }
    const { begin, leave } = makePoint();
    const numbers = { last: 0 };
    let isResumePoint = false;
    const own = (): Point => {
      isResumePoint = true;
      return { number: 0, leave };
    };
    const lines = write(own, { ...surrounding, place: undefined, inner: { numbers, leave } });
    this.resumesInside ||= numbers.last > 0;
    scope.code.push(...(isResumePoint || numbers.last > 0 ? begin : []), ...lines);
  }

  #threads(run: readonly [Statement, ...Statement[]], surrounding: VectorContext): void {
    const isInside = surrounding.place === undefined;
    const threads = threadRun(run, this.#liveness, surrounding.range);
    this.#addPausable(surrounding, (own, { compiles }) => this.#run(threads, own, compiles, isInside));
  }

  /** Statements that run the function, and pause if the turn may. */
  #run(run: ThreadRun, own: StartPausePoint, compiles: boolean, isInside = true): readonly string[] {
    const context = compiles ? this.#context : { ...this.#context, regions: undefined };
    const { begin, result } = this.#pausable(run, own, isInside, (one) =>
      emitThreads(context, this.#text, one, this.#share),
    );
    return [...begin, ...result];
  }

  /** Returns the result of `emit` for a run that may pause, and statements that start it. */
  #pausable<T>(
    run: ThreadRun,
    own: StartPausePoint,
    isInside: boolean,
    emit: (run: ThreadRun) => T,
  ): { readonly begin: readonly string[]; readonly result: T } {
    if (own === undefined) return { begin: [], result: emit(run) };
    let begin: readonly string[] = [];
    const pausing = (call: string): readonly string[] => {
      const { number, leave } = own();
      if (number > 0) begin = ['enter = 0;'];
      return [`if (${call}) {`, ...leave, '}'];
    };
    const keptAt = (loop: LoopStatement): ReadonlySet<LocalId> => this.#liveness.liveBefore(loop);
    const result = emit({ ...run, pauses: { pausing, liveAt: keptAt, isInside } });
    return { begin, result };
  }

  readonly #share = (id: LocalId): void => void this.shared.add(id);

  /** Emits the loop with the threads inside its rounds, or as written if numbers are too large. */
  #stride(plan: StridePlan, surrounding: VectorContext, own: StartPausePoint): readonly string[] {
    const { scope, range, known, inner, compiles } = surrounding;
    const round = { ...scope, code: [] as string[] };
    const point = own?.();
    const { base: at } = plan.induction;
    const gone = `gone_${at}`;
    const before = known.now;
    known.forget(assignedLocals([plan.loop]));
    const row = this.#row(plan, compiles);
    const inside: VectorContext = {
      ...surrounding,
      scope: round,
      range: { count: plan.count, inductions: [...range.inductions, plan.induction] },
      // A paused turn continues the round, whatever the conditions are by then.
      inner: inner === undefined ? undefined : { ...inner, leave: [`cta.${gone} = ${at};`, ...inner.leave] },
      // Code after a row rarely runs.
      compiles: compiles && row === undefined,
    };
    if (!this.#nested(plan.loop.body, inside)) this.#body(plan.loop.body, inside);
    known.back(before);
    // Other statements may come between the two, so everything that they set is live here.
    const { loop, init } = plan;
    const live = new Set(this.#liveness.liveBefore(loop));
    if (init !== undefined) {
      live.delete(init.local);
      for (const id of readLocals(init.value)) live.add(id);
    }
    const statements = init === undefined ? [loop] : [init, loop];
    let general: Point | undefined;
    const generalLines = this.#run(
      { statements, before: live, after: this.#liveness.liveAfter(loop), range },
      inner === undefined ? undefined : () => (general = addPoint(inner)),
      compiles,
    );
    const isGeneral = general === undefined ? '' : `enter !== ${general.number} && `;
    const { length } = plan.requirements;
    const [begin, goesOn] =
      point === undefined ? [plan.first, ''] : [`${gone} ?? ${plan.first}`, `${gone} !== null || `];
    const looks = point === undefined ? undefined : this.#looks(plan, begin, gone, point.leave);
    const head = [...(looks?.before ?? []), ...plan.head(begin), ...(looks?.inside ?? [])];
    const rounds = [...head, ...round.code, '}'];
    const fast = row === undefined ? rounds : [...row.before, `if (${goesOn}!(${row.done})) {`, ...rounds, '}'];
    return [
      '{',
      ...(point === undefined ? [] : [`const { ${gone} } = cta;`, `cta.${gone} = null;`]),
      ...(point === undefined || point.number === 0 ? [] : [`if (enter === ${point.number}) enter = 0;`]),
      ...plan.before,
      ...(length === 0 ? fast : [`if (${goesOn}(${isGeneral}${plan.requirements.join(' && ')})) {`, ...fast]),
      ...(length === 0 ? [] : ['} else {', ...generalLines, '}']),
      '}',
    ];
  }

  /** The clock checks of a loop that is turned inside out, every so many rounds. */
  #looks(
    { induction: { base: at }, step }: StridePlan,
    begin: string,
    gone: string,
    leave: readonly string[],
  ): { readonly before: readonly string[]; readonly inside: readonly string[] } {
    this.#text.fields.set(gone, 'null');
    const rounds = Math.max(Math.ceil(this.#context.unseen / this.#context.threads / 2), 1);
    const late = `if (${helper(this.#context, 'isLate')}()) {`;
    const [far, next] = [`far_${at}`, `next_${at}`];
    return {
      before: [`const ${far} = ${rounds} * ${step};`, `let ${next} = (${begin}) + ${far};`],
      inside: [`if (${at} >= ${next}) {`, `${next} += ${far};`, late, `cta.${gone} = ${at};`, ...leave, '}', '}'],
    };
  }

  /**
   * Runs all rounds as one loop over threads, in WebAssembly, if possible. Returns the code before
   * it, and an expression that is true if it ran.
   */
  #row(
    { loop, row }: StridePlan,
    compiles: boolean,
  ): { readonly before: readonly string[]; readonly done: string } | undefined {
    const [first, ...rest] = loop.body;
    if (row === undefined || first === undefined || !compiles) return undefined;
    const { count, induction, before } = row;
    const run = threadRun([first, ...rest], this.#liveness, { count, inductions: [induction] });
    const done = emitRow(this.#context, this.#text, run, this.#share);
    return done === undefined ? undefined : { before, done: `${count} > 0 && ${done}` };
  }

  /**
   * True if all threads may run `run` first, and then a loop continues with `rest`, without any
   * difference, even in memory after a fault.
   */
  #canRunAhead(run: Body, rest: Body): boolean {
    const isPure = (s: Statement): boolean => s.kind === 'assign' && !mayFault(s.value);
    const next = rest.find((s) => !isPure(s));
    const ends =
      next === undefined ||
      isMeeting(next) ||
      (isControl(next) && isCtaControlFlow(this.#context, this.#liveness, next)) ||
      containsStride(this.#context, next);
    return ends && run.every(isPure);
  }

  /**
   * A loop that JavaScript leaves to each thread, after the assignments `run`. It runs all rounds
   * as one loop over threads if possible, and otherwise in JavaScript's form. Returns true if it
   * has emitted anything.
   */
  #rowOrThreads(loop: LoopStatement, run: readonly Statement[], surrounding: VectorContext): boolean {
    if (this.#context.regions === undefined) return false;
    const { scope, known, compiles } = surrounding;
    const plan = planStride(this.#liveness, loop, run, known, scope, allThreads, true);
    const row = plan === undefined ? undefined : this.#row(plan, compiles);
    if (plan === undefined || row === undefined) return false;
    const after = this.#liveness.liveAfter(loop);
    const [first = loop] = run;
    const before = this.#liveness.liveBefore(first);
    this.#addPausable(surrounding, (own, { inner }) => {
      const assigned =
        run.length === 0 ? [] : this.#run({ statements: run, before, after, range: allThreads }, undefined, compiles);
      let point: Point | undefined;
      const threads = this.#run(
        { statements: [...run, loop], before, after, range: allThreads },
        own === undefined || inner === undefined ? undefined : () => (point = addPoint(inner)),
        compiles,
      );
      const isBegun = point === undefined ? [] : [`enter !== ${point.number}`];
      const conditions = [...isBegun, ...plan.requirements, row.done].join(' && ');
      return [
        '{',
        ...plan.before,
        ...row.before,
        `if (${conditions}) {`,
        ...assigned,
        '} else {',
        ...threads,
        '}',
        '}',
      ];
    });
    return true;
  }

  /**
   * Emits a round as one loop over threads, although inner loops could be turned inside out too. In
   * WebAssembly, counting inside a thread is cheaper than storing its values between rounds.
   */
  #nested(body: Body, surrounding: VectorContext): boolean {
    const [first, ...rest] = body;
    const { regions } = this.#context;
    if (regions === undefined || first === undefined || !surrounding.compiles) return false;
    if (!body.some((s) => containsStride(this.#context, s))) return false;
    const run = threadRun([first, ...rest], this.#liveness, surrounding.range);
    let isCompiled = false;
    this.#addPausable(surrounding, (own) => {
      const { begin, result } = this.#pausable(run, own, true, (one) =>
        emitCompiled(this.#context, this.#text, one, this.#share),
      );
      isCompiled = typeof result !== 'string';
      return typeof result === 'string' ? [] : [...begin, ...result];
    });
    return isCompiled;
  }

  #construct(s: ControlStatement, surrounding: VectorContext): void {
    const { code, jumps } = surrounding.scope;
    switch (s.kind) {
      case 'break':
        code.push(jumps.break);
        return;
      case 'continue':
        code.push(jumps.continue);
        return;
      case 'return':
        code.push(jumps.return);
        return;
      case 'leave':
        code.push(`break block${s.label};`);
        return;
      case 'if':
        this.#addPausable(surrounding, (_own, inside) => this.#if(s, inside));
        return;
      case 'block':
        this.#addPausable(surrounding, (_own, inside) => [`block${s.label}: {`, ...this.#inside(s.body, inside), '}']);
        return;
      case 'loop':
        this.#addPausable(surrounding, (own, inside) => this.#loop(s, inside, own));
        return;
      case 'call':
        throw new NotLockstep(s.kind);
    }
  }

  #inside(
    body: Body,
    surrounding: VectorContext,
    jumps: EmitScope['jumps'] = surrounding.scope.jumps,
  ): readonly string[] {
    const { known } = surrounding;
    const scope = { ...surrounding.scope, code: [], jumps };
    const before = known.now;
    this.#body(body, { ...surrounding, scope });
    known.back(before);
    return scope.code;
  }

  #if(s: IfStatement, surrounding: VectorContext): readonly string[] {
    const { scope } = surrounding;
    const last = (): number => lastPoint(surrounding.inner);
    const inner = { ...statementScope(scope, [s.condition]), span: s.span, code: [] as string[] };
    const condition = emitOne(s.condition, inner);
    const from = last();
    const then = this.#inside(s.then, surrounding);
    const between = last();
    const otherwise = this.#inside(s.else, surrounding);
    const branches = [...then, ...(s.else.length === 0 ? [] : ['} else {', ...otherwise]), '}'];
    if (last() === from) return [...inner.code, `if (${condition}) {`, ...branches];
    const goes = `goes${scope.fn.counter++}`;
    return [
      `let ${goes} = enter > ${from} && enter <= ${between};`,
      'if (enter === 0) {',
      ...inner.code,
      `${goes} = ${condition};`,
      '}',
      `if (${goes}) {`,
      ...branches,
    ];
  }

  /** Brings the next clock check closer by the work of all threads in a round of `s`. */
  #ahead(s: LoopStatement, isInside: boolean): readonly string[] {
    if (isAllUniform(this.#context, s)) return [];
    const holdsLoop = s.body.some((inner) => inner.kind === 'loop' || statementBodies(inner).flat().length > 0);
    // Inside a pausable construct such loops check the clock themselves, except for rows.
    const ofLoop = isInside && this.#context.regions === undefined ? this.#context.unseen / 8 : MOST_AHEAD;
    return comesNearer(String(holdsLoop ? ofLoop : this.#context.threads * s.body.length));
  }

  #loop(s: LoopStatement, surrounding: VectorContext, own: StartPausePoint): readonly string[] {
    const { scope, known } = surrounding;
    known.forget(assignedLocals([s]));
    const number = scope.fn.counter++;
    const jumps = { ...scope.jumps, break: `break loop${number};`, continue: `break body${number};` };
    const head = { ...scope, code: [] as string[] };
    if (s.condition !== undefined) {
      const inner = { ...statementScope(head, [s.condition]), span: s.span };
      head.code.push(`if (!${emitOne(s.condition, inner)}) break;`);
    }
    const point = own?.();
    if (point !== undefined || !isCounted(s)) head.code.push(...burnFuel(s, scope, point?.leave));
    if (point !== undefined) head.code.push(...this.#ahead(s, point.number > 0));
    const last = (): number => lastPoint(surrounding.inner);
    const from = last();
    const body = this.#inside(s.body, surrounding, jumps);
    const between = last();
    const update = this.#inside(s.update, surrounding, jumps);
    const holds = last() > from;
    const isBody = between === from ? 'enter === 0' : isHere(from, between);
    return [
      ...(point === undefined || point.number === 0 ? [] : [`if (enter === ${point.number}) enter = 0;`]),
      `loop${number}: for (;;) {`,
      ...(holds ? ['if (enter === 0) {', ...head.code, '}'] : head.code),
      ...(last() > between ? [`if (${isBody})`] : []),
      `body${number}: {`,
      ...body,
      '}',
      ...update,
      '}',
    ];
  }
}

function assignsAny(run: Body, s: Extract<Statement, { kind: 'assign' }>): boolean {
  const assigned = assignedLocals(run);
  return assigned.has(s.local) || [...readLocals(s.value)].some((id) => assigned.has(id));
}
