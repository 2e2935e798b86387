import { at } from '@nccl-ts/core';
import { statementTarget, walkBody, type Body, type Expression, type LocalId } from '@nccl-ts/ir';

import { AffineTracker } from '../emit-shared/affine.ts';
import { localType } from '../emit-shared/context.ts';
import type { Induction } from '../emit-shared/induction.ts';
import { isRecomputed, recomputedOf, settledOf } from '../emit-shared/frame.ts';
import { variables } from '../emit-shared/module-text.ts';
import { scalarOf } from '../emit-shared/types.ts';
import { disjointness } from './disjointness.ts';
import { times } from './emit-access.ts';
import { emitExpression, paramValues } from './emit-expression.ts';
import { LaneEmitter, laneKind } from './emit-lanes.ts';
import { emitBody, emitStatement } from './emit-statement.ts';
import { frameElements } from './frame.ts';
import { FunctionBuilder, localValue, value, type WasmValue } from './function-builder.ts';
import {
  block,
  br,
  brIf,
  f32,
  f64,
  get,
  i32,
  i64,
  lines,
  memory,
  op,
  set,
  v128,
  type WasmCode,
  type Instruction,
} from './instruction.ts';
import { FrameValues } from './frame-values.ts';
import { growing, laneValue, NotInLanes, type LaneBits, type LaneScope } from './lane-expression.ts';
import type { WasmType } from './opcodes.ts';
import { RegionBuilder } from './region-builder.ts';
import type { RegionInput } from '../emit-shared/region-input.ts';
import type { RegionSet } from './region-set.ts';
import { statementScope, type Components, type WasmScope } from './scope.ts';
import { componentTypes } from './types.ts';
import { Unsupported } from '../emit-shared/unsupported.ts';
import { leastThreads } from './worth.ts';

/**
 * Adds a function that runs the loop to `regions`. Returns the JavaScript that calls it after the
 * prologue.
 *
 * @throws Unsupported
 */
export function emitRegion(input: RegionInput, regions: RegionSet): readonly string[] {
  return new RegionEmitter(input, regions).emit();
}

/** The threads of a row that one call handles. An engine changes to better code at calls. */
const PIECE = 4096;

/** The largest number of parameters that engines allow. */
const MOST_PARAMS = 1000;

/** The largest number of instructions in a loop that runs several threads of a row at a time. */
const MOST_UNROLLED = 800;

const zeros: Readonly<Record<WasmType, WasmCode>> = {
  i32: [i32(0)],
  i64: [i64(0n)],
  f32: [f32(0)],
  f64: [f64(0)],
  v128: [v128(Array.from({ length: 16 }, () => 0))],
};

class RegionEmitter {
  readonly #input: RegionInput;
  readonly #regions: RegionSet;
  readonly #fn = new FunctionBuilder();
  readonly #region: RegionBuilder;
  readonly #locals = new Map<LocalId, readonly number[]>();
  readonly #thread: WasmValue;
  readonly #frame: number;
  readonly #frameValues: FrameValues;

  constructor(input: RegionInput, regions: RegionSet) {
    this.#input = input;
    this.#regions = regions;
    this.#frame = this.#fn.param('frame', 'i32');
    this.#region = new RegionBuilder(regions.helpers, this.#frame);
    this.#thread = localValue('i32', this.#fn.local('i32'));
    this.#frameValues = new FrameValues(input, this.#region, this.#thread);
  }

  emit(): readonly string[] {
    const { context, name, isRow } = this.#input;
    const dead = context.partialReturns ? this.#frameValues.dead() : undefined;
    const labels = [this.#fn.label(), this.#fn.label()] as const;
    const count = this.#count();
    const one = this.#threadCode(dead);
    if (isRow) this.#requireRow();
    this.#frameValues.copyArrays();
    if (!this.#regions.compilesAll) this.#requireWork();
    // A trace receives the accesses thread by thread.
    const lanes = (context.traced ? undefined : this.#lanes(count)) ?? [];
    const code: WasmCode = lines(
      isRow || this.#input.points.size > 0 ? [get(this.#fn.param('from', 'i32')), ...this.#setThread()] : [],
      this.#fn.looks ? [i32(context.unseen), set(this.#fn.left)] : [],
      lanes,
      isRow && lanes.length === 0 ? this.#several(count, one.length) : [],
      this.#threads(count, 1, one, labels),
      [i32(0)],
    );
    const f = this.#fn.finish(name, ['i32'], code);
    if (f.params.length > MOST_PARAMS) throw new Unsupported('more values from outside than a function takes');
    this.#regions.compiled(f, lanes.length > 0);
    return this.#callText(name);
  }

  /** A loop over the remaining threads, which runs `each` of them at a time. */
  #threads(
    count: WasmCode,
    each: number,
    code: WasmCode,
    [exit, again]: readonly [exit: number, again: number],
  ): WasmCode {
    const next: WasmCode = [...this.#thread.code, i32(each), op('i32.add')];
    const isLast: WasmCode =
      each === 1 ? [...this.#thread.code, ...count, op('i32.ge_u')] : [...next, ...count, op('i32.gt_u')];
    return lines([block('block', exit), block('loop', again), ...isLast, brIf(exit)], code, [
      ...next,
      ...this.#setThread(),
      br(again),
      op('end'),
      op('end'),
    ]);
  }

  /**
   * A loop over several threads of a row at a time, if none of them accesses memory that another
   * stores to. It runs statement by statement, so that adjacent memory is written in sequence.
   */
  #several(count: WasmCode, length: number): WasmCode {
    const { statements, prologue, mentioned } = this.#input;
    if (!statements.every((s) => s.kind === 'assign' || s.kind === 'load' || s.kind === 'store')) return [];
    const each = [4, 2].find((threads) => threads * length <= MOST_UNROLLED);
    if (each === undefined) return [];
    const together = this.#scope({ break: undefined, continue: undefined, return: [] });
    const scopes = Array.from({ length: each }, (_, ahead): WasmScope => {
      const locals = new Map<LocalId, readonly number[]>();
      const local = (id: LocalId): readonly number[] => this.#localsOf(id, locals);
      return { ...together, ahead, regions: new Map(), lanes: new Map(), done: new Map(), local };
    });
    for (const scope of scopes) for (const id of mentioned) this.#begin(id, scope);
    for (const statement of statements) for (const scope of scopes) emitStatement(statement, scope);
    const conditions = disjointness(together.touched, prologue.last);
    if (conditions === undefined) return [];
    const may: WasmCode = conditions.length === 0 ? [i32(1)] : [get(this.#fn.param(conditions.join(' && '), 'i32'))];
    const labels = [this.#fn.label(), this.#fn.label()] as const;
    return [...may, block('if', this.#fn.label()), ...this.#threads(count, each, together.code, labels), op('end')];
  }

  /** The code for one thread. */
  #threadCode(dead: WasmCode | undefined): WasmCode {
    const [thread, round] = [this.#fn.label(), this.#fn.label()];
    const scope = this.#scope({
      break: undefined,
      continue: round,
      return: dead === undefined ? [br(thread)] : [...dead, i32(1), memory('i32.store8', 1), br(thread)],
    });
    if (dead !== undefined) scope.code.push(...dead, memory('i32.load8_u', 1), brIf(thread));
    const begun = scope.code.length;
    for (const id of this.#input.mentioned) this.#begin(id, scope);
    this.#recompute(scope);
    const inner = { ...scope, code: [] };
    emitBody(this.#input.statements, inner);
    scope.code.push(block('block', round), ...inner.code, op('end'));
    for (const id of this.#input.assigned) {
      if (this.#isStoredPerThread(id) && this.#input.after.has(id))
        this.#frameValues.storeEach(id, this.#held(id), scope);
    }
    for (const id of this.#input.results) this.#frameValues.storeResult(id, this.#held(id), scope);
    // A pointer that was not set points to nothing.
    scope.code.splice(begun, 0, ...this.#region.rows.flatMap((row) => [i32(0), set(row)]));
    return [block('block', thread), ...scope.code, op('end')];
  }

  /**
   * The threads of a row are not those of the CTA, so no value may be kept or reported for them.
   */
  #requireRow(): void {
    const { faults, arrayParts, peerTables } = this.#region;
    const needsRow =
      this.#frameValues.copyIn.length + this.#frameValues.copyOut.length + arrayParts.size + peerTables.size > 0;
    if (needsRow || faults.length > 0) throw new Unsupported('a thread whose identity matters');
  }

  /**
   * Leaves few threads, such as those of a single round, to JavaScript, because a call costs more
   * than they do.
   */
  #requireWork(): void {
    const { context, statements, counted, prologue } = this.#input;
    const copies = this.#frameValues.copyIn.length + this.#frameValues.copyOut.length;
    const bytes = this.#frameValues.arrayBytes;
    const least = leastThreads(statements, { copies, bytes, tables: this.#region.peerTables.size });
    if (least > context.threads) throw new Unsupported('less work than a call would cost');
    if (counted && least > 1) prologue.require(`count >= ${least}`);
  }

  /**
   * A loop that runs as many threads at a time as there are lanes, before the loop for the rest.
   */
  #lanes(count: WasmCode): WasmCode | undefined {
    for (const bits of [8, 16, 32, 64] as const) {
      try {
        return this.#lanesOf(bits, count);
      } catch (error) {
        if (!(error instanceof NotInLanes)) throw error;
      }
    }
    return undefined;
  }

  #lanesOf(bits: LaneBits, count: WasmCode): WasmCode {
    const { context, assigned, after, before, mentioned, results, statements, prologue } = this.#input;
    if (context.partialReturns || results.length > 0 || this.#region.arrayParts.size > 0)
      throw new NotInLanes('returns');
    const tracker = new AffineTracker(prologue);
    const outside: Instruction[] = [];
    const scope = { ...this.#scope({ break: undefined, continue: undefined, return: [] }), track: tracker };
    const lanes: LaneScope = { scope, bits, locals: new Map(), splats: new Map(), before: outside };
    const width = 128 / bits;
    const emitter = new LaneEmitter(lanes);
    for (const id of mentioned) {
      const induction = this.#input.inductions.get(id);
      if (induction !== undefined) this.#laneInduction(induction, tracker, lanes, emitter);
      else if (!context.uniformity.varying.has(id) || isRecomputed(context, id)) {
        if (assigned.has(id) && !isRecomputed(context, id)) this.#begin(id, scope);
      } else if (before.has(id)) {
        const [part] = this.#frameValues.eachOf(id);
        if (part === undefined || frameElements[part.array].bytes !== bits / 8) throw new NotInLanes('a kept value');
        emitter.assign(
          id,
          laneKind(id, lanes),
          [...this.#frameValues.elementAddress(part), memory('v128.load', 4, part.offset)],
          lanes,
        );
      }
    }
    if (settledOf(context, mentioned, assigned).length > 0) throw new NotInLanes('a value that is set here');
    for (const id of recomputedOf(context, mentioned)) {
      const of = context.recomputable.get(id);
      if (of === undefined) continue;
      this.#laneRecomputed(id, of, lanes, emitter);
      tracker.assign(id, of);
    }
    emitter.body(statements);
    for (const id of assigned) {
      if (!this.#isStoredPerThread(id) || !after.has(id)) continue;
      const [part] = this.#frameValues.eachOf(id);
      const local = lanes.locals.get(id);
      if (part === undefined || local === undefined || frameElements[part.array].bytes !== bits / 8)
        throw new NotInLanes('a kept value');
      scope.code.push(...this.#frameValues.elementAddress(part), get(local), memory('v128.store', 4, part.offset));
    }
    const conditions = emitter.requirements(prologue.last);
    const [open, exit, again] = [this.#fn.label(), this.#fn.label(), this.#fn.label()];
    const isDisjoint: WasmCode =
      conditions.length === 0 ? [i32(1)] : [get(this.#fn.param(conditions.join(' && '), 'i32'))];
    return lines(
      [...isDisjoint, block('if', open), ...outside, block('block', exit), block('loop', again)],
      [...this.#thread.code, i32(width), op('i32.add'), ...count, op('i32.gt_u'), brIf(exit)],
      scope.code,
      [...this.#thread.code, i32(width), op('i32.add'), ...this.#setThread(), br(again)],
      [op('end'), op('end'), op('end')],
    );
  }

  /**
   * The threads' counter is needed in lanes only if it is stored or used in arithmetic, and not
   * only in addresses.
   */
  #laneInduction(
    { local, base, step }: Induction,
    tracker: AffineTracker,
    lanes: LaneScope,
    emitter: LaneEmitter,
  ): void {
    const kind = scalarOf(localType(this.#input.context, local)) ?? 'u32';
    tracker.define(local, { kind, base, step });
    if (lanes.bits !== 32 || (kind !== 'u32' && kind !== 'i32')) return;
    const start = get(this.#fn.param(base, 'i32'));
    const first = value('i32', start, ...(step === 0 ? [] : [...times(this.#thread, step), op('i32.add')]));
    emitter.assign(local, kind, growing(first, step, lanes).code, lanes);
  }

  #laneRecomputed(id: LocalId, of: Expression, lanes: LaneScope, emitter: LaneEmitter): void {
    const { scope } = lanes;
    const inner = { ...lanes, scope: { ...statementScope(scope, [of]), code: [] as Instruction[] } };
    try {
      const kind = laneKind(id, lanes);
      const { code } = laneValue(of, inner);
      scope.code.push(...inner.scope.code);
      emitter.assign(id, kind, code, lanes);
    } catch (error) {
      // It may be needed only in addresses.
      if (!(error instanceof NotInLanes)) throw error;
    }
  }

  #setThread(): WasmCode {
    return this.#thread.code.flatMap((instruction): WasmCode =>
      'local' in instruction ? [set(instruction.local)] : [],
    );
  }

  #count(): WasmCode {
    const { context, counted, isRow } = this.#input;
    if (isRow) return [get(this.#fn.param('end', 'i32'))];
    return counted ? [get(this.#fn.param('count', 'i32'))] : [i32(context.threads)];
  }

  #scope(jumps: WasmScope['jumps']): WasmScope {
    const { context, prologue, tracker, hoist, statements, points, isInside } = this.#input;
    const scope: WasmScope = {
      context,
      fn: this.#fn,
      region: this.#region,
      code: [],
      span: statements[0]?.span ?? { source: 0, start: 0, end: 0 },
      thread: this.#thread,
      ahead: 0,
      touched: [],
      local: (id) => this.#localsOf(id),
      prologue,
      hoisted: (e) => {
        const texts = hoist(e);
        return texts === undefined ? undefined : paramValues(e.type, texts, { fn: this.#fn, region: this.#region });
      },
      track: tracker,
      regions: new Map(),
      canonical: new Set(),
      lanes: new Map(),
      setOnce: setOnce(statements, this.#input.before),
      repeated: new Set(),
      done: new Map(),
      jumps,
      points,
      isInside,
      isPausing: false,
    };
    return scope;
  }

  #localsOf(id: LocalId, locals: Map<LocalId, readonly number[]> = this.#locals): readonly number[] {
    const known =
      locals.get(id) ?? componentTypes(localType(this.#input.context, id)).map((type) => this.#fn.local(type));
    locals.set(id, known);
    return known;
  }

  #held(id: LocalId): Components {
    const types = componentTypes(localType(this.#input.context, id));
    return this.#localsOf(id).map((local, i) => localValue(at(types, i), local));
  }

  #isStoredPerThread(id: LocalId): boolean {
    const { context, inductions } = this.#input;
    return context.uniformity.varying.has(id) && !isRecomputed(context, id) && !inductions.has(id);
  }

  /** The value of a local when a thread starts. */
  #begin(id: LocalId, scope: WasmScope): void {
    const { context, assigned, before, inductions, isShared } = this.#input;
    const type = localType(context, id);
    if (isRecomputed(context, id)) return;
    const induction = inductions.get(id);
    if (induction !== undefined) {
      this.#setAll(id, [this.#induction(induction, scope.ahead)], scope);
      return;
    }
    if (!context.uniformity.varying.has(id)) {
      if (!assigned.has(id)) return;
      const begun = variables(context, id).map((name) => `begin_${name}`);
      this.#setAll(
        id,
        isShared(id) ? paramValues(type, begun, { fn: this.#fn, region: this.#region }) : this.#zero(id),
        scope,
      );
    } else if (before.has(id)) this.#setAll(id, this.#frameValues.loadEach(id), scope);
    else this.#setAll(id, this.#zero(id), scope);
  }

  #zero(id: LocalId): Components {
    return componentTypes(localType(this.#input.context, id)).map((type) => value(type, ...zeros[type]));
  }

  #setAll(id: LocalId, values: Components, scope: WasmScope): void {
    scope.local(id).forEach((local, i) => scope.code.push(...at(values, i).code, set(local)));
  }

  #induction({ local, base, step }: Induction, ahead: number): WasmValue {
    const { context, tracker } = this.#input;
    const kind = scalarOf(localType(context, local)) ?? 'u32';
    tracker.define(local, { kind, base, step });
    if (kind === 'u32' || kind === 'i32') {
      const start = get(this.#fn.param(base, 'i32'));
      const moved: WasmCode = step === 0 ? [] : [...times(this.#thread, step), op('i32.add')];
      return value('i32', start, ...moved, ...(ahead === 0 ? [] : [i32(ahead * step), op('i32.add')]));
    }
    const thread: WasmCode = ahead === 0 ? this.#thread.code : [...this.#thread.code, i32(ahead), op('i32.add')];
    const moved: WasmCode = [...thread, op('f64.convert_i32_u'), f64(step), op('f64.mul'), op('f64.add')];
    const sum: WasmCode = [get(this.#fn.param(base, 'f64')), ...moved];
    return kind === 'addr' ? value('f64', ...sum) : value('i64', ...sum, op('i64.trunc_sat_f64_s'));
  }

  #recompute(scope: WasmScope): void {
    const { context, mentioned, assigned, tracker } = this.#input;
    for (const id of settledOf(context, mentioned, assigned)) {
      const of = context.recomputable.get(id);
      if (of === undefined) continue;
      const values = emitExpression(of, { ...statementScope(scope, [of]), code: scope.code });
      this.#setAll(id, values, scope);
    }
    for (const id of recomputedOf(context, mentioned)) {
      const of = context.recomputable.get(id);
      if (of === undefined) continue;
      const values = emitExpression(of, { ...statementScope(scope, [of]), code: scope.code });
      this.#setAll(id, values, scope);
      scope.regions.set(id, values[1]);
      tracker.assign(id, of);
    }
  }

  #callText(name: string): readonly string[] {
    const { faults, peerTables } = this.#region;
    for (const [write, offset] of peerTables) this.#frameValues.copyIn.push(`${write}, (frame + ${offset}) / 8);`);
    const call = `compiled.${name}(${this.#fn.args.join(', ')})`;
    if (this.#input.isRow) {
      return [
        'for (let from = 0, end = 0; from < count; from = end) {',
        `end = Math.min(from + ${PIECE}, count);`,
        `${call};`,
        '}',
      ];
    }
    if (this.#input.context.traced) this.#frameValues.copyIn.push('tracing.cta = cta.trace;');
    if (faults.length === 0) return [...this.#frameValues.copyIn, `${call};`, ...this.#frameValues.copyOut];
    const report = [
      `function ${name}_fault(cta, number) {`,
      'const t = host.heap.u32[frame >>> 2];',
      'switch (number) {',
      ...faults.flatMap((statement, i) => [`case ${i + 1}:`, statement, 'break;']),
      '}',
      '}',
    ];
    this.#input.text.functions.push(report.join('\n'));
    return [
      ...this.#frameValues.copyIn,
      `const number = ${call};`,
      `if (number !== 0) ${name}_fault(cta, number);`,
      ...this.#frameValues.copyOut,
      ...(this.#input.points.size > 0 ? ['if (cta.at !== 0) return true;'] : []),
    ];
  }
}

/**
 * Returns the locals that have no value before the statements, and that only one statement sets.
 */
function setOnce(statements: Body, before: ReadonlySet<LocalId>): ReadonlySet<LocalId> {
  const counts = new Map<LocalId, number>();
  walkBody(statements, {
    statement: (s) => {
      const target = statementTarget(s);
      if (target !== undefined) counts.set(target, (counts.get(target) ?? 0) + 1);
    },
  });
  return new Set([...counts].filter(([id, count]) => count === 1 && !before.has(id)).map(([id]) => id));
}
