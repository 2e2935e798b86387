import { at, NcclError } from '@nccl-ts/core';
import {
  assignedLocals,
  readsClock,
  type Body,
  type CutStatement,
  type Liveness,
  type LocalId,
  type LoopStatement,
  type StateGraph,
  type StateId,
  type Terminator,
} from '@nccl-ts/ir';

import type { JsContext } from './js-context.ts';
import type { CtaProgram } from './emit-cta.ts';
import { emitOne } from '../emit-shared/emit-expression.ts';
import { barrierArrivalPoints, emitBarrier } from './emit-barrier.ts';
import { emitMeeting, type MeetingCut, type MeetingText } from './emit-meeting.ts';
import { emitSpin, type SpinPoint } from './emit-spin.ts';
import { burnFuel, emitBody } from './emit-statement.ts';
import { emitRecomputed, isRecomputed, withOperands } from '../emit-shared/frame.ts';
import {
  addFunction,
  addReadsClock,
  declareZero,
  loadEach,
  storeEach,
  variables,
  type ModuleText,
} from '../emit-shared/module-text.ts';
import { pausePoints, type PausePoint } from '../emit-shared/pausing.ts';
import { functionText, plainScope, statementScope, type EmitScope } from '../emit-shared/scope.ts';
import { emitScheduler, type ThreadCut } from './thread-scheduler.ts';
import { emitWaitFunctions, waitedTexts } from './emit-wait.ts';
import { site } from '../emit-shared/context.ts';
import { homesOf, stateLocals, type StateLocals } from './state-locals.ts';
import { hasMoreParts, isAct, partOfInstruction } from './pauses.ts';

/**
 * Adds `resume`, `canResume` and `waiting` for CTAs in which every thread has its own program
 * counter. A thread that waits runs again once its condition holds. A thread that synchronizes with
 * others stays until the last of them arrives and releases them all.
 */
export function emitThreadProgram(context: JsContext, text: ModuleText, program: CtaProgram): void {
  new ThreadEmitter(context, text, program).emit();
}

/** The results of `run`. */
const stopped = { blocked: 0, yielded: 1, exited: 2, paused: 3 } as const;

/**
 * The most values of a thread that `run` loads whenever it begins. Beyond, it loads those that are
 * needed at the thread's program counter, and declares others where they are used.
 */
const MOST_LOADED = 64;

/** The fields of a CTA of which one thread has paused, and their values otherwise. */
const pausedFields = { at: '0', fuel: '0', kept: 'null', swept: 'null' } as const;

class ThreadEmitter {
  readonly #context: JsContext;
  readonly #text: ModuleText;
  readonly #graph: StateGraph;
  readonly #liveness: Liveness;
  readonly #scope: EmitScope;
  readonly #spilled: ReadonlySet<LocalId>;
  readonly #isLarge: boolean;
  /** If the program is large: the locals that are needed at a label where a thread continues. */
  readonly #needed = new Map<number, ReadonlySet<LocalId>>();
  readonly #cuts: ThreadCut[] = [];
  readonly #spins: SpinPoint[] = [];
  /** The labels of waits that read the clock. */
  readonly #timed: number[] = [];
  /** The number of labels for positions within states. */
  #labels = 0;

  constructor(context: JsContext, text: ModuleText, program: CtaProgram) {
    this.#context = context;
    this.#text = text;
    this.#graph = program.graph;
    this.#liveness = program.liveness;
    this.#spilled = this.#findSpilled();
    this.#isLarge = this.#spilled.size > MOST_LOADED;
    this.#scope = plainScope(context, functionText(!this.#isLarge), (id) => variables(context, id), {
      jumps: { break: '', continue: '', return: `{ pcs[t] = ${this.#exit}; return ${stopped.exited}; }` },
    });
  }

  get #exit(): number {
    return this.#graph.states.length * 2;
  }

  /** The locals whose values must survive when their thread stops. */
  #findSpilled(): ReadonlySet<LocalId> {
    const spilled = new Set<LocalId>();
    this.#graph.states.forEach((state, id) => {
      if (id > 0) for (const local of this.#liveness.liveInto(id)) spilled.add(local);
      if (state.terminator.kind === 'cut') {
        for (const local of this.#liveness.liveBefore(state.terminator.statement)) spilled.add(local);
      }
    });
    return new Set([...spilled].filter((id) => !isRecomputed(this.#context, id)));
  }

  emit(): void {
    this.#text.fields.set('pcs', `new Int32Array(${this.#context.threads})`);
    const locals = this.#graph.states.map((state) => stateLocals(state));
    const homes = this.#isLarge ? this.#homes(locals) : new Map<LocalId, StateId>();
    const declared = this.#graph.states.map((): string[] => []);
    for (const [local, state] of homes) at(declared, state).push(...declareZero(this.#context, local));
    const cases = this.#graph.states.flatMap((state, id) => {
      const terminator = (): readonly string[] => this.#terminator(state.terminator, id);
      const begin = [`case ${id * 2}: {`, ...at(declared, id)];
      const points = pausePoints(state.body, this.#context.unseen, false, (loop) =>
        [...this.#liveness.liveBefore(loop)].filter((local) => !isRecomputed(this.#context, local)),
      );
      if (points.size === 0) return [...begin, ...this.#body(state.body, {}), '}', ...terminator()];
      const [inside, after] = [this.#exit + ++this.#labels, this.#exit + ++this.#labels];
      this.#needed.set(inside, this.#liveness.liveInto(id));
      const pause = (loop: LoopStatement): readonly string[] => this.#pause(points.get(loop), inside);
      const rest = [...this.#entry(points), ...this.#body(state.body, { pause, entry: points })];
      return [
        `case ${inside}: {`,
        ...at(declared, id),
        ...rest,
        `pc = ${after};`,
        'continue run;',
        '}',
        ...begin,
        ...this.#body(state.body, { pause }),
        '}',
        `case ${after}:`,
        ...terminator(),
      ];
    });
    const isPausing = this.#scope.fn.look !== undefined;
    if (isPausing) for (const [field, value] of Object.entries(pausedFields)) this.#text.fields.set(field, value);
    const mentioned = this.#mentioned(locals);
    const begin = { ...this.#scope, code: [] as string[] };
    for (const id of mentioned) {
      if (isRecomputed(this.#context, id) || homes.has(id)) continue;
      begin.code.push(
        ...(this.#spilled.has(id) && !this.#isLarge
          ? loadEach(this.#context, this.#text, this.#scope.fn, id)
          : declareZero(this.#context, id)),
      );
    }
    emitRecomputed(mentioned, begin);
    if (this.#isLarge) begin.code.push(...this.#loads());
    const code = [
      'const { pcs } = cta;',
      'let pc = pcs[t];',
      ...(isPausing ? ['fuel = cta.fuel;', 'cta.fuel = 0;'] : []),
      ...begin.code,
      'run: for (;;) {',
      'switch (pc) {',
      ...cases,
      'default:',
      `pcs[t] = ${this.#exit};`,
      `return ${stopped.exited};`,
      '}',
      '}',
    ];
    addFunction(this.#text, 'run', ['cta', 't'], this.#scope.fn, code);
    emitScheduler(this.#context, this.#text, {
      cuts: this.#cuts,
      exit: this.#exit,
      spins: this.#spins,
      paused: isPausing ? stopped.paused : undefined,
    });
    addReadsClock(this.#text, 'cta.pcs', this.#timed);
  }

  #body(body: Body, where: Pick<EmitScope, 'pause' | 'entry'>): readonly string[] {
    const scope = { ...this.#scope, ...where, code: [] };
    emitBody(body, scope);
    return scope.code;
  }

  /** Statements that store what a thread has at the head of a loop, and stop the thread. */
  #pause(point: PausePoint | undefined, inside: number): readonly string[] {
    if (point === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', 'A loop that cannot pause is asked to pause.');
    return [
      `cta.at = ${point.number};`,
      `cta.kept = [${this.#names(point).join(', ')}];`,
      'cta.fuel = fuel;',
      `pcs[t] = ${inside};`,
      `return ${stopped.paused};`,
    ];
  }

  /** Statements that restore what `#pause` has stored. */
  #entry(points: ReadonlyMap<LoopStatement, PausePoint>): readonly string[] {
    const restored = [...points.values()].map((point) => {
      const set = this.#names(point).map((name, i) => `${name} = kept[${i}];`);
      return `if (enter === ${point.number}) { ${set.join(' ')} }`;
    });
    return ['const { kept } = cta;', 'let enter = cta.at;', 'cta.at = 0;', 'cta.kept = null;', ...restored];
  }

  #names({ savedLocals: kept }: PausePoint): readonly string[] {
    return kept.flatMap((id) => variables(this.#context, id));
  }

  /** Every local that `run` mentions. */
  #mentioned(states: readonly StateLocals[]): ReadonlySet<LocalId> {
    const mentioned = new Set<LocalId>(this.#spilled);
    for (const { body, end } of states) {
      for (const id of body) mentioned.add(id);
      for (const id of end) mentioned.add(id);
    }
    return withOperands(this.#context, mentioned);
  }

  /** The locals that one state declares: no other mentions them, and no value of them survives. */
  #homes(states: readonly StateLocals[]): ReadonlyMap<LocalId, StateId> {
    const first = this.#liveness.liveInto(0);
    const isOwn = (id: LocalId): boolean =>
      !this.#spilled.has(id) && !first.has(id) && !isRecomputed(this.#context, id);
    return new Map([...homesOf(states)].filter(([id]) => isOwn(id)));
  }

  /** Statements that load what a thread needs where it continues. */
  #loads(): readonly string[] {
    this.#graph.states.forEach((_, id) => this.#needed.set(id * 2, this.#liveness.liveInto(id)));
    const labels = new Map<string, string[]>();
    for (const [label, needed] of this.#needed) {
      const loads = [...needed]
        .filter((id) => this.#spilled.has(id))
        .flatMap((id) => loadEach(this.#context, this.#text, this.#scope.fn, id, false))
        .join('\n');
      const same = labels.get(loads);
      if (same === undefined) labels.set(loads, [`case ${label}:`]);
      else same.push(`case ${label}:`);
    }
    return ['switch (pc) {', ...[...labels].flatMap(([loads, cases]) => [...cases, loads, 'break;']), '}'];
  }

  /** Loops that were split into states count their rounds like other loops. */
  #burn(id: StateId, to: StateId): readonly string[] {
    const span = this.#graph.states[id]?.body.at(-1)?.span ?? { source: 0, start: 0, end: 0 };
    const pause = ['cta.fuel = fuel;', ...this.#stop(to, stopped.paused)];
    return burnFuel({ span }, this.#scope, this.#context.unseen === 0 ? undefined : pause);
  }

  #terminator(terminator: Terminator, id: StateId): readonly string[] {
    switch (terminator.kind) {
      case 'exit':
        return [`pc = ${this.#exit};`, 'continue run;'];
      case 'jump':
        return [...(terminator.to <= id ? this.#burn(id, terminator.to) : []), ...this.#goTo(terminator.to)];
      case 'branch': {
        const inner = { ...statementScope(this.#scope, [terminator.condition]), code: [] as string[] };
        const condition = emitOne(terminator.condition, inner);
        return [
          '{',
          ...inner.code,
          `pc = ${condition} ? ${terminator.then * 2} : ${terminator.else * 2};`,
          'continue run;',
          '}',
        ];
      }
      case 'yield': {
        const label = terminator.to * 2;
        if (!this.#spins.some((spin) => spin.label === label)) {
          this.#spins.push(emitSpin(this.#context, this.#text, terminator.loop, label));
        }
        return this.#stop(terminator.to, stopped.yielded);
      }
      case 'pause':
        if (this.#context.gathers) {
          const part = partOfInstruction(terminator.next);
          if (part === 'rest' || hasMoreParts(terminator.behind)) return this.#goTo(terminator.to);
          if (part === 'first')
            return [
              `if (cta.pace.gathers(t, ${id}, ${isAct(terminator)})) {`,
              ...this.#stop(terminator.to, stopped.blocked),
              '}',
              ...(this.#context.watched ? ['cta.watch.alone(t);'] : []),
              ...this.#pauseOf(terminator, id),
            ];
        }
        return this.#pauseOf(terminator, id);
      case 'cut':
        return this.#cut(terminator.statement, id * 2 + 1, terminator.to);
    }
  }

  #pauseOf(terminator: Extract<Terminator, { kind: 'pause' }>, id: StateId): readonly string[] {
    return [
      `if (cta.pace.stops(t, ${id}, ${isAct(terminator)})) {`,
      ...this.#stop(terminator.to, stopped.blocked),
      '}',
      ...this.#goTo(terminator.to),
    ];
  }

  #stop(next: StateId, how: number): readonly string[] {
    return [...this.#save(this.#liveness.liveInto(next)), `pcs[t] = ${next * 2};`, `return ${how};`];
  }

  #goTo(id: StateId): readonly string[] {
    return [`pc = ${id * 2};`, 'continue run;'];
  }

  #save(live: ReadonlySet<LocalId>): readonly string[] {
    return [...live]
      .filter((id) => this.#spilled.has(id))
      .flatMap((id) => storeEach(this.#context, this.#text, this.#scope.fn, id));
  }

  #meeting(s: MeetingCut['statement'], label: number, to: StateId): MeetingText {
    const arrivals = s.kind === 'sync' ? barrierArrivalPoints(this.#graph, s) : undefined;
    if (s.kind === 'sync' && s.barrier !== undefined && arrivals !== undefined) {
      const barrier = { statement: s, barrier: s.barrier, arrivals, label, exit: this.#exit };
      return emitBarrier(this.#context, this.#text, barrier, this.#scope);
    }
    const meeting: MeetingCut = { statement: s, label, next: to * 2, exit: this.#exit };
    return emitMeeting(this.#context, this.#text, meeting, this.#scope);
  }

  #cut(s: CutStatement, label: number, to: StateId): readonly string[] {
    const saved = this.#save(this.#liveness.liveBefore(s));
    if ((s.kind === 'wait' || s.kind === 'waitAll') && readsClock(s.body)) this.#timed.push(label);
    if (s.kind !== 'wait') {
      const { cut, arrive } = this.#meeting(s, label, to);
      this.#cuts.push(cut);
      return [
        '{',
        ...saved,
        ...arrive,
        `pcs[t] = ${label};`,
        `${cut.meet}(cta, t);`,
        `return ${stopped.blocked};`,
        '}',
      ];
    }
    this.#needed.set(label, this.#liveness.liveBefore(s));
    const after = this.#liveness.liveAfter(s);
    const { test, explain, passed, addresses, reached } = emitWaitFunctions(this.#context, this.#text, s, after);
    this.#cuts.push({ kind: 'wait', label, site: site(this.#context, s.span, 'wait'), test, explain });
    const reload = [...assignedLocals(s.body)]
      .filter((id) => after.has(id) && !isRecomputed(this.#context, id))
      .flatMap((id) => loadEach(this.#context, this.#text, this.#scope.fn, id, false));
    return [
      ...saved,
      `pcs[t] = ${label};`,
      `case ${label}:`,
      `if (!${test}(cta, t, true)) return ${stopped.blocked};`,
      ...waitedTexts(this.#context, s, {
        test: `${test}(cta, t, false)`,
        addresses: `${addresses}(cta, t)`,
        reached: reached === undefined ? undefined : `${reached}(cta, t)`,
        thread: 't',
        passed: `${passed}(cta, t)`,
      }),
      ...reload,
      ...this.#goTo(to),
    ];
  }
}
