import { at as itemAt } from '@nccl-ts/core';
import type {
  AnyNode,
  ArrowFunctionExpression,
  BlockStatement,
  FunctionDeclaration,
  FunctionExpression,
  Pattern,
} from 'acorn';
import type { Span } from '@nccl-ts/ir';
import { argumentNames } from '../author/accept.ts';
import type { DeviceFn, Use } from '../author/device-fn.ts';
import { childrenOf } from '../capture/node-children.ts';
import { callReports } from '../diagnose/call-reports.ts';
import { captureReports } from '../diagnose/capture-reports.ts';
import { typeReports } from '../diagnose/type-reports.ts';
import { Environment } from './environment.ts';
import { lowerExpression } from './expression.ts';
import { endsEarly, type FunctionFrame, type Lowering, type Text } from './lowering.ts';
import {
  absent,
  functionOperand,
  nothing,
  poison,
  recordOperand,
  type Argument,
  type CallOperands,
  type FunctionOperand,
  type Operand,
} from './operand.ts';
import { bindPattern } from './pattern.ts';
import { lowerStatements } from './statement.ts';
import { newReturnSlot, returned } from './return-slot.ts';
import { block } from './structure.ts';
import { captureText, reportFree } from './text.ts';
import { contextOperand } from './context.ts';
import { leastSteps } from './growth.ts';
import { bindConstant } from './variable.ts';

/** The limit for nested device functions. No library nests them as deeply. */
const MAX_INLINE_DEPTH = 64;
/**
 * How often a function may appear in arguments of its own call. Beyond this depth it counts as
 * recursion.
 */
const MAX_ACTIVE = 4;

type FunctionNode = ArrowFunctionExpression | FunctionExpression | FunctionDeclaration;

/**
 * Inlines an arrow function or local function of a kernel. It sees the bindings of the call that
 * made it. As in JavaScript, surplus arguments are evaluated and dropped.
 */
export function closureOperand(l: Lowering, node: FunctionNode, name: string): FunctionOperand {
  const { text, call: origin } = l.frame;
  const environment = l.environment;
  if (node.async) l.report(captureReports.asyncBody(l.span({ start: node.start, end: node.start + 'async'.length })));
  if (node.generator) l.report(captureReports.generatorBody(l.span({ start: node.start, end: node.body.start })));
  return functionOperand(name, (call) => {
    return inlineBody(
      l,
      { name, text, node, environment: new Environment(environment), origin, key: node },
      () => call.args,
      call,
    );
  });
}

/**
 * Inlines a device function. Its first parameter holds the built-ins and the names of its own
 * `use`. Surplus arguments are evaluated and dropped.
 */
export function inlineDeviceFn(
  l: Lowering,
  fn: DeviceFn<unknown>,
  args: readonly Argument[],
  call: CallOperands,
  bind: BindArgument = bindConstant,
): Operand {
  if (fn.body === undefined) return poison;
  const atRunTime = args.map(({ operand }) => operand.kind === 'value' && operand.value.kind !== 'constant');
  l.expectSteps(leastSteps(fn, atRunTime), call.span);
  const text = captureText(l, fn.name, fn.body, call.span);
  if (text === undefined) return poison;
  const inlined = { name: fn.name, use: fn.use, key: fn, text };
  const names = namesOf(fn);
  if (names === undefined) return inlineText(l, inlined, () => args, call, bind);
  return inlineText(l, inlined, () => [argumentsByName(l, fn.name, names, args, call, bind)], call, bind);
}

/** The names of the arguments, if the body takes them as one record. */
function namesOf({ role }: DeviceFn<unknown>): readonly string[] | undefined {
  if (role.kind === 'intrinsic') return argumentNames(role.signature.params);
  return role.kind === 'inline' ? role.names : undefined;
}

/** One argument with all arguments of a call as its members. Each of them is bound to its name. */
export function argumentsByName(
  l: Lowering,
  fn: string,
  names: readonly string[],
  args: readonly Argument[],
  call: CallOperands,
  bind: BindArgument = bindConstant,
): Argument {
  const members = names.map((name, index): [string, Operand] => {
    const { operand, span } = args[index] ?? { operand: absent, span: call.span };
    return [name, bindArgument(l, name, operand, span, bind)];
  });
  return { operand: recordOperand(`a call of ${fn}`, members), span: call.span };
}

/**
 * Binds an argument to its name in a body. The argument is computed once, unless the caller has
 * already ensured that.
 */
export type BindArgument = (l: Lowering, name: string, operand: Operand, span: Span) => Operand;

/** Binds an argument that each use may repeat. */
export const asGiven: BindArgument = (_l, _name, operand) => operand;

/** Lowers the kernel's own body into the module. */
export function lowerKernelBody(l: Lowering, name: string, text: Text, args: readonly Operand[], span: Span): void {
  const { node } = text.parsed;
  const frame: FunctionFrame = {
    name,
    text,
    call: undefined,
    kernel: true,
    scopeDepth: 0,
    depth: 0,
    returns: newReturnSlot(),
  };
  l.frames.push(frame);
  const fn: Inlined = { name, text, node, environment: l.environment, origin: undefined, key: node };
  reportAllFree(l, fn);
  l.scoped(span, () => {
    bindParameters(
      l,
      node.params,
      args.map((operand) => ({ operand, span })),
      span,
      bindConstant,
    );
    if (node.body.type === 'BlockStatement') lowerStatements(l, node.body.body);
    else lowerExpression(l, node.body, true);
  });
  l.frames.pop();
}

/**
 * Inlines a captured text with its context and the arguments, which `args` makes in the scope of
 * the body.
 */
export function inlineText(
  l: Lowering,
  fn: { readonly name: string; readonly use: Use; readonly key: object; readonly text: Text },
  args: () => readonly Argument[],
  call: CallOperands,
  bind: BindArgument = bindConstant,
): Operand {
  const context: Argument = { operand: contextOperand(l, fn.name, fn.use, () => call.span), span: call.span };
  const { name, text, key } = fn;
  return inlineBody(
    l,
    { name, text, node: text.parsed.node, environment: new Environment(), origin: call.span, key },
    () => [context, ...args()],
    call,
    bind,
  );
}

interface Inlined {
  readonly name: string;
  readonly text: Text;
  readonly node: FunctionNode;
  readonly environment: Environment;
  /**
   * The call at which the text was inlined; for an arrow function, the call of the enclosing text.
   */
  readonly origin: Span | undefined;
  /** The identity by which recursion is recognised. */
  readonly key: object;
}

function inlineBody(
  l: Lowering,
  fn: Inlined,
  args: () => readonly Argument[],
  call: CallOperands,
  bind: BindArgument = bindConstant,
): Operand {
  // Functions with equal texts share their syntax, so a node alone does not identify one.
  const active = l.calling.filter(({ key, text }) => key === fn.key && text === fn.text).length;
  if (active >= MAX_ACTIVE || l.calling.length >= MAX_INLINE_DEPTH)
    return l.report(callReports.recursion(call.span, fn.name));
  const frame: FunctionFrame = {
    name: fn.name,
    text: fn.text,
    call: fn.origin,
    kernel: false,
    scopeDepth: l.scopes.length,
    depth: l.frames.length,
    returns: newReturnSlot(),
  };
  const outer = l.environment;
  l.calling.push(fn);
  l.frames.push(frame);
  l.environment = fn.environment;
  try {
    reportAllFree(l, fn);
    return l.scoped(call.span, () => {
      bindParameters(l, fn.node.params, args(), call.span, bind);
      return runBody(l, fn.node, frame, call);
    });
  } finally {
    l.environment = outer;
    l.frames.pop();
    l.calling.pop();
  }
}

/** All free names of a text are reported together, at its first call. */
function reportAllFree(l: Lowering, { text, node }: Inlined): void {
  if (node !== text.parsed.node) return;
  const { free, called } = text.resolution;
  for (const name of free) if (!isHarmless(name.name)) reportFree(l, name, called.has(name));
}

/** Names that every text may use. An argument `undefined` counts as not given. */
export function isHarmless(name: string): boolean {
  return name === 'undefined' || name === 'NaN' || name === 'Infinity';
}

function bindParameters(
  l: Lowering,
  params: readonly Pattern[],
  args: readonly Argument[],
  span: Span,
  bind: BindArgument,
): void {
  params.forEach((param, index) => {
    const { operand, span: at } = args[index] ?? { operand: absent, span };
    const name = param.type === 'Identifier' ? param.name : 'argument';
    bindPattern(l, param, bindArgument(l, name, operand, at, bind), at);
  });
}

function bindArgument(l: Lowering, name: string, operand: Operand, span: Span, bind: BindArgument): Operand {
  return operand.kind === 'void' ? l.report(typeReports.noValue(span, 'this argument')) : bind(l, name, operand, span);
}

/** Lowers a body and returns its result. */
function runBody(l: Lowering, node: FunctionNode, frame: FunctionFrame, call: CallOperands): Operand {
  if (node.body.type !== 'BlockStatement') {
    const result = lowerExpression(l, node.body, call.discard);
    return keepPastScope(l, result, l.span(node.body));
  }
  const statements = node.body.body;
  const last = statements.at(-1);
  if (!returnsEarly(node.body)) {
    lowerStatements(l, last?.type === 'ReturnStatement' ? statements.slice(0, -1) : statements);
    if (last?.type !== 'ReturnStatement' || !last.argument) return nothing;
    return keepPastScope(l, lowerExpression(l, last.argument, call.discard), l.span(last.argument));
  }
  const label = l.newLabel();
  frame.returns.label = label;
  const { body } = l.collect(() => {
    frame.returns.out = l.out;
    lowerStatements(l, statements);
  });
  const result = returned(l, frame.returns);
  const { valueless } = frame.returns;
  for (const statement of block(label, body, call.span, l.tooDeep)) l.emit(statement);
  if (result !== undefined && (valueless || !endsEarly(body))) {
    return l.report(callReports.returnsInconsistently(call.span, frame.name));
  }
  return result ?? nothing;
}

/** Computes the result of a body before its sessions end. */
function keepPastScope(l: Lowering, operand: Operand, span: Span): Operand {
  if (operand.kind === 'session') return l.report(callReports.sessionCopied(span));
  const sessions = itemAt(l.scopes, l.scopes.length - 1).sessions.length;
  return sessions > 0 && operand.kind !== 'void' ? bindConstant(l, 'result', operand, span) : operand;
}

const early = new WeakMap<BlockStatement, boolean>();

/**
 * True if a body may return before its end. The result is cached, because device functions are
 * inlined many times.
 */
function returnsEarly(body: BlockStatement): boolean {
  let found = early.get(body);
  if (found === undefined) {
    found = body.body.some((node, i) => returns(node) && (node.type !== 'ReturnStatement' || i < body.body.length - 1));
    early.set(body, found);
  }
  return found;
}

/** True if a statement contains a `return` of the enclosing body. */
function returns(node: AnyNode): boolean {
  if (node.type === 'ReturnStatement') return true;
  if (
    node.type === 'FunctionDeclaration' ||
    node.type === 'FunctionExpression' ||
    node.type === 'ArrowFunctionExpression'
  )
    return false;
  // No other expression contains a statement.
  if (node.type.endsWith('Expression') || node.type === 'ExpressionStatement' || node.type === 'VariableDeclaration')
    return false;
  return childrenOf(node).some(returns);
}
