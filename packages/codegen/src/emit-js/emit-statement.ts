import { at, NcclError } from '@nccl-ts/core';
import {
  assignedLocals,
  constant,
  dispatchStatement,
  statementExpressions,
  timesWaitsOnly,
  isCounted,
  type Body,
  type CollectiveStatement,
  type Expression,
  type LocalId,
  type LoopStatement,
  type Span,
  type Statement,
  type StatementTable,
} from '@nccl-ts/ir';

import { helper, site, stringText, type Components } from '../emit-shared/context.ts';
import { isRecomputed } from '../emit-shared/frame.ts';
import { emitAtomic, emitLoad, emitStore, releaseScope } from './emit-access.ts';
import { emitPrimitive } from './emit-primitive.ts';
import { emitExpression, emitOne } from '../emit-shared/emit-expression.ts';
import { literal } from '../emit-shared/literals.ts';
import {
  isInnermost,
  MOST_AHEAD,
  pausesIn,
  ROUNDS_FREE,
  ROUNDS_GUESSED,
  roundsAhead,
  type Pieces,
} from '../emit-shared/pausing.ts';
import { emitEntered } from './emit-entered.ts';
import { positionMark } from './source-map.ts';
import { atom, branchScope, fresh, isAtom, statementScope, type EmitScope } from '../emit-shared/scope.ts';

/** Adds one thread's code for `body` to `scope.code`. */
export function emitBody(body: Body, scope: EmitScope): void {
  if (scope.entry !== undefined) emitEntered(body, scope, scope.entry, { emitBody, countRound });
  else for (const statement of body) emitStatement(statement, scope);
}

export function emitStatement(statement: Statement, outer: EmitScope): void {
  const scope = { ...statementScope(outer, statementExpressions(statement)), span: statement.span };
  const { markedSpans } = outer.context;
  const first = outer.code.length;
  dispatchStatement(table, statement, scope);
  const line = outer.code[first];
  if (markedSpans !== undefined && line !== undefined)
    outer.code[first] = line + positionMark(markedSpans.push(statement.span) - 1);
}

/**
 * Sets the variables of a local. If there are several, and their texts may read them, all values
 * are computed first.
 */
export function setLocal(local: LocalId, values: Components, scope: EmitScope): void {
  const names = scope.local(local);
  const stored =
    names.length > 1
      ? values.map((text) => (isAtom(text) && !names.includes(text) ? text : copy(scope, text)))
      : values;
  names.forEach((name, i) => scope.code.push(`${name} = ${at(stored, i)};`));
}

function copy(scope: EmitScope, text: string): string {
  const name = fresh(scope);
  scope.code.push(`const ${name} = ${text};`);
  return name;
}

function assign(local: LocalId, value: Expression | undefined, components: Components, scope: EmitScope): void {
  setLocal(local, components, scope);
  scope.track?.assign(local, value);
}

function blocking(statement: Statement): never {
  throw new NcclError('NCCL_INTERNAL_ERROR', `A '${statement.kind}' is in code in which no thread can stop.`);
}

const table: StatementTable<EmitScope, void> = {
  assign: (s, scope) => {
    if (!isRecomputed(scope.context, s.local)) assign(s.local, s.value, emitExpression(s.value, scope), scope);
  },
  load: (s, scope) => assign(s.local, undefined, emitLoad(s, scope), scope),
  store: (s, scope) => emitStore(s, scope),
  atomic: (s, scope) => {
    const old = emitAtomic(s, scope);
    if (s.local !== undefined) assign(s.local, undefined, old, scope);
  },
  // One JavaScript thread runs everything, so its memory is always in order.
  fence: (s, scope) => {
    if (scope.watched && s.access.order !== 'relaxed') {
      scope.code.push(`cta.watch.fence(${scope.thread}, '${s.access.order}', '${s.access.scope}');`);
    }
    // GPUs have one fence for all orders. Within a CTA it does not wait for memory.
    if (scope.traced && s.access.order !== 'relaxed' && s.access.scope !== 'block') {
      const isTogether = scope.context.uniformity.divergence(s) === undefined;
      scope.code.push(
        `cta.trace.fence(${scope.thread}, ${site(scope.context, s.span, s.kind)}, ${isTogether}, '${releaseScope(s.access.scope)}');`,
      );
    }
    // Only a thread that asks the network is sure to see its writes.
    if (scope.context.usesNetwork && s.access.order !== 'release' && s.access.order !== 'relaxed') {
      scope.code.push('host.network.fence();');
    }
  },
  fenceProxy: (s, scope) => {
    if (!scope.watched) return;
    if (s.proxy === 'alias') scope.code.push(`cta.watch.fenceProxy(${scope.thread});`);
    else {
      const words = [s.producer, s.consumer, s.access.order, s.access.scope].map((word) => `'${word}'`);
      scope.code.push(`cta.watch.fenceFabric(${scope.thread}, ${words.join(', ')});`);
    }
  },
  sync: blocking,
  wait: blocking,
  waitAll: blocking,
  collective: (s, scope) => {
    if (s.op !== 'activeMask') blocking(s);
    assign(s.local, undefined, [activeMask(s, scope)], scope);
  },
  if: (s, scope) => {
    const condition = emitOne(s.condition, scope);
    const then = branch(s.then, scope);
    const otherwise = branch(s.else, scope);
    scope.code.push(`if (${condition}) {`, ...then);
    if (otherwise.length > 0) scope.code.push('} else {', ...otherwise);
    scope.code.push('}');
    scope.track?.forget(assignedLocals([s]));
  },
  loop: (s, scope) => loop(s, scope),
  break: (_, scope) => void scope.code.push(scope.jumps.break),
  continue: (_, scope) => void scope.code.push(scope.jumps.continue),
  block: (s, scope) => {
    const inner = branch(s.body, scope);
    scope.code.push(`block${s.label}: {`, ...inner, '}');
    scope.track?.forget(assignedLocals([s]));
  },
  leave: (s, scope) => void scope.code.push(`break block${s.label};`),
  return: (_, scope) => void scope.code.push(scope.jumps.return),
  assert: (s, scope) => {
    const condition = emitOne(s.condition, scope);
    const where = site(scope.context, s.span, s.contract ? 'requires' : 'assert');
    const name = helper(scope.context, s.contract ? 'misuseFault' : 'assertFault');
    const held = atom(scope, condition);
    const failed = branchScope(scope);
    const messageValues = (s.values ?? []).map((value) => emitOne(value, failed));
    const values = messageValues.length === 0 ? '' : `, [${messageValues.join(', ')}]`;
    const fault = `${name}(cta, ${scope.thread}, ${where}, ${stringText(scope.context, s.message)}${values});`;
    if (failed.code.length === 0) scope.code.push(`if (!${held}) ${fault}`);
    else scope.code.push(`if (!${held}) {`, ...failed.code, fault, '}');
  },
  print: (s, scope) => {
    const parts = s.args.flatMap((arg) =>
      typeof arg === 'string' ? [stringText(scope.context, arg)] : printed(arg, scope),
    );
    scope.code.push(`host.print(cta.identity, ${scope.thread}, [${parts.join(', ')}]);`);
  },
  approximate: (s, scope) => {
    if (!scope.watched) return;
    const where = site(scope.context, s.span, 'statement');
    scope.code.push(`cta.watch.approximates(${where}, ${stringText(scope.context, s.how)});`);
  },
  clock: (s, scope) => {
    if (scope.isClockStill === true) {
      assign(s.local, undefined, emitExpression(constant('u64', 0n), scope), scope);
      return;
    }
    assign(s.local, undefined, [`host.clock(${clockArguments(s.span, scope)})`], scope);
  },
  call: (s, scope) => {
    if (s.body !== undefined) {
      emitBody(s.body, scope);
      return;
    }
    const result = emitPrimitive(s, scope);
    if (s.local !== undefined && result !== undefined) assign(s.local, undefined, result, scope);
  },
};

/**
 * For the watch: true if only time limits of waits depend on the clock, and the wait that checks
 * it.
 */
function clockArguments(span: Span, { context, decides }: EmitScope): string {
  if (!context.watched) return '';
  const timesWaits = timesWaitsOnly(context.module);
  if (decides === undefined) return timesWaits ? 'true' : '';
  return `${timesWaits}, { site: ${site(context, span, 'clock')}, cta: cta.identity, thread: t, isLast: ${decides} }`;
}

/**
 * The mask of all lanes of the warp if they cannot have diverged, and otherwise only the thread's
 * own lane, which CUDA allows.
 */
function activeMask(s: CollectiveStatement, scope: EmitScope): string {
  const { mode, threads, uniformity } = scope.context;
  const alone = mode === 'thread' || uniformity.divergence(s) !== undefined;
  if (alone) return `(1 << (${scope.thread} & 31) >>> 0)`;
  return `${helper(scope.context, 'warpMask')}(${scope.thread}, ${threads})`;
}

/** A pointer is printed as its address. */
function printed(arg: Expression, scope: EmitScope): Components {
  const components = emitExpression(arg, scope);
  return arg.type.kind === 'pointer' ? components.slice(0, 1) : components;
}

function branch(body: Body, scope: EmitScope, jumps: EmitScope['jumps'] = scope.jumps): string[] {
  const inner = { ...branchScope(scope), jumps };
  const run = (): void => emitBody(body, inner);
  if (scope.track === undefined) run();
  else scope.track.branch(run);
  return inner.code;
}

/** Every loop has a unique name, because code may be inside a `switch`. */
function loop(s: LoopStatement, scope: EmitScope): void {
  scope.track?.forget(assignedLocals([s]));
  const number = scope.fn.counter++;
  const label = `loop${number}`;
  const body = `body${number}`;
  const { pause } = scope;
  const pauses = pause === undefined ? undefined : pausesIn(s, scope.context.unseen, scope.isInside === true);
  const isAhead = pause !== undefined && (scope.loops ?? 0) > 0 && pauses !== 'rounds';
  if (isAhead && pauses === undefined) scope.code.push(...countAhead(s, scope));
  const head = branchScope(scope);
  const condition = s.condition === undefined ? undefined : emitOne(s.condition, statementInside(s.condition, head));
  const within = { ...scope, loops: (scope.loops ?? 0) + 1 };
  const inner = branch(s.body, within, {
    ...scope.jumps,
    break: `break ${label};`,
    continue: `break ${body};`,
  });
  const update = branch(s.update, scope, { ...scope.jumps, break: `break ${label};` });
  const plain = head.code.length === 0 && condition !== undefined;
  if (typeof pauses === 'object' && pause !== undefined && condition !== undefined) {
    const round = inner.includes(`break ${body};`) ? [`${body}: {`, ...inner, '}'] : inner;
    scope.code.push(
      `${label}: for (;;) {`,
      ...head.code,
      `if (!${condition}) break;`,
      ...pieceHead(s, pauses, `end${number}`, isAhead, scope),
      ...round,
      ...update,
      '}',
      'if (isLast) break;',
      ...look(s, scope, pause(s)),
      '}',
    );
    return;
  }
  scope.code.push(`${label}: while (${plain ? condition : 'true'}) {`);
  if (!plain) scope.code.push(...head.code);
  if (!plain && condition !== undefined) scope.code.push(`if (!${condition}) break;`);
  if (!isCounted(s) || pauses === 'rounds') scope.code.push(...countRound(s, scope));
  if (inner.includes(`break ${body};`)) scope.code.push(`${body}: {`, ...inner, '}');
  else scope.code.push(...inner);
  scope.code.push(...update, '}');
}

/** The start of a piece, up to the head of the loop over its rounds, which ends at `end`. */
function pieceHead(
  s: LoopStatement,
  pieces: Pieces,
  end: string,
  isAhead: boolean,
  scope: EmitScope,
): readonly string[] {
  const { counted, kind, rounds } = pieces;
  const inner = { ...statementScope(branchScope(scope), [counted.bound]), span: s.span };
  const most = emitOne(counted.bound, inner);
  const first = counterOf(counted.local, scope);
  const isBig = kind === 'u64' || kind === 'i64';
  const [all, piece] = [atom(inner, most), isBig ? `${rounds}n` : String(rounds)];
  const next = isBig ? `${first} + ${piece}` : `${first} + ${piece} ${kind === 'u32' ? '>>>' : '|'} 0`;
  const ahead = isBig ? String(ROUNDS_GUESSED) : `${end} - ${first}`;
  return [
    ...inner.code,
    `const isLast = ${all} - ${first} <= ${piece};`,
    `const ${end} = isLast ? ${all} : ${next};`,
    ...(isAhead ? [`const rounds = ${ahead};`, ...comesNearer('rounds')] : []),
    `while (${first} < ${end}) {`,
  ];
}

/** @see roundsAhead */
function countAhead(s: LoopStatement, scope: EmitScope): readonly string[] {
  const counted = roundsAhead(s);
  if (counted === undefined) return [];
  scope.fn.fuel = true;
  scope.fn.look ??= scope.context.unseen;
  if (counted === 'unknown') return comesNearer(String(ROUNDS_GUESSED));
  const { local, bound } = counted;
  const inner = { ...statementScope(branchScope(scope), [bound]), span: s.span };
  const most = emitOne(bound, inner);
  const first = counterOf(local, scope);
  const counting = isInnermost(s)
    ? [`if (rounds > ${ROUNDS_FREE}) {`, ...comesNearer(`Math.min(rounds, ${MOST_AHEAD})`), '}']
    : comesNearer(`Math.min(Math.abs(rounds), ${MOST_AHEAD})`);
  return ['{', ...inner.code, `const rounds = ${most} - ${first};`, ...counting, '}'];
}

/** The variable in which a loop counts. */
function counterOf(local: LocalId, scope: EmitScope): string {
  const [variable] = scope.local(local);
  if (variable === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', 'A loop counts in a local that has no value.');
  return variable;
}

/** Statements that bring the next clock check closer by `rounds`, which `fuel` leaves out. */
export function comesNearer(rounds: string): readonly string[] {
  return [`left -= ${rounds};`, `ahead += ${rounds};`];
}

function statementInside(condition: Expression, head: EmitScope): EmitScope {
  const scope = statementScope(head, [condition]);
  return { ...scope, code: head.code };
}

function countRound(s: LoopStatement, scope: EmitScope): readonly string[] {
  return burnFuel(s, scope, scope.pause?.(s));
}

/**
 * Makes an unbounded loop count its rounds, so that a kernel that never ends is detected. Runs
 * `pause` every so many rounds if the host is late.
 */
export function burnFuel(
  s: { readonly span: Span },
  scope: EmitScope,
  pause: readonly string[] | undefined,
): readonly string[] {
  const { context, thread } = scope;
  const where = site(context, s.span, 'loop');
  scope.fn.fuel = true;
  if (pause !== undefined) return ['if (--left <= 0) {', ...look(s, scope, pause), '}'];
  return [`if (++fuel > ${literal(context.fuel)}) ${helper(context, 'fuelFault')}(cta, ${thread}, ${where});`];
}

/** Runs `pause` if the host is late. */
function look(s: { readonly span: Span }, scope: EmitScope, pause: readonly string[]): readonly string[] {
  const { context, fn, thread } = scope;
  const { unseen } = context;
  fn.fuel = true;
  fn.look = unseen;
  return [
    `fuel += ${unseen} - left - ahead;`,
    `left = ${unseen};`,
    'ahead = 0;',
    `if (fuel > ${literal(context.fuel)}) ${helper(context, 'fuelFault')}(cta, ${thread}, ${site(context, s.span, 'loop')});`,
    `if (${helper(context, 'isLate')}()) {`,
    ...pause,
    '}',
  ];
}
