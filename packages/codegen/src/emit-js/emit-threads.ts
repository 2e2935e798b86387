import {
  assignedLocals,
  bodyReads,
  type Expression,
  type Liveness,
  type LocalId,
  type LoopStatement,
  type Statement,
} from '@nccl-ts/ir';

import { at as partAt, NcclError } from '@nccl-ts/core';
import type { KernelRegions } from '../emit-shared/kernel-regions.ts';
import { Unsupported } from '../emit-shared/unsupported.ts';
import { AffineTracker } from '../emit-shared/affine.ts';
import { localType, type Components } from '../emit-shared/context.ts';
import type { JsContext } from './js-context.ts';
import { emitExpression } from '../emit-shared/emit-expression.ts';
import { emitBody } from './emit-statement.ts';
import { emitRecomputed, isRecomputed, settledOf, withOperands } from '../emit-shared/frame.ts';
import { literal } from '../emit-shared/literals.ts';
import { mayBeRow } from './may-be-row.ts';
import {
  addFunction,
  declareZero,
  loadEach,
  sharedFields,
  storeEach,
  typedParameters,
  variables,
  type ModuleText,
} from '../emit-shared/module-text.ts';
import { pausePoints, type PausePoint } from '../emit-shared/pausing.ts';
import { Prologue } from '../emit-shared/prologue.ts';
import {
  branchScope,
  functionText,
  plainScope,
  statementScope,
  type FunctionText,
  type EmitScope,
} from '../emit-shared/scope.ts';
import { componentsOf, scalarOf } from '../emit-shared/types.ts';
import type { Induction } from '../emit-shared/induction.ts';
import type { ThreadRange, ThreadRun } from './thread-run.ts';

export const allThreads: ThreadRange = { count: undefined, inductions: [] };

export function threadRun(
  statements: readonly [Statement, ...Statement[]],
  liveness: Liveness,
  range: ThreadRange,
): ThreadRun {
  const last = statements.at(-1) ?? statements[0];
  const [before, after] = [liveness.liveBefore(statements[0]), liveness.liveAfter(last)];
  return { statements, before, after, range };
}

/**
 * Adds a function that loops over the threads. Returns the statement that calls it; none if there
 * is nothing left to do. Values that all threads share are its arguments, passed to `share`. The
 * others are loaded from the CTA's fields if they are live, and stored there afterwards.
 *
 * Shared values are computed before the loop. Accesses whose addresses grow evenly with the thread
 * are also checked there, for the first and the last thread. If a check fails, a second loop runs
 * that checks every access and faults exactly like the program.
 */
export function emitThreads(
  context: JsContext,
  text: ModuleText,
  run: ThreadRun,
  share: (id: LocalId) => void,
): readonly string[] {
  const compiled = emitCompiled(context, text, run, share);
  if (typeof compiled !== 'string') return compiled;
  const name = `threads${text.counter}`;
  const lines = new ThreadLoop(context, text, run).emit(share);
  if (lines.length > 0) context.regions?.left(name, compiled);
  return lines;
}

/**
 * Like `emitThreads`, for a loop in WebAssembly. Returns the reason if the loop cannot be
 * translated.
 */
export function emitCompiled(
  context: JsContext,
  text: ModuleText,
  run: ThreadRun,
  share: (id: LocalId) => void,
): readonly string[] | string {
  const { regions } = context;
  if (regions === undefined) return 'engine js';
  if (new ThreadLoop(context, text, run).isEmpty) return [];
  try {
    return new ThreadLoop(context, text, run).emitCompiled(share, regions);
  } catch (error) {
    if (error instanceof Unsupported) return error.message;
    throw error;
  }
}

/**
 * Like `emitThreads`, for the threads of all rounds of a loop in one row, in WebAssembly. Returns
 * an expression that runs the row if no access would fault, and is true if it did. Returns
 * `undefined` if the work depends on the thread.
 */
export function emitRow(
  context: JsContext,
  text: ModuleText,
  run: ThreadRun,
  share: (id: LocalId) => void,
): string | undefined {
  const { regions } = context;
  // A trace receives the accesses thread by thread.
  if (regions === undefined || context.traced || !mayBeRow(context, run) || new ThreadLoop(context, text, run).isEmpty)
    return undefined;
  try {
    return new ThreadLoop(context, text, run).emitRow(share, regions);
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}

class ThreadLoop {
  readonly #context: JsContext;
  readonly #text: ModuleText;
  readonly #run: ThreadRun;
  readonly #fn: FunctionText = functionText();
  readonly #assigned: ReadonlySet<LocalId>;
  readonly #mentioned: ReadonlySet<LocalId>;
  /** The locals that all threads share and the run reads. */
  readonly #shared: readonly LocalId[];
  /** The shared locals that the run sets for later code. Every thread computes the same value. */
  readonly #results: readonly LocalId[];
  readonly #inductions: ReadonlyMap<LocalId, Induction>;
  readonly #points: ReadonlyMap<LoopStatement, PausePoint>;

  constructor(context: JsContext, text: ModuleText, run: ThreadRun) {
    this.#context = context;
    this.#text = text;
    this.#run = run;
    this.#assigned = assignedLocals(run.statements);
    const reads = withOperands(context, bodyReads(run.statements));
    this.#mentioned = new Set([...reads, ...this.#assigned]);
    this.#shared = [...reads].filter((id) => !context.uniformity.varying.has(id));
    this.#results = [...this.#assigned].filter((id) => !context.uniformity.varying.has(id) && run.after.has(id));
    const used = run.range.inductions.filter(({ local }) => reads.has(local));
    this.#inductions = new Map(used.map((induction) => [induction.local, induction]));
    const { pauses } = run;
    this.#points =
      pauses === undefined
        ? new Map()
        : pausePoints(run.statements, context.unseen, pauses.isInside, (loop) =>
            [...pauses.liveAt(loop)].filter((id) => this.#isOwn(id)),
          );
  }

  get #isInside(): boolean {
    return this.#run.pauses?.isInside ?? false;
  }

  /** True if each thread has its own value of a local, which is not recomputed. */
  #isOwn(id: LocalId): boolean {
    const context = this.#context;
    if (!this.#mentioned.has(id) || isRecomputed(context, id) || this.#inductions.has(id)) return false;
    return context.uniformity.varying.has(id) || this.#assigned.has(id);
  }

  /** True if there is nothing left to do. */
  get isEmpty(): boolean {
    const prologue = this.#prologue();
    return this.#loop(prologue, new AffineTracker(prologue)).length === 0;
  }

  emit(share: (id: LocalId) => void): readonly string[] {
    const prologue = this.#prologue();
    const tracker = new AffineTracker(prologue);
    const fast = this.#loop(prologue, tracker);
    if (fast.length === 0) return [];
    return this.#function(prologue, tracker.isUsed ? this.#twoLoops(prologue, fast) : fast, share);
  }

  /** Like `emit`, with a loop in WebAssembly instead of the first. @throws Unsupported */
  emitCompiled(share: (id: LocalId) => void, regions: KernelRegions): readonly string[] {
    const prologue = this.#prologue();
    const call = this.#region(prologue, regions, false);
    const isChecked = prologue.requirements.length > 0;
    return this.#function(prologue, isChecked ? this.#twoLoops(prologue, call) : call, share);
  }

  /**
   * Returns a call that does all the work and is true if the preconditions hold.
   *
   * @throws Unsupported
   */
  emitRow(share: (id: LocalId) => void, regions: KernelRegions): string {
    const prologue = this.#prologue();
    const call = this.#region(prologue, regions, true);
    const conditions = prologue.requirements;
    const leave = conditions.length > 0 ? [`if (!(${conditions.join(' && ')})) return false;`] : [];
    return this.#declare(prologue, [...leave, ...call, 'return true;'], share);
  }

  #region(prologue: Prologue, regions: KernelRegions, isRow: boolean): readonly string[] {
    const tracker = new AffineTracker(prologue);
    return regions.emit({
      context: this.#context,
      text: this.#text,
      name: `threads${this.#text.counter}`,
      statements: this.#run.statements,
      mentioned: this.#mentioned,
      assigned: this.#assigned,
      results: this.#results,
      before: this.#run.before,
      after: this.#run.after,
      counted: this.#run.range.count !== undefined,
      isRow,
      points: this.#points,
      isInside: this.#isInside,
      inductions: this.#inductions,
      prologue,
      tracker,
      hoist: (e) => (isWorthHoisting(e.kind) ? (prologue.hoist(e) ?? required(e, prologue)) : undefined),
      isShared: (id) => this.#shared.includes(id),
    });
  }

  #prologue(): Prologue {
    return new Prologue(this.#scope([]), this.#last, this.#assigned);
  }

  #function(prologue: Prologue, body: readonly string[], share: (id: LocalId) => void): readonly string[] {
    const call = this.#declare(prologue, body, share);
    this.#results.forEach(share);
    const reload = this.#results.flatMap((id) =>
      sharedFields(this.#context, this.#text, id).map(({ field, variable }) => `${variable} = ${field};`),
    );
    const { pauses } = this.#run;
    const lines = pauses === undefined || this.#points.size === 0 ? [`${call};`] : pauses.pausing(call);
    return [...lines, ...reload];
  }

  /** Adds the function, and returns the call of it. */
  #declare(prologue: Prologue, body: readonly string[], share: (id: LocalId) => void): string {
    this.#shared.forEach(share);
    const name = `threads${this.#text.counter++}`;
    const prefix = (id: LocalId): string => (this.#assigned.has(id) ? 'begin_' : '');
    const begun = this.#shared.flatMap((id) => variables(this.#context, id).map((variable) => prefix(id) + variable));
    const typed = this.#shared.flatMap((id) => typedParameters(this.#context, id, prefix(id)));
    const counts = this.#run.range.count === undefined ? [] : ['count'];
    const bases = [...this.#inductions.values()].map(({ base }) => base);
    const params = ['cta', ...counts, ...bases, ...begun];
    const isPausing = this.#points.size > 0;
    const entry = isPausing ? this.#entry(`${name}_rest(${params.join(', ')})`) : [];
    addFunction(this.#text, name, params, this.#fn, [...typed, ...entry, ...prologue.scope.code, ...body]);
    if (isPausing) new ThreadLoop(this.#context, this.#text, this.#run).#addRest(`${name}_rest`, params);
    const values = this.#shared.flatMap((id) => variables(this.#context, id));
    const count = this.#run.range.count === undefined ? [] : [this.#run.range.count];
    return `${name}(${['cta', ...count, ...bases, ...values].join(', ')})`;
  }

  /**
   * Returns code by which a paused turn continues with the rest of its thread, and then with the
   * threads after it.
   */
  #entry(rest: string): readonly string[] {
    this.#fn.fuel = true;
    for (const [field, value] of Object.entries(pausedFields)) this.#text.fields.set(field, value);
    return [
      'let from = 0;',
      'if (cta.at !== 0) {',
      `if (${rest}) return true;`,
      'from = cta.thread + 1;',
      'fuel = cta.fuel;',
      ...Object.entries(pausedFields).map(([field, value]) => `cta.${field} = ${value};`),
      '}',
    ];
  }

  /** Adds the function that resumes a thread that has paused. */
  #addRest(name: string, params: readonly string[]): void {
    const prologue = this.#prologue();
    const lines = this.#loop(prologue, undefined, true);
    addFunction(this.#text, name, params, this.#fn, [
      'const { thread, kept } = cta;',
      'let enter = cta.at;',
      'cta.at = 0;',
      'fuel = cta.fuel;',
      ...prologue.scope.code,
      ...lines,
      'cta.fuel = fuel;',
      'return false;',
    ]);
  }

  /** Statements that store what a thread needs at the head of `loop` in the CTA's fields. */
  #pause(loop: LoopStatement): readonly string[] {
    const point = this.#points.get(loop);
    if (point === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', 'A loop that cannot pause is asked to pause.');
    const saved = point.savedLocals.flatMap((id) => variables(this.#context, id));
    return [
      `cta.at = ${point.number};`,
      'cta.thread = t;',
      'cta.fuel = fuel;',
      `cta.kept = [${saved.join(', ')}];`,
      'return true;',
    ];
  }

  /** Declares the variables of a local that some points store. */
  #restoreSaved(id: LocalId): readonly string[] {
    return variables(this.#context, id).map((variable, i) => {
      // Code before all threads has set the local, if its statement comes after the point.
      const isBegun = this.#shared.includes(id);
      const zero = isBegun ? `begin_${variable}` : partAt(componentsOf(localType(this.#context, id)), i).zero;
      const text = [...this.#points.values()].reduce((otherwise, { number, savedLocals: saved }) => {
        const at = saved.flatMap((one) => variables(this.#context, one)).indexOf(variable);
        return at === -1 ? otherwise : `enter === ${number} ? kept[${at}] : ${otherwise}`;
      }, zero);
      return `let ${variable} = ${text};`;
    });
  }

  get #last(): string {
    return this.#run.range.count === undefined ? literal(this.#context.threads - 1) : '(count - 1)';
  }

  #twoLoops(prologue: Prologue, fast: readonly string[]): readonly string[] {
    const slow = this.#loop(prologue, undefined);
    return [`if (${prologue.requirements.join(' && ')}) {`, ...fast, 'return;', '}', ...slow];
  }

  #scope(code: string[]): EmitScope {
    return plainScope(this.#context, this.#fn, (id) => variables(this.#context, id), {
      code,
      thread: '0',
      span: this.#run.statements[0]?.span ?? { source: 0, start: 0, end: 0 },
      jumps: { break: 'break;', continue: 'break round;', return: '{ cta.dead[t] = 1; continue threads; }' },
      ...(this.#points.size === 0
        ? {}
        : { pause: (loop: LoopStatement) => this.#pause(loop), isInside: this.#isInside }),
    });
  }

  #settle(scope: EmitScope): void {
    const context = this.#context;
    for (const id of settledOf(context, this.#mentioned, this.#assigned)) {
      const value = context.recomputable.get(id);
      if (value === undefined || localType(context, id).kind === 'handle') continue;
      const texts = emitExpression(value, { ...statementScope(scope, [value]), code: scope.code });
      variables(context, id).forEach((name, i) => scope.code.push(`${name} = ${partAt(texts, i)};`));
    }
  }

  /** With `isRest`, only the rest of the thread that has paused. */
  #loop(prologue: Prologue, tracker: AffineTracker | undefined, isRest = false): readonly string[] {
    const context = this.#context;
    const { varying } = context.uniformity;
    const isStoredPerThread = (id: LocalId): boolean =>
      varying.has(id) && !isRecomputed(context, id) && !this.#inductions.has(id);
    const begin: string[] = context.partialReturns ? ['if (cta.dead[t] !== 0) continue;'] : [];
    for (const id of this.#mentioned) {
      if (isRecomputed(context, id)) continue;
      const induction = this.#inductions.get(id);
      if (induction !== undefined) begin.push(...this.#induction(induction, tracker));
      else if (isRest && this.#isOwn(id)) begin.push(...this.#restoreSaved(id));
      else if (!varying.has(id)) {
        if (this.#assigned.has(id)) begin.push(...declarePrivate(context, id, this.#shared.includes(id)));
      } else if (this.#run.before.has(id)) begin.push(...loadEach(context, this.#text, this.#fn, id));
      else begin.push(...declareZero(context, id));
    }
    const scope: EmitScope = {
      ...this.#scope([]),
      thread: 't',
      hoisted: (e) => (isWorthHoisting(e.kind) ? (prologue.hoist(e) ?? guarded(e, prologue, scope)) : undefined),
      track: tracker,
      entry: isRest ? this.#points : undefined,
    };
    this.#settle(scope);
    emitRecomputed(this.#mentioned, scope);
    const round = { ...scope, code: [] as string[] };
    emitBody(this.#run.statements, round);
    // A `continue` of a loop whose rounds are outside ends this thread's part of the round.
    if (round.code.includes('break round;')) scope.code.push('round: {', ...round.code, '}');
    else scope.code.push(...round.code);
    for (const id of this.#assigned) {
      if (isStoredPerThread(id) && this.#run.after.has(id))
        scope.code.push(...storeEach(context, this.#text, this.#fn, id));
    }
    for (const id of this.#results) {
      const fields = sharedFields(context, this.#text, id);
      scope.code.push(...fields.map(({ field, variable }) => `${field} = ${variable};`));
    }
    const count = this.#run.range.count === undefined ? literal(context.threads) : 'count';
    const lines = withoutUnused([...begin, ...scope.code]);
    if (lines.length === 0) return [];
    if (isRest) return ['threads: for (let t = thread; t === thread; t++) {', ...lines, '}'];
    const first = this.#points.size > 0 ? 'from' : '0';
    return [`threads: for (let t = ${first}; t < ${count}; t++) {`, ...lines, '}'];
  }

  /** The variable of a local that grows with the thread. */
  #induction({ local, base, step }: Induction, tracker: AffineTracker | undefined): readonly string[] {
    const kind = scalarOf(localType(this.#context, local)) ?? 'u32';
    tracker?.define(local, { kind, base, step });
    const [name = ''] = variables(this.#context, local);
    const sum = step === 0 ? base : step === 1 ? `${base} + t` : `${base} + ${literal(step)} * t`;
    if (kind === 'i64' || kind === 'u64') return [`const ${name} = BigInt(${sum});`];
    const wrapped = kind === 'u32' ? `(${sum}) >>> 0` : kind === 'i32' ? `(${sum}) | 0` : sum;
    return [`const ${name} = ${wrapped};`];
  }
}

/** The fields that a CTA uses while it is paused in a thread, with their values at other times. */
const pausedFields = { at: '0', thread: '0', fuel: '0', kept: 'null' } as const;

/**
 * A shared offset that may fault. It is computed before the loop, and used if it is in range.
 * Otherwise it is computed at its own place, with its fault.
 */
function guarded(e: Expression, outer: Prologue, scope: EmitScope): Components | undefined {
  if (faultingKind(e) !== 'addr' || !outer.isFixed(e)) return undefined;
  const tests = outer.fork();
  const affine = new AffineTracker(tests).affine(e);
  const inPlace = branchScope({ ...scope, hoisted: undefined });
  const [text = '0'] = emitExpression(e, inPlace);
  if (affine === undefined || affine.step !== 0 || inPlace.code.length > 0) return undefined;
  if (tests.requirements.length === 0) return [affine.base];
  return [`(${outer.atom(`(${tests.requirements.join(' && ')})`)} ? ${affine.base} : ${text})`];
}

/** Like `guarded`, but another loop runs if the offset is out of range. */
function required(e: Expression, prologue: Prologue): Components | undefined {
  if (faultingKind(e) !== 'addr' || !prologue.isFixed(e)) return undefined;
  const tests = prologue.fork();
  const affine = new AffineTracker(tests).affine(e);
  if (affine === undefined || affine.step !== 0) return undefined;
  prologue.require(...tests.requirements);
  return [affine.base];
}

function faultingKind(e: Expression): string | undefined {
  return e.kind === 'binary' || e.kind === 'convert' ? scalarOf(e.type) : undefined;
}

function isWorthHoisting(kind: string): boolean {
  return kind !== 'constant' && kind !== 'local' && kind !== 'param';
}

/**
 * A shared local that the run sets. Each thread computes its values separately, and all end with
 * the same value.
 */
function declarePrivate(context: JsContext, id: LocalId, begun: boolean): readonly string[] {
  if (!begun) return declareZero(context, id);
  return variables(context, id).map((name) => `let ${name} = begin_${name};`);
}

const declaration = /^(?:const|let) (v\d\w*) = /;
const variable = /\bv\d\w*/g;

/**
 * Returns the lines without declarations of local variables that no other line uses. Their values
 * cannot fault.
 */
function withoutUnused(lines: readonly string[]): readonly string[] {
  const declared = lines.map((line) => declaration.exec(line)?.[1]);
  // A variable occurs once in its declaration.
  const counts = new Map<string, number>();
  for (const name of declared) if (name !== undefined) counts.set(name, 0);
  if (counts.size === 0) return lines;
  for (const line of lines) {
    for (const word of line.match(variable) ?? []) {
      const count = counts.get(word);
      if (count !== undefined) counts.set(word, count + 1);
    }
  }
  return lines.filter((_, i) => {
    const name = declared[i];
    return name === undefined || (counts.get(name) ?? 0) > 1;
  });
}
