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
import { value, type Value } from './function-builder.ts';
import { block, br, brIf, get, i32, lines, op, set, tee, type Code } from './instruction.ts';
import { noteLane } from './packed-elements.ts';
import { branchScope, copy, keep, noteKnown, statementScope, type Components, type WasmScope } from './scope.ts';
import { Unsupported } from './unsupported.ts';

/** Adds one thread's code for `body`. Throws `Unsupported`. */
export function emitBody(body: Body, scope: WasmScope): void {
  for (const statement of body) emitStatement(statement, scope);
}

export function emitStatement(statement: Statement, outer: WasmScope): void {
  const scope = { ...statementScope(outer, statementExpressions(statement)), span: statement.span };
  dispatchStatement(table, statement, scope);
}

/**
 * Sets the locals of a local. If several are set from values that may read them, all are computed
 * first.
 */
function setLocal(local: LocalId, values: Components, scope: WasmScope): void {
  const locals = scope.local(local);
  const kept = locals.length > 1 ? values.map((one) => copy(scope, one)) : values;
  locals.forEach((number, i) => scope.code.push(...(kept[i]?.code ?? []), set(number)));
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
    const values = (s.values ?? []).map((one) => told(one, failed));
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
  clock: unsupported,
  call: (s, scope) => {
    if (s.body === undefined) unsupported(s);
    emitBody(s.body, scope);
  },
};

/**
 * A value in a fault's message, and the JavaScript that shows the value that WebAssembly has left.
 */
function told(e: Expression, scope: WasmScope): { readonly code: Value; shown(text: string): string } {
  const kind = scalarOf(e.type);
  const given = keep(scope, emitOne(e, scope));
  const code = given.type === 'f32' ? value('f64', ...given.code, op('f64.promote_f32')) : given;
  return {
    code,
    shown: (text) => {
      if (kind === 'bool') return `${text} !== 0`;
      if (kind === 'u64') return `BigInt.asUintN(64, ${text})`;
      return kind === 'u32' ? `${text} >>> 0` : text;
    },
  };
}

function branch(body: Body, scope: WasmScope, jumps: WasmScope['jumps'] = scope.jumps): Code {
  const inner = { ...branchScope(scope), jumps };
  // Code that runs only sometimes, or repeatedly, leaves other values.
  scope.lanes.clear();
  scope.track.branch(() => emitBody(body, inner));
  scope.lanes.clear();
  return inner.code;
}

function loop(s: LoopStatement, scope: WasmScope): void {
  scope.track.forget(assignedLocals([s]));
  const [exit, again, round] = [scope.fn.label(), scope.fn.label(), scope.fn.label()];
  const head = branchScope(scope);
  const inside = s.condition === undefined ? head : { ...statementScope(head, [s.condition]), code: head.code };
  const condition = s.condition === undefined ? undefined : emitOne(s.condition, inside);
  const inner = branch(s.body, scope, { ...scope.jumps, break: exit, continue: round });
  const update = branch(s.update, scope, { ...scope.jumps, break: exit });
  scope.code.push(block('block', exit), block('loop', again), ...head.code);
  if (condition !== undefined) scope.code.push(...condition.code, op('i32.eqz'), brIf(exit));
  if (!isCounted(s)) scope.code.push(...burnFuel(s, scope));
  scope.code.push(block('block', round), ...inner, op('end'), ...update, br(again), op('end'), op('end'));
}

/** Loops without a bound count their rounds, so that a kernel that never ends is detected. */
function burnFuel(s: LoopStatement, scope: WasmScope): Code {
  const { context, fn } = scope;
  if (context.fuel >= 2 ** 32) throw new Unsupported('more fuel than 32 bits count');
  const where = site(context, s.span, 'loop');
  const name = helper(context, 'fuelFault');
  return lines(
    [get(fn.fuel), i32(1), op('i32.add'), tee(fn.fuel), i32(context.fuel), op('i32.gt_u')],
    [block('if', fn.label()), ...scope.region.fault(scope.thread, [], (t) => `${name}(cta, ${t}, ${where});`)],
    op('end'),
  );
}
