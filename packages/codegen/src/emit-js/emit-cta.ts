import {
  assignedLocals,
  readsClock,
  type CutStatement,
  type Liveness,
  type LoopStatement,
  type StateGraph,
  type StateId,
  type Terminator,
} from '@nccl-ts/ir';

import { site } from '../emit-shared/context.ts';
import type { JsContext } from './js-context.ts';
import { emitOne } from '../emit-shared/emit-expression.ts';
import { emitSpin } from './emit-spin.ts';
import { burnFuel } from './emit-statement.ts';
import { VectorEmitter } from './emit-vector.ts';
import { emitWaitFunctions, latchTexts, waitedTexts } from './emit-wait.ts';
import { isSharedWait, NotLockstep } from './lockstep.ts';
import type { ResumePoint } from './resume-points.ts';
import { isAct } from './pauses.ts';
import { addFunction, addReadsClock, sharedFields, variables, type ModuleText } from '../emit-shared/module-text.ts';
import { functionText, plainScope, statementScope, type EmitScope } from '../emit-shared/scope.ts';

/** The four functions of a program. */
export interface CtaProgram {
  readonly graph: StateGraph;
  readonly liveness: Liveness;
}

/**
 * Adds `resume`, `canResume` and `waiting` for CTAs whose threads run in lockstep: a `switch` over
 * the states, each with loops over the threads. Values that all threads share are variables of
 * `resume`, and fields while the CTA is parked.
 *
 * @throws NotLockstep if threads may diverge across a cut
 */
export function emitCtaProgram(context: JsContext, text: ModuleText, program: CtaProgram): void {
  new CtaEmitter(context, text, program).emit();
}

const threadsLabel = 'run';
/**
 * A placeholder for the statements that store the shared locals in their fields, until all of these
 * are known.
 */
const saveLine = 'save;';

class CtaEmitter {
  readonly #context: JsContext;
  readonly #text: ModuleText;
  readonly #graph: StateGraph;
  readonly #liveness: Liveness;
  readonly #scope: EmitScope;
  readonly #vector: VectorEmitter;
  readonly #canResume: string[] = [];
  readonly #waiting: string[] = [];
  /** The states of waits that read the clock. */
  readonly #timed: number[] = [];
  /** The number of points inside states at which the turn may pause. */
  #resumePoints = 0;

  constructor(context: JsContext, text: ModuleText, program: CtaProgram) {
    this.#context = context;
    this.#text = text;
    this.#graph = program.graph;
    this.#liveness = program.liveness;
    this.#vector = new VectorEmitter(context, text, program.liveness);
    const local: EmitScope['local'] = (id) => {
      this.#vector.shared.add(id);
      return variables(context, id);
    };
    this.#scope = plainScope(context, functionText(), local, {
      thread: '0',
      jumps: { break: '', continue: '', return: `{ pc = ${this.#exit}; continue ${threadsLabel}; }` },
    });
  }

  get #exit(): number {
    return this.#graph.states.length * 2;
  }

  /** The state that pauses the turn. `cta.pc` is the point at which it continues. */
  get #pauseLabel(): number {
    return this.#exit + 1;
  }

  emit(): void {
    const cases = this.#graph.states.flatMap((state, id) => {
      const scope = { ...this.#scope, code: [] };
      this.#vector.state(state.body, scope, this.#context.unseen === 0 ? undefined : () => this.#resumePoint());
      const rest = this.#terminator(state.terminator, id, scope);
      return [`case ${id * 2}: {`, ...scope.code, '}', ...rest];
    });
    // Every shared local is a variable of `resume`. Its field keeps the value while the CTA is
    // parked.
    const variablesText = [...this.#vector.shared].flatMap((id) =>
      sharedFields(this.#context, this.#text, id).map(({ field, variable }) => `let ${variable} = ${field};`),
    );
    const saved = [...this.#vector.shared].flatMap((id) =>
      sharedFields(this.#context, this.#text, id).map(({ field, variable }) => `${field} = ${variable};`),
    );
    const rounds = this.#scope.fn.fuel ? ['cta.rounds = fuel;'] : [];
    const isPausing = cases.includes(`pc = ${this.#pauseLabel};`);
    const pausing = isPausing ? [`case ${this.#pauseLabel}:`, ...saved, ...rounds, "return 'paused';"] : [];
    const entering = this.#vector.resumesInside ? ['let { enter } = cta;', 'cta.enter = 0;'] : [];
    if (entering.length > 0) this.#text.fields.set('enter', '0');
    if (rounds.length > 0) this.#text.fields.set('rounds', '0');
    const code = [
      ...(rounds.length > 0 ? ['fuel = cta.rounds;', 'cta.rounds = 0;'] : []),
      'let pc = cta.pc;',
      ...entering,
      ...variablesText,
      `${threadsLabel}: for (;;) {`,
      'switch (pc) {',
      ...cases.flatMap((line) => (line === saveLine ? saved : [line])),
      ...pausing,
      'default:',
      `cta.pc = ${this.#exit};`,
      "return 'done';",
      '}',
      '}',
    ];
    addFunction(this.#text, 'resume', ['cta'], this.#scope.fn, code);
    const none = functionText();
    addFunction(this.#text, 'canResume', ['cta'], none, [
      'switch (cta.pc) {',
      ...this.#canResume,
      'default:',
      'return true;',
      '}',
    ]);
    addFunction(this.#text, 'waiting', ['cta'], none, [
      'switch (cta.pc) {',
      ...this.#waiting,
      'default:',
      'return [];',
      '}',
    ]);
    addReadsClock(this.#text, '[cta.pc]', this.#timed);
  }

  /** Makes a point at which the turn may pause. */
  #resumePoint(): ResumePoint {
    const label = this.#pauseLabel + ++this.#resumePoints;
    return { begin: ['}', `case ${label}: {`], leave: this.#pauseAt(label) };
  }

  /** The text saves all values once, however many points pause. */
  #pauseAt(label: number): readonly string[] {
    return [`cta.pc = ${label};`, `pc = ${this.#pauseLabel};`, `continue ${threadsLabel};`];
  }

  #goTo(id: StateId): readonly string[] {
    return [`pc = ${id * 2};`, `continue ${threadsLabel};`];
  }

  /** Loops that were split into states count their rounds like other loops. */
  #burn(id: StateId, to: StateId): readonly string[] {
    const span = this.#graph.states[id]?.body.at(-1)?.span ?? { source: 0, start: 0, end: 0 };
    return burnFuel({ span }, this.#scope, this.#context.unseen === 0 ? undefined : this.#pauseAt(to * 2));
  }

  #terminator(terminator: Terminator, id: StateId, scope: EmitScope): readonly string[] {
    switch (terminator.kind) {
      case 'exit':
        return [`pc = ${this.#exit};`, `continue ${threadsLabel};`];
      case 'pause':
        return [
          `if (cta.pace.stopsAll(${id}, ${isAct(terminator)})) {`,
          saveLine,
          `cta.pc = ${terminator.to * 2};`,
          "return 'lags';",
          '}',
          ...this.#goTo(terminator.to),
        ];
      case 'jump':
        return [...(terminator.to <= id ? this.#burn(id, terminator.to) : []), ...this.#goTo(terminator.to)];
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
        this.#spin(terminator.loop, terminator.to * 2);
        return [saveLine, `cta.pc = ${terminator.to * 2};`, "return 'yielded';"];
      case 'cut':
        return this.#cut(terminator.statement, id, terminator.to);
    }
  }

  #spin(loop: LoopStatement, label: number): void {
    if (this.#waiting.includes(`case ${label}:`)) return;
    const { site: where, explain } = emitSpin(this.#context, this.#text, loop, label);
    const { threads } = this.#context;
    this.#waiting.push(
      `case ${label}:`,
      `return [{ site: ${where}, kind: 'spin', threads: support.liveThreads(cta, ${threads}), ...${explain}(cta, 0) }];`,
    );
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
    const { test, explain, passed, addresses, reached } = emitWaitFunctions(this.#context, this.#text, s, after);
    const label = id * 2 + 1;
    if (readsClock(s.body)) this.#timed.push(label);
    this.#canResume.push(`case ${label}:`, `return ${test}(cta, 0, false);`);
    this.#waiting.push(
      `case ${label}:`,
      `return [{ site: ${site(this.#context, s.span, 'wait')}, kind: 'wait', threads: support.liveThreads(cta, ${this.#context.threads}), ...${explain}(cta, 0) }];`,
    );
    const reload = [...assignedLocals(s.body)]
      .filter((local) => after.has(local) && !this.#context.uniformity.varying.has(local))
      .flatMap((local) => this.#vector.reload(local));
    return [
      saveLine,
      `cta.pc = ${label};`,
      `case ${label}:`,
      `if (!${test}(cta, 0, true)) return 'parked';`,
      ...waitedTexts(this.#context, s, {
        test: `${test}(cta, 0, false)`,
        addresses: `${addresses}(cta, 0)`,
        reached: reached === undefined ? undefined : `${reached}(cta, 0)`,
        thread: '-1',
        passed: `support.liveThreads(cta, ${this.#context.threads}).forEach((t) => ${passed}(cta, t))`,
      }),
      ...reload,
      ...this.#goTo(to),
    ];
  }

  #waitAll(s: Extract<CutStatement, { kind: 'waitAll' }>, id: StateId, to: StateId): readonly string[] {
    const { test, explain, passed, addresses, reached } = emitWaitFunctions(this.#context, this.#text, s, new Set());
    const label = id * 2 + 1;
    if (readsClock(s.body)) this.#timed.push(label);
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
      ...latchTexts(this.#context, s, {
        test: `${test}(cta, i % ${threads}, i)`,
        addresses: `${addresses}(cta, i % ${threads}, i)`,
        reached: reached === undefined ? undefined : `${reached}(cta, i % ${threads}, i)`,
        thread: `i % ${threads}`,
        passed: `${passed}(cta, i % ${threads}, i)`,
      }),
      '}',
      "if (pending > 0) return 'parked';",
      '}',
      ...this.#goTo(to),
    ];
  }
}
