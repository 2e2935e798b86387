import {
  assignedLocals,
  awaitedLocals,
  bodyReads,
  conditionOf,
  readLocals,
  readsClock,
  reachedOf,
  typeName,
  walkBody,
  wantedWords,
  type Body,
  type Expression,
  type LocalId,
  type WaitAllStatement,
  type WaitStatement,
} from '@nccl-ts/ir';

import { helper, site } from '../emit-shared/context.ts';
import { ADDRESSES } from './emit-access.ts';
import type { JsContext } from './js-context.ts';
import { emitOne } from '../emit-shared/emit-expression.ts';
import { emitBody } from './emit-statement.ts';
import { emitRecomputed, isRecomputed, withOperands } from '../emit-shared/frame.ts';
import {
  addFunction,
  declareZero,
  loadEach,
  sharedFields,
  storeAll,
  storeEach,
  variables,
  type ModuleText,
} from '../emit-shared/module-text.ts';
import { emitNeeded } from './needed.ts';
import { atom, functionText, plainScope, statementScope, type EmitScope } from '../emit-shared/scope.ts';
import { emitWants } from './emit-wants.ts';

/** Names of the functions that belong to a wait. */
export interface WaitFunctions {
  /** `(cta, t, commit)`, or for a `waitAll` `(cta, t, index)`: true if the condition holds. */
  readonly test: string;
  /**
   * `(cta, t)` or `(cta, t, index)`: returns the words that the condition reads, and the values
   * that it waits for.
   */
  readonly explain: string;
  /**
   * `(cta, t)` or `(cta, t, index)`: reports the reads that satisfied the condition to the watch.
   */
  readonly passed: string;
  /** Like `explain`: returns the addresses in global memory that the condition reads. */
  readonly addresses: string;
  /**
   * `(cta, t)`, or for a `waitAll` `(cta, t, index)`: true if what is waited for has come, apart
   * from a limit of time. `undefined` without such a limit.
   */
  readonly reached: string | undefined;
}

/**
 * Adds the functions of a wait. With `commit`, locals in `after` that the body sets are stored when
 * the condition holds.
 */
export function emitWaitFunctions(
  context: JsContext,
  text: ModuleText,
  s: WaitStatement | WaitAllStatement,
  after: ReadonlySet<LocalId>,
): WaitFunctions {
  const number = text.counter++;
  const test = `test${number}`;
  const explain = `explain${number}`;
  emitTest(context, text, s, after, test);
  emitExplain(context, text, s, explain);
  const passed = `passed${number}`;
  if (context.watched) emitPassed(context, text, s, after, passed);
  const addresses = `addresses${number}`;
  if (context.traced) emitAddresses(context, text, s, addresses);
  const reached = context.traced && readsClock(s.body) ? `reached${number}` : undefined;
  if (reached !== undefined) emitReached(context, text, s, reached);
  return { test, explain, passed, addresses, reached };
}

/** Calls of a wait's functions. */
interface WaitCalls {
  readonly test: string;
  readonly addresses: string;
  readonly passed: string;
  /** Absent for a wait without a limit of time. */
  readonly reached: string | undefined;
  /** The waiting thread; -1 for all threads. */
  readonly thread: string;
}

/** Statements that test if one index of a `waitAll` holds now, and record that it has. */
export function latchTexts(context: JsContext, s: WaitAllStatement, call: WaitCalls): readonly string[] {
  const over = waitedTexts(context, s, call);
  return over.length === 0
    ? [`if (${call.test}) latch[i] = 1; else pending++;`]
    : [`if (${call.test}) {`, 'latch[i] = 1;', ...over, '} else pending++;'];
}

/**
 * Statements that report the end of a wait to the trace and the watch, given calls of its
 * functions.
 */
export function waitedTexts(
  context: JsContext,
  s: WaitStatement | WaitAllStatement,
  call: WaitCalls,
): readonly string[] {
  if (context.watched) return [`${call.passed};`];
  if (!context.traced) return [];
  const where = site(context, s.span, s.kind);
  const { thread, addresses, reached, test } = call;
  if (reached === undefined) return [`cta.trace.waited(${thread}, ${where}, ${addresses}, () => ${test});`];
  // Nothing has ended a wait that was given up.
  return [`if (${reached}) cta.trace.waited(${thread}, ${where}, ${addresses}, () => ${reached});`];
}

export function waitScope(
  context: JsContext,
  text: ModuleText,
  s: WaitStatement | WaitAllStatement,
  recorder: string | undefined,
  watched = false,
): EmitScope {
  const fn = functionText();
  const code: string[] = [];
  const assigned = assignedLocals(s.body);
  const reads = withOperands(context, [...bodyReads(s.body), ...readLocals(s.condition)]);
  const scope = plainScope(context, fn, (id) => variables(context, id), {
    code,
    span: s.span,
    jumps: { break: 'break;', continue: 'continue;', return: 'return false;' },
    traced: false,
    watched,
    recorder,
  });
  for (const id of new Set([...reads, ...assigned])) {
    if (isRecomputed(context, id)) continue;
    if (s.kind === 'waitAll' && id === s.index)
      code.push(...variables(context, id).map((name) => `let ${name} = index;`));
    else if (assigned.has(id)) code.push(...declareZero(context, id));
    else if (context.mode === 'cta' && !context.uniformity.varying.has(id)) {
      code.push(...sharedFields(context, text, id).map(({ field, variable }) => `const ${variable} = ${field};`));
    } else code.push(...loadEach(context, text, fn, id));
  }
  emitRecomputed(reads, scope);
  return scope;
}

function emitTest(
  context: JsContext,
  text: ModuleText,
  s: WaitStatement | WaitAllStatement,
  after: ReadonlySet<LocalId>,
  name: string,
): void {
  const scope: EmitScope = {
    ...waitScope(context, text, s, undefined),
    decides: s.kind === 'wait' ? 'commit' : 'true',
  };
  emitBody(s.body, scope);
  const condition = emitOne(s.condition, { ...statementScope(scope, [s.condition]), code: scope.code });
  if (s.kind === 'waitAll') {
    scope.code.push(`return ${condition};`);
    addFunction(text, name, ['cta', 't', 'index'], scope.fn, scope.code);
    return;
  }
  scope.code.push(`if (!${condition}) return false;`);
  const kept = [...assignedLocals(s.body)].filter((id) => after.has(id) && !isRecomputed(context, id));
  if (kept.length > 0) {
    const store = (id: LocalId): readonly string[] => {
      if (context.mode === 'thread') return storeEach(context, text, scope.fn, id);
      if (context.uniformity.varying.has(id)) return storeAll(context, text, id);
      return sharedFields(context, text, id).map(({ field, variable }) => `${field} = ${variable};`);
    };
    scope.code.push('if (commit) {', ...kept.flatMap(store), '}');
  }
  scope.code.push('return true;');
  addFunction(text, name, ['cta', 't', 'commit'], scope.fn, scope.code);
}

function emitExplain(context: JsContext, text: ModuleText, s: WaitStatement | WaitAllStatement, name: string): void {
  const scope: EmitScope = { ...waitScope(context, text, s, 'words'), awaited: awaitedLocals(s) };
  scope.code.unshift('const words = [];');
  emitBody(s.body, scope);
  scope.code.push("let needed = '';");
  const condition = conditionOf(s);
  emitNeeded(condition, assignedLocals(s.body), { ...statementScope(scope, [condition]), code: scope.code });
  // The barrier of a cluster is no word in memory.
  const isAtCluster = s.body.some((one) => one.kind === 'call' && one.name === 'cluster.isMet');
  if (isAtCluster) scope.code.push(`needed = ${helper(context, 'clusterLacks')}(cta, t);`);
  scope.code.push('return { words, needed };');
  addFunction(text, name, s.kind === 'waitAll' ? ['cta', 't', 'index'] : ['cta', 't'], scope.fn, scope.code);
}

/** Adds the function that tests what is waited for, apart from a limit of time. */
function emitReached(context: JsContext, text: ModuleText, s: WaitStatement | WaitAllStatement, name: string): void {
  const scope: EmitScope = { ...waitScope(context, text, s, undefined), isClockStill: true };
  emitBody(s.body, scope);
  const wanted = reachedOf(s);
  scope.code.push(`return ${emitOne(wanted, { ...statementScope(scope, [wanted]), code: scope.code })};`);
  addFunction(text, name, s.kind === 'waitAll' ? ['cta', 't', 'index'] : ['cta', 't'], scope.fn, scope.code);
}

/** Adds the function that returns the addresses in global memory that a condition reads. */
export function emitAddresses(
  context: JsContext,
  text: ModuleText,
  s: WaitStatement | WaitAllStatement,
  name: string,
): void {
  const scope: EmitScope = { ...waitScope(context, text, s, ADDRESSES), isClockStill: true };
  scope.code.unshift(`const ${ADDRESSES} = [];`);
  emitBody(s.body, scope);
  scope.code.push(`return ${ADDRESSES};`);
  addFunction(text, name, s.kind === 'waitAll' ? ['cta', 't', 'index'] : ['cta', 't'], scope.fn, scope.code);
}

/**
 * Emits the body a second time, for its reads, since they order the code after the wait. It also
 * reports the awaited value of counting words, and the condition on each word.
 */
function emitPassed(
  context: JsContext,
  text: ModuleText,
  s: WaitStatement | WaitAllStatement,
  after: ReadonlySet<LocalId>,
  name: string,
): void {
  const counts = readsCounter(s.body);
  const isTimed = readsClock(s.body);
  const scope = waitScope(context, text, s, counts ? 'words' : undefined, true);
  if (counts) scope.code.unshift('const words = [];');
  scope.code.push('const asked = cta.watch.passes();');
  emitBody(s.body, scope);
  const wanted = reachedOf(s);
  const inner = { ...statementScope(scope, [wanted]), code: scope.code };
  const reached = counts || isTimed ? atom(scope, emitOne(wanted, inner)) : 'true';
  if (counts) scope.code.push(`cta.watch.waited(words, ${reached}, ${excessOf(wanted, inner)});`);
  emitWants(scope, wantedWords(s, after));
  scope.code.push(`cta.watch.passed(${isTimed ? reached : ''});`);
  addFunction(text, name, s.kind === 'waitAll' ? ['cta', 't', 'index'] : ['cta', 't'], scope.fn, scope.code);
}

function readsCounter(body: Body): boolean {
  let found = false;
  walkBody(body, {
    statement: (s) => {
      if (s.kind !== 'load' || s.access === undefined || s.pointer.type.kind !== 'pointer') return;
      const { space, element } = s.pointer.type;
      found ||= space === 'global' && (typeName(element) === 'u32' || typeName(element) === 'u64');
    },
  });
  return found;
}

/**
 * The distance of the value that was read from the smallest sufficient one. It is known for
 * `got >= want`, and for the forms with wrap-around: `got - want <= half`,
 * `((got - want) & mask) <= half`, `i32(got - want) > least`, `i32(want - got) < most`. Otherwise
 * it is `undefined`.
 */
function excessOf(condition: Expression, scope: EmitScope): string {
  if (condition.kind === 'intrinsic') return excessOf(condition.expansion, scope);
  if (condition.kind !== 'compare') return 'undefined';
  const { op, left, right } = condition;
  const kind = typeName(left.type);
  const [a, b] = [(): string => emitOne(left, scope), (): string => emitOne(right, scope)];
  if (kind === 'i32' || kind === 'i64') {
    if (!isSignedDifference(left)) return 'undefined';
    const one = kind === 'i64' ? '1n' : '1';
    if (op === 'gt') return `${a()} - ${b()} - ${one}`;
    if (op === 'ge') return `${a()} - ${b()}`;
    // The smallest value is the one that was subtracted.
    if (op === 'lt') return `${b()} - ${a()} - ${one}`;
    return op === 'le' ? `${b()} - ${a()}` : 'undefined';
  }
  if (kind !== 'u32' && kind !== 'u64') return 'undefined';
  if (op === 'ge') return `${a()} - ${b()}`;
  return (op === 'le' || op === 'lt') && isDifference(left) ? a() : 'undefined';
}

/** True for the difference of two unsigned numbers, converted to a signed one. */
function isSignedDifference(e: Expression): boolean {
  if (e.kind === 'intrinsic') return isSignedDifference(e.expansion);
  return (e.kind === 'convert' || e.kind === 'bitcast') && isDifference(e.operand);
}

function isDifference(e: Expression): boolean {
  if (e.kind === 'intrinsic') return isDifference(e.expansion);
  if (e.kind !== 'binary') return false;
  return e.op === 'sub' || (e.op === 'and' && isDifference(e.left));
}
