import {
  assignedLocals,
  bodyReads,
  mayFault,
  readLocals,
  type Body,
  type CutStatement,
  type Liveness,
  type LocalId,
  type Statement,
  type StateGraph,
  type StateId,
  type Terminator,
} from '@nccl-ts/ir';

import { site, type EmitContext } from './context.ts';
import { emitCollective } from './emit-collective.ts';
import { emitExpression, emitOne } from './emit-expression.ts';
import { setLocal } from './emit-statement.ts';
import { emitThreads, threadRun } from './emit-threads.ts';
import { emitWaitFunctions } from './emit-wait.ts';
import {
  containsMeeting,
  isAllUniform,
  isLeftDivergently,
  isMeeting,
  isSharedWait,
  jumpsOut,
  NotLockstep,
  setsSharedLocal,
  uniformLoop,
} from './lockstep.ts';
import { addFunction, sharedFields, variables, type ModuleText } from './module-text.ts';
import { functionText, statementScope, type Scope } from './scope.ts';

/** What the four functions of a program consist of. */
export interface CtaProgram {
  readonly graph: StateGraph;
  readonly liveness: Liveness;
}

/**
 * Adds `resume`, `canResume` and `waiting` for CTAs whose threads move together: a `switch` over the states; in each,
 * loops over the threads. Values that all threads share are variables of `resume` and fields while the CTA is parked.
 *
 * Throws `NotLockstep` where threads may part across a cut.
 */
export function emitCtaProgram(context: EmitContext, text: ModuleText, program: CtaProgram): void {
  new CtaEmitter(context, text, program).emit();
}

const threadsLabel = 'run';
/** Stands for the statements that put the shared locals into their fields, until all of them are known. */
const saveLine = 'save;';

class CtaEmitter {
  readonly #context: EmitContext;
  readonly #text: ModuleText;
  readonly #graph: StateGraph;
  readonly #liveness: Liveness;
  readonly #scope: Scope;
  /** Locals that all threads share and that `resume` holds in variables. */
  readonly #shared = new Set<LocalId>();
  readonly #canResume: string[] = [];
  readonly #waiting: string[] = [];

  constructor(context: EmitContext, text: ModuleText, program: CtaProgram) {
    this.#context = context;
    this.#text = text;
    this.#graph = program.graph;
    this.#liveness = program.liveness;
    this.#scope = {
      context,
      fn: functionText(),
      code: [],
      thread: '0',
      span: { source: 0, start: 0, end: 0 },
      local: (id) => {
        this.#shared.add(id);
        return variables(context, id);
      },
      hoisted: undefined,
      track: undefined,
      repeated: new Set(),
      done: new Map(),
      jumps: { break: '', continue: '', return: `{ pc = ${this.#exit}; continue ${threadsLabel}; }` },
      recorder: undefined,
    };
  }

  get #exit(): number {
    return this.#graph.states.length * 2;
  }

  emit(): void {
    const cases = this.#graph.states.flatMap((state, id) => {
      const scope = { ...this.#scope, code: [] };
      this.#vector(state.body, scope);
      const rest = this.#terminator(state.terminator, id, scope);
      return [`case ${id * 2}: {`, ...scope.code, '}', ...rest];
    });
    // Every shared local is a variable of `resume`; its field keeps it while the CTA is parked.
    const variablesText = [...this.#shared].flatMap((id) =>
      sharedFields(this.#context, this.#text, id).map(({ field, variable }) => `let ${variable} = ${field};`),
    );
    const saved = [...this.#shared].flatMap((id) =>
      sharedFields(this.#context, this.#text, id).map(({ field, variable }) => `${field} = ${variable};`),
    );
    const code = [
      'let pc = cta.pc;',
      ...variablesText,
      `${threadsLabel}: for (;;) {`,
      'switch (pc) {',
      ...cases.flatMap((line) => (line === saveLine ? saved : [line])),
      'default:',
      `cta.pc = ${this.#exit};`,
      "return 'done';",
      '}',
      '}',
    ];
    addFunction(this.#text, 'resume', ['cta'], this.#scope.fn, code);
    const none = functionText();
    addFunction(this.#text, 'canResume', ['cta'], none, ['switch (cta.pc) {', ...this.#canResume, 'default:', 'return true;', '}']);
    addFunction(this.#text, 'waiting', ['cta'], none, ['switch (cta.pc) {', ...this.#waiting, 'default:', 'return [];', '}']);
  }

  #goTo(id: StateId): readonly string[] {
    return [`pc = ${id * 2};`, `continue ${threadsLabel};`];
  }

  #terminator(terminator: Terminator, id: StateId, scope: Scope): readonly string[] {
    switch (terminator.kind) {
      case 'exit':
        return [`pc = ${this.#exit};`, `continue ${threadsLabel};`];
      case 'jump':
        return this.#goTo(terminator.to);
      case 'branch': {
        if (!this.#context.uniformity.isUniform(terminator.condition)) throw new NotLockstep('a branch');
        const inner = { ...statementScope(scope, [terminator.condition]), code: [] as string[] };
        const condition = emitOne(terminator.condition, inner);
        return [
          '{',
          ...inner.code,
          `pc = ${condition} ? ${terminator.then * 2} : ${terminator.else * 2};`,
          `continue ${threadsLabel};`,
          '}',
        ];
      }
      case 'yield':
        return [saveLine, `cta.pc = ${terminator.to * 2};`, "return 'yielded';"];
      case 'cut':
        return this.#cut(terminator.statement, id, terminator.to);
    }
  }

  #cut(s: CutStatement, id: StateId, to: StateId): readonly string[] {
    const { uniformity } = this.#context;
    if (uniformity.divergence(s) !== undefined) throw new NotLockstep('a cut');
    if (s.kind === 'wait' && isSharedWait(this.#context, s)) return this.#wait(s, id, to);
    if (s.kind === 'waitAll' && s.coop.kind === 'cta' && uniformity.isUniform(s.count)) return this.#waitAll(s, id, to);
    throw new NotLockstep('a wait');
  }

  #wait(s: Extract<CutStatement, { kind: 'wait' }>, id: StateId, to: StateId): readonly string[] {
    const after = this.#liveness.liveAfter(s);
    const { test, explain } = emitWaitFunctions(this.#context, this.#text, s, after);
    const label = id * 2 + 1;
    this.#canResume.push(`case ${label}:`, `return ${test}(cta, 0, false);`);
    this.#waiting.push(
      `case ${label}:`,
      `return [{ site: ${site(this.#context, s.span, 'wait')}, kind: 'wait', threads: support.liveThreads(cta, ${this.#context.threads}), ...${explain}(cta, 0) }];`,
    );
    const reload = [...assignedLocals(s.body)]
      .filter((local) => after.has(local) && !this.#context.uniformity.varying.has(local))
      .flatMap((local) => this.#reload(local));
    return [
      saveLine,
      `cta.pc = ${label};`,
      `case ${label}:`,
      `if (!${test}(cta, 0, true)) return 'parked';`,
      ...reload,
      ...this.#goTo(to),
    ];
  }

  #waitAll(s: Extract<CutStatement, { kind: 'waitAll' }>, id: StateId, to: StateId): readonly string[] {
    const { test, explain } = emitWaitFunctions(this.#context, this.#text, s, new Set());
    const label = id * 2 + 1;
    const { threads } = this.#context;
    this.#text.fields.set('latch', 'null');
    const inner = { ...statementScope(this.#scope, [s.count]), code: [] as string[] };
    const count = emitOne(s.count, inner);
    this.#canResume.push(
      `case ${label}:`,
      `for (let i = 0; i < cta.latch.length; i++) if (cta.latch[i] === 0 && ${test}(cta, i % ${threads}, i)) return true;`,
      'return cta.latch.length === 0;',
    );
    this.#waiting.push(
      `case ${label}:`,
      `return [{ site: ${site(this.#context, s.span, 'waitAll')}, kind: 'waitAll', threads: support.liveThreads(cta, ${threads}), ...support.unlatched(cta.latch, (i) => ${explain}(cta, i % ${threads}, i)) }];`,
    );
    return [
      '{',
      saveLine,
      ...inner.code,
      `cta.latch = new Uint8Array(Number(${count}));`,
      `cta.pc = ${label};`,
      '}',
      `case ${label}: {`,
      'const { latch } = cta;',
      'let pending = 0;',
      'for (let i = 0; i < latch.length; i++) {',
      'if (latch[i] !== 0) continue;',
      `if (${test}(cta, i % ${threads}, i)) latch[i] = 1; else pending++;`,
      '}',
      "if (pending > 0) return 'parked';",
      '}',
      ...this.#goTo(to),
    ];
  }

  #reload(local: LocalId): readonly string[] {
    this.#shared.add(local);
    return sharedFields(this.#context, this.#text, local).map(({ field, variable }) => `${variable} = ${field};`);
  }

  /** Code for all threads of the CTA: what they share once, the rest in loops over the threads. */
  #vector(body: Body, scope: Scope): void {
    let run: Statement[] = [];
    const flush = (): void => {
      const [first, ...rest] = run;
      if (first !== undefined) this.#threads([first, ...rest], scope);
      run = [];
    };
    for (const s of body) {
      if (this.#isSharedAssign(s)) {
        if (!this.#mayGoBefore(s, run)) flush();
        this.#once(s, scope);
      } else if (s.kind === 'sync' && isMeeting(s)) {
        this.#requireTogether(s);
        flush();
      } else if (s.kind === 'collective' && isMeeting(s)) {
        this.#requireTogether(s);
        flush();
        this.#collective(s, scope);
      } else if (this.#standsOutside(s)) {
        flush();
        this.#construct(s, scope);
      } else {
        if (containsMeeting([s])) throw new NotLockstep('a sync');
        run.push(s);
      }
    }
    flush();
  }

  #requireTogether(s: Statement): void {
    if (this.#divergent(s)) throw new NotLockstep('a sync');
  }

  #divergent = (s: Statement): boolean => this.#context.uniformity.divergence(s) !== undefined;

  #isSharedAssign(s: Statement): s is Extract<Statement, { kind: 'assign' }> {
    return s.kind === 'assign' && !this.#context.uniformity.varying.has(s.local);
  }

  /** Whether `s` may run before the statements in `run`, which come before it. */
  #mayGoBefore(s: Extract<Statement, { kind: 'assign' }>, run: Body): boolean {
    return run.length === 0 || (!mayFault(s.value) && !bodyReads(run).has(s.local) && !assignsAny(run, s));
  }

  #once(s: Extract<Statement, { kind: 'assign' }>, scope: Scope): void {
    const inner = { ...statementScope(scope, [s.value]), span: s.span };
    setLocal(s.local, emitExpression(s.value, inner), inner);
  }

  #collective(s: Extract<Statement, { kind: 'collective' }>, scope: Scope): void {
    const reads = [s.value, s.lane].flatMap((e) => (e === undefined ? [] : [...readLocals(e)]));
    for (const id of reads) if (!this.#context.uniformity.varying.has(id)) this.#shared.add(id);
    scope.code.push(emitCollective(this.#context, this.#text, s));
    if (!this.#context.uniformity.varying.has(s.local)) scope.code.push(...this.#reload(s.local));
  }

  #threads(run: readonly [Statement, ...Statement[]], scope: Scope): void {
    scope.code.push(emitThreads(this.#context, this.#text, threadRun(run, this.#liveness), (id) => this.#shared.add(id)));
  }

  /** Whether control flow of `s` is written outside of loops over threads. */
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
      setsSharedLocal(this.#context, this.#liveness, s)
    );
  }

  #construct(s: Statement, scope: Scope): void {
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
        scope.code.push(`if (${condition}) {`, ...this.#inside(s.then, scope));
        if (s.else.length > 0) scope.code.push('} else {', ...this.#inside(s.else, scope));
        scope.code.push('}');
        return;
      }
      case 'block':
        scope.code.push(`block${s.label}: {`, ...this.#inside(s.body, scope), '}');
        return;
      case 'loop':
        this.#loop(s, scope);
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

  #inside(body: Body, scope: Scope, jumps: Scope['jumps'] = scope.jumps): readonly string[] {
    const inner = { ...scope, code: [], jumps };
    this.#vector(body, inner);
    return inner.code;
  }

  #loop(s: Extract<Statement, { kind: 'loop' }>, scope: Scope): void {
    const number = scope.fn.counter++;
    const jumps = { ...scope.jumps, break: `break loop${number};`, continue: `break body${number};` };
    const head = { ...scope, code: [] as string[] };
    if (s.condition !== undefined) {
      const inner = { ...statementScope(head, [s.condition]), span: s.span };
      head.code.push(`if (!${emitOne(s.condition, inner)}) break;`);
    }
    scope.code.push(`loop${number}: for (;;) {`, ...head.code);
    scope.code.push(`body${number}: {`, ...this.#inside(s.body, scope, jumps), '}');
    scope.code.push(...this.#inside(s.update, scope, jumps), '}');
  }
}

function assignsAny(run: Body, s: Extract<Statement, { kind: 'assign' }>): boolean {
  const assigned = assignedLocals(run);
  return assigned.has(s.local) || [...readLocals(s.value)].some((id) => assigned.has(id));
}
