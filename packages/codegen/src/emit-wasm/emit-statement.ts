import { at, NcclError, type ScalarKind } from '@nccl-ts/core';
import {
  assignedLocals,
  dispatchStatement,
  isCounted,
  statementExpressions,
  type Body,
  type Expression,
  type LocalId,
  type LoopStatement,
  type Statement,
  type StatementTable,
} from '@nccl-ts/ir';

import { helper, site, stringText } from '../emit-shared/context.ts';
import { isRecomputed } from '../emit-shared/frame.ts';
import { scalarOf } from '../emit-shared/types.ts';
import { emitAtomic, emitLoad, emitStore } from './emit-access.ts';
import { emitExpression, emitOne } from './emit-expression.ts';
import { value, type WasmValue } from './function-builder.ts';
import { block, br, brIf, get, i32, i64, lines, op, set, tee, type WasmCode, type Instruction } from './instruction.ts';
import { noteLane } from './packed-elements.ts';
import { branchScope, copy, keep, noteKnown, statementScope, type Components, type WasmScope } from './scope.ts';
import { MOST_SAVED } from './region-builder.ts';
import { Unsupported } from '../emit-shared/unsupported.ts';
import { componentTypes, shapeOf } from './types.ts';
import { unpacked } from './emit-packed.ts';
import { localType } from '../emit-shared/context.ts';
import {
  isInnermost,
  MOST_AHEAD,
  pausesIn,
  ROUNDS_FREE,
  ROUNDS_GUESSED,
  roundsAhead,
  type PausePoint,
  type Pieces,
} from '../emit-shared/pausing.ts';
import { localValue } from './function-builder.ts';

/** Adds one thread's code for `body`. @throws Unsupported */
export function emitBody(body: Body, scope: WasmScope): void {
  for (const statement of body) emitStatement(statement, scope);
}

export function emitStatement(statement: Statement, outer: WasmScope): void {
  const scope = { ...statementScope(outer, statementExpressions(statement)), span: statement.span };
  dispatchStatement(table, statement, scope);
}

/**
 * Sets the locals of a local. If there are several, and their values may read them, all values are
 * computed first.
 */
function setLocal(local: LocalId, values: Components, scope: WasmScope): void {
  const locals = scope.local(local);
  const stored = locals.length > 1 ? values.map((one) => copy(scope, one)) : values;
  locals.forEach((number, i) => scope.code.push(...at(stored, i).code, set(number)));
}

function assign(local: LocalId, assigned: Expression | undefined, components: Components, scope: WasmScope): void {
  setLocal(local, components, scope);
  noteKnown(scope, local, components);
  noteLane(local, assigned, scope);
  scope.track.assign(local, assigned);
}

function unsupported(statement: Statement): never {
  throw new Unsupported(statement.kind === 'call' ? statement.name : statement.kind);
}

function jump(label: number | undefined, scope: WasmScope): void {
  if (label === undefined) throw new Unsupported('a jump out of code that runs for several threads at once');
  scope.code.push(br(label));
}

const table: StatementTable<WasmScope, void> = {
  assign: (s, scope) => {
    if (!isRecomputed(scope.context, s.local)) assign(s.local, s.value, emitExpression(s.value, scope), scope);
  },
  load: (s, scope) => assign(s.local, undefined, emitLoad(s, scope), scope),
  store: (s, scope) => emitStore(s, scope),
  atomic: (s, scope) => {
    const old = emitAtomic(s, scope);
    if (s.local !== undefined) assign(s.local, undefined, old, scope);
  },
  fence: (s, scope) => {
    const { order } = s.access;
    if (scope.context.usesNetwork && order !== 'release' && order !== 'relaxed') {
      throw new Unsupported('a fence that calls the network');
    }
    if (scope.context.traced) throw new Unsupported('a fence whose time is recorded');
  },
  fenceProxy: () => {},
  sync: unsupported,
  wait: unsupported,
  waitAll: unsupported,
  collective: unsupported,
  if: (s, scope) => {
    const condition = emitOne(s.condition, scope);
    const then = branch(s.then, scope);
    const otherwise = branch(s.else, scope);
    scope.code.push(...condition.code, block('if', scope.fn.label()), ...then);
    if (otherwise.length > 0) scope.code.push(op('else'), ...otherwise);
    scope.code.push(op('end'));
    scope.track.forget(assignedLocals([s]));
  },
  loop: (s, scope) => loop(s, scope),
  break: (_, scope) => jump(scope.jumps.break, scope),
  continue: (_, scope) => jump(scope.jumps.continue, scope),
  block: (s, scope) => {
    const label = scope.fn.blockLabel(s.label);
    const inner = branch(s.body, scope);
    scope.code.push(block('block', label), ...inner, op('end'));
    scope.track.forget(assignedLocals([s]));
  },
  leave: (s, scope) => {
    if (!scope.fn.hasBlock(s.label)) throw new Unsupported('a jump out of code that runs for several threads at once');
    scope.code.push(br(scope.fn.blockLabel(s.label)));
  },
  return: (_, scope) => {
    scope.code.push(...scope.jumps.return);
  },
  assert: (s, scope) => {
    const condition = emitOne(s.condition, scope);
    const where = site(scope.context, s.span, s.contract ? 'requires' : 'assert');
    const name = helper(scope.context, s.contract ? 'misuseFault' : 'assertFault');
    const message = stringText(scope.context, s.message);
    const failed = branchScope(scope);
    const values = (s.values ?? []).map((one) => valueOfMessage(one, failed));
    const list = (texts: readonly string[]): string =>
      texts.length === 0 ? '' : `, [${texts.map((text, i) => values[i]?.shown(text) ?? text).join(', ')}]`;
    const fault = scope.region.fault(
      scope.thread,
      values.map((one) => one.code),
      (t, texts) => `${name}(cta, ${t}, ${where}, ${message}${list(texts)});`,
    );
    scope.code.push(
      ...lines([...condition.code, op('i32.eqz'), block('if', scope.fn.label())], failed.code, fault, op('end')),
    );
  },
  print: unsupported,
  approximate: () => undefined,
  clock: unsupported,
  call: (s, scope) => {
    if (s.body === undefined) unsupported(s);
    emitBody(s.body, scope);
  },
};

/**
 * Returns a value for a fault's message, and the JavaScript that shows the value which WebAssembly
 * has stored.
 */
function valueOfMessage(e: Expression, scope: WasmScope): { readonly code: WasmValue; shown(text: string): string } {
  const kind = scalarOf(e.type);
  const given = keep(scope, emitOne(e, scope));
  const code = given.type === 'f32' ? value('f64', ...given.code, op('f64.promote_f32')) : given;
  return {
    code,
    shown: (text) => shownAs(kind, text),
  };
}

/** Converts a stored value to JavaScript's. */
function shownAs(kind: ScalarKind | undefined, text: string): string {
  if (kind === 'bool') return `${text} !== 0`;
  if (kind === 'u64') return `BigInt.asUintN(64, ${text})`;
  return kind === 'u32' ? `${text} >>> 0` : text;
}

function branch(body: Body, scope: WasmScope, jumps: WasmScope['jumps'] = scope.jumps): WasmCode {
  const inner = { ...branchScope(scope), jumps };
  // Code that runs only sometimes, or repeatedly, leaves other values behind.
  scope.lanes.clear();
  scope.track.branch(() => emitBody(body, inner));
  scope.lanes.clear();
  return inner.code;
}

function loop(s: LoopStatement, scope: WasmScope): void {
  const point = scope.points.get(s);
  const pauses = point === undefined ? undefined : pausesIn(s, scope.context.unseen, scope.isInside);
  if (scope.isPausing && pauses === undefined) scope.code.push(...countAhead(s, scope));
  scope.track.forget(assignedLocals([s]));
  const [exit, again, round] = [scope.fn.label(), scope.fn.label(), scope.fn.label()];
  const head = branchScope(scope);
  const inside = s.condition === undefined ? head : { ...statementScope(head, [s.condition]), code: head.code };
  const condition = s.condition === undefined ? undefined : emitOne(s.condition, inside);
  const inner = branch(
    s.body,
    { ...scope, isPausing: scope.points.size > 0 },
    { ...scope.jumps, break: exit, continue: round },
  );
  const update = branch(s.update, scope, { ...scope.jumps, break: exit });
  const pause = point === undefined ? undefined : pauseCode(point, scope);
  const leave: WasmCode = condition === undefined ? [] : [...condition.code, op('i32.eqz'), brIf(exit)];
  const rest = lines([block('block', round)], inner, [op('end')], update, [br(again), op('end')]);
  if (pause === undefined) {
    const burn = isCounted(s) ? [] : burnFuel(s, scope);
    scope.code.push(block('block', exit), block('loop', again), ...head.code, ...leave, ...burn, ...rest, op('end'));
    return;
  }
  const { fn } = scope;
  const [looking, look] = [fn.label(), fn.label()];
  if (typeof pauses === 'object') {
    const { begin, isOver, isLast } = piece(s, pauses, scope);
    const code = lines(
      [block('block', exit), block('loop', looking), ...head.code, ...leave, ...begin],
      [block('block', look), block('loop', again), ...isOver, brIf(look)],
      [block('block', round), ...inner, op('end'), ...update, br(again), op('end'), op('end')],
      [...isLast, brIf(exit), ...lookCode(s, pause, scope), br(looking), op('end'), op('end')],
    );
    scope.code.push(...code);
    return;
  }
  // Outside the innermost loop, so the clock check does not take registers from that loop.
  const count: WasmCode = [get(fn.left), i32(1), op('i32.sub'), tee(fn.left), i32(0), op('i32.le_s'), brIf(look)];
  const code = lines(
    [block('block', exit), block('loop', looking), block('block', look), block('loop', again)],
    [...head.code, ...leave, ...count, ...rest, op('end')],
    [...lookCode(s, pause, scope), br(looking), op('end'), op('end')],
  );
  scope.code.push(...code);
}

/**
 * Returns the code that starts a piece of at least one round, and the tests after a round and after
 * a piece.
 */
function piece(
  s: LoopStatement,
  { counted, kind, rounds: most }: Pieces,
  scope: WasmScope,
): { readonly begin: WasmCode; readonly isOver: WasmCode; readonly isLast: WasmCode } {
  const { fn } = scope;
  const type = kind === 'u64' || kind === 'i64' ? 'i64' : 'i32';
  const number = (n: number): Instruction => (type === 'i64' ? i64(BigInt(n)) : i32(n));
  const [local] = scope.local(counted.local);
  if (local === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', 'A loop counts in a local without a value.');
  const [rounds, end] = [fn.local(type), fn.local(type)];
  const inner = { ...statementScope(branchScope(scope), [counted.bound]), span: s.span };
  const bound = emitOne(counted.bound, inner);
  const few: WasmCode = type === 'i64' ? [get(rounds), op('i32.wrap_i64')] : [get(rounds)];
  const begin = lines(
    inner.code,
    [...bound.code, get(local), op(`${type}.sub`), set(rounds)],
    [get(rounds), number(most), get(rounds), number(most), op(`${type}.lt_u`), op('select'), set(rounds)],
    [get(local), get(rounds), op(`${type}.add`), set(end)],
    scope.isPausing ? comesNearer(few, scope) : [],
  );
  return {
    begin,
    isOver: [get(local), get(end), op(`${type}.eq`)],
    isLast: [get(rounds), number(most), op(`${type}.lt_u`)],
  };
}

/** Returns code that brings the next clock check closer by `rounds`, which `fuel` leaves out. */
function comesNearer(rounds: WasmCode, { fn }: WasmScope): WasmCode {
  return lines(
    [get(fn.left), ...rounds, op('i32.sub'), set(fn.left)],
    [get(fn.ahead), ...rounds, op('i32.add'), set(fn.ahead)],
  );
}

/** @see roundsAhead */
function countAhead(s: LoopStatement, scope: WasmScope): WasmCode {
  const counted = roundsAhead(s);
  if (counted === undefined) return [];
  const { fn } = scope;
  const [first] = counted === 'unknown' ? [] : scope.local(counted.local);
  if (counted === 'unknown' || first === undefined) return comesNearer([i32(ROUNDS_GUESSED)], scope);
  const inner = { ...statementScope(branchScope(scope), [counted.bound]), span: s.span };
  const most = emitOne(counted.bound, inner);
  const rounds = fn.local('i32');
  const counting = lines(
    [get(rounds), i32(MOST_AHEAD), get(rounds), i32(MOST_AHEAD), op('i32.lt_u'), op('select'), set(rounds)],
    comesNearer([get(rounds)], scope),
  );
  const many: WasmCode = [get(rounds), i32(ROUNDS_FREE), op('i32.gt_u'), block('if', fn.label())];
  return lines(
    inner.code,
    [...most.code, get(first), op('i32.sub'), set(rounds)],
    isInnermost(s) ? [...many, ...counting, op('end')] : counting,
  );
}

/** Makes an unbounded loop count its rounds, so that a kernel that never ends is detected. */
function burnFuel(s: LoopStatement, scope: WasmScope): WasmCode {
  const { fn } = scope;
  return [get(fn.fuel), i32(1), op('i32.add'), ...spentCode(s, tee(fn.fuel), scope)];
}

/** Runs `pause` every so many rounds if the host is late. */
function lookCode(s: LoopStatement, pause: WasmCode, scope: WasmScope): WasmCode {
  const { context, fn, region } = scope;
  const { unseen } = context;
  return lines(
    [get(fn.fuel), i32(unseen), op('i32.add'), get(fn.left), op('i32.sub'), get(fn.ahead), op('i32.sub')],
    [set(fn.fuel), i32(unseen), set(fn.left), i32(0), set(fn.ahead)],
    spentCode(s, get(fn.fuel), scope),
    [...region.helpers.callGiven('isLate'), block('if', fn.label()), ...pause, op('end')],
  );
}

/** Faults if the loop has run too many rounds, which `fuel` counts. */
function spentCode(s: LoopStatement, fuel: Instruction, scope: WasmScope): WasmCode {
  const { context, fn } = scope;
  if (context.fuel >= 2 ** 32) throw new Unsupported('more fuel than 32 bits can count');
  const where = site(context, s.span, 'loop');
  const name = helper(context, 'fuelFault');
  return lines(
    [fuel, i32(context.fuel), op('i32.gt_u'), block('if', fn.label())],
    scope.region.fault(scope.thread, [], (t) => `${name}(cta, ${t}, ${where});`),
    [op('end')],
  );
}

/**
 * Returns code that stores what the thread needs to continue in the CTA's fields, as JavaScript
 * would, and leaves the function; `undefined` if that is too much.
 */
function pauseCode({ number, savedLocals: stored }: PausePoint, scope: WasmScope): WasmCode | undefined {
  const { context, fn, region } = scope;
  const inner = branchScope(scope);
  const held = stored.flatMap((id) => {
    const type = localType(context, id);
    const kind = type.kind === 'pointer' ? undefined : scalarOf(type);
    const parts = componentTypes(type).map((wasm, i) => localValue(wasm, at(scope.local(id), i)));
    const [packed] = parts;
    const shape = shapeOf(type);
    const elements =
      type.kind !== 'vector' || shape === undefined || packed === undefined
        ? parts
        : unpacked(type, shape, packed, inner);
    return elements.map((element) => ({ kind, value: element }));
  });
  if (held.length >= MOST_SAVED) return undefined;
  const values = held.map(({ value: one }) =>
    one.type === 'f32' ? value('f64', ...one.code, op('f64.promote_f32')) : one,
  );
  const leave = region.pause(scope.thread, [localValue('i32', fn.fuel), ...values], (t, texts) => {
    const list = held.map(({ kind }, i) => shownAs(kind, at(texts, i + 1))).join(', ');
    return `cta.at = ${number}; cta.thread = ${t}; cta.fuel = ${at(texts, 0)} >>> 0; cta.kept = [${list}];`;
  });
  return [...inner.code, ...leave];
}
