import { at as itemAt } from '@nccl-ts/core';
import type { Expression as Syntax, ObjectExpression, SpreadElement } from 'acorn';
import { constant, vector, type Span } from '@nccl-ts/ir';
import { callReports } from '../diagnose/call-reports.ts';
import { captureReports } from '../diagnose/capture-reports.ts';
import { typeReports } from '../diagnose/type-reports.ts';
import { lowerAssignment, lowerUpdate } from './assignment.ts';
import { castCall } from './builtin-arithmetic.ts';
import { lowerConditional, lowerLogical } from './choice.ts';
import { closureOperand } from './inline.ts';
import type { Lowering } from './lowering.ts';
import { elementAt, loadFrom, pointerOf } from './memory.ts';
import { memberOf } from './member.ts';
import {
  absent,
  describe,
  literalOperand,
  nothing,
  poison,
  type Argument,
  type CallOperands,
  type Operand,
} from './operand.ts';
import type { SpannedOperand } from './operand.ts';
import { lowerBinary, lowerUnary } from './operator.ts';
import { bindConstant, readCell } from './variable.ts';
import { propertyName } from './property-name.ts';

/**
 * Lowers an expression. Emits its effects in order and returns its value. `discard` means that the
 * value is not used.
 */
export function lowerExpression(l: Lowering, node: Syntax, discard = false): Operand {
  return l.lowerNode(node, () => lowerNode(l, node, discard));
}

function lowerNode(l: Lowering, node: Syntax, discard: boolean): Operand {
  switch (node.type) {
    case 'Identifier':
      return lowerIdentifier(l, node);
    case 'Literal':
      return lowerLiteral(l, node);
    case 'UnaryExpression':
      return lowerUnaryExpression(l, node);
    case 'BinaryExpression':
      return lowerBinaryExpression(l, node);
    case 'LogicalExpression':
      return lowerLogical(l, node, discard);
    case 'ConditionalExpression':
      return lowerConditional(l, node, discard);
    case 'AssignmentExpression':
      return lowerAssignment(l, node, discard);
    case 'UpdateExpression':
      return lowerUpdate(l, node, discard);
    case 'MemberExpression':
      return lowerMember(l, node);
    case 'CallExpression':
      return lowerCall(l, node, discard);
    case 'SequenceExpression': {
      const last = node.expressions.at(-1);
      // Minifiers turn statements into sequences, so each part of a sequence ends its temporaries
      // as a statement does.
      for (const part of node.expressions.slice(0, -1)) lowerWhole(l, part, true);
      return last === undefined ? nothing : lowerExpression(l, last, discard);
    }
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
      return closureOperand(l, node, node.id?.name ?? 'function');
    case 'ObjectExpression':
      return lowerObject(l, node);
    case 'ParenthesizedExpression':
      return lowerExpression(l, node.expression, discard);
    case 'ChainExpression':
      // Nothing can be undefined in a kernel's own body. In a function that it calls, an option may
      // be absent.
      if (l.frame.kernel) {
        const mark = l.span(questionMark(node.expression));
        const next = l.sources[mark.source]?.text.charAt(mark.end);
        return l.report(captureReports.optionalChaining(mark, next === '[' || next === '(' ? '' : '.'));
      }
      return lowerExpression(l, node.expression, discard);
    case 'ArrayExpression':
      return l.report(captureReports.arrayLiteral(l.span(node)));
    case 'TemplateLiteral': {
      const only = node.quasis[0];
      // Minifiers write plain strings as templates.
      if (node.expressions.length === 0 && only !== undefined)
        return { kind: 'word', word: only.value.cooked ?? only.value.raw };
      return l.report(captureReports.templateLiteral(l.span(node)));
    }
    case 'TaggedTemplateExpression':
      return l.report(captureReports.templateLiteral(l.span(node)));
    case 'ThisExpression':
      return l.report(captureReports.thisExpression(l.span(node)));
    case 'NewExpression':
      return l.report(captureReports.newExpression(l.span({ start: node.start, end: node.callee.end })));
    case 'ClassExpression':
      return l.report(captureReports.classDefinition(l.span({ start: node.start, end: node.start + 'class'.length })));
    case 'AwaitExpression':
      return l.report(captureReports.awaitExpression(l.span({ start: node.start, end: node.start + 'await'.length })));
    case 'YieldExpression':
      return l.report(captureReports.generatorBody(l.span({ start: node.start, end: node.start + 'yield'.length })));
    case 'MetaProperty':
    case 'ImportExpression':
      return l.report(captureReports.metaProperty(l.span(node)));
  }
}

/** Lowers an expression, and returns its value with its span. */
export function lowerPlaced(l: Lowering, node: Syntax): SpannedOperand {
  return { operand: lowerExpression(l, node), span: l.span(node) };
}

/** Lowers a whole expression. Unnamed sessions made in it end with it, like temporaries in C++. */
export function lowerWhole(l: Lowering, node: Syntax, discard = false): SpannedOperand {
  const span = l.span(node);
  const sessions = itemAt(l.scopes, l.scopes.length - 1).sessions;
  const mark = sessions.length;
  const operand = lowerExpression(l, node, discard);
  if (sessions.length === mark || (operand.kind === 'session' && !discard)) return { operand, span };
  const stored = discard || operand.kind === 'void' ? operand : bindConstant(l, 'result', operand, span);
  for (const session of sessions.splice(mark).reverse()) session.end(span);
  return { operand: stored, span };
}

function lowerIdentifier(l: Lowering, node: Extract<Syntax, { type: 'Identifier' }>): Operand {
  const declaration = l.frame.text.resolution.of.get(node);
  if (declaration === undefined) {
    if (node.name === 'undefined') return absent;
    if (node.name === 'NaN') return literalOperand(Number.NaN);
    if (node.name === 'Infinity') return literalOperand(Number.POSITIVE_INFINITY);
    // It was reported when the text was captured.
    return poison;
  }
  const binding = l.environment.lookup(declaration);
  if (binding === undefined) return l.report(callReports.noValueYet(l.span(node), node.name));
  if (binding.kind === 'fixed') return binding.operand;
  return readCell(binding.box.cell) ?? l.report(callReports.noValueYet(l.span(node), node.name));
}

function lowerLiteral(l: Lowering, node: Extract<Syntax, { type: 'Literal' }>): Operand {
  const { value } = node;
  switch (typeof value) {
    case 'number':
    case 'bigint':
    case 'boolean':
      return literalOperand(value);
    case 'string':
      return { kind: 'word', word: value };
    default:
      if (node.regex !== undefined) return l.report(captureReports.regularExpression(l.span(node)));
      return l.report(captureReports.nullValue(l.span(node), 'null'));
  }
}

function lowerUnaryExpression(l: Lowering, node: Extract<Syntax, { type: 'UnaryExpression' }>): Operand {
  const { operator } = node;
  switch (operator) {
    case '-':
    case '+':
    case '~':
    case '!':
      return lowerUnary(l, operator, lowerPlaced(l, node.argument), l.span(node));
    case 'void':
      // Minifiers write `void 0` for undefined, and `return void f()` for a call before a return.
      lowerExpression(l, node.argument, true);
      return absent;
    case 'typeof':
      return l.report(
        captureReports.operator(
          l.span({ start: node.start, end: node.start + operator.length }),
          operator,
          'compare types: T === f32',
        ),
      );
    case 'delete':
      return l.report(
        captureReports.operator(
          l.span({ start: node.start, end: node.start + operator.length }),
          operator,
          'values in a kernel have no members that `delete` could remove',
        ),
      );
  }
}

function lowerBinaryExpression(l: Lowering, node: Extract<Syntax, { type: 'BinaryExpression' }>): Operand {
  const span = l.span(node);
  const { operator, left } = node;
  if (left.type === 'PrivateIdentifier') return l.report(captureReports.classDefinition(span));
  switch (operator) {
    case '>>>':
      return l.report(captureReports.unsignedShift(l.operatorSpan(operator, left, node.right)));
    case '**': {
      const first = lowerPlaced(l, left);
      const second = lowerPlaced(l, node.right);
      // Minifiers write large constants as powers of two.
      if (first.operand.kind === 'literal' && second.operand.kind === 'literal')
        return lowerBinary(l, operator, first, second, span);
      return l.report(
        captureReports.operator(
          l.operatorSpan(operator, left, node.right),
          operator,
          'use math.pow(x, y), or multiply',
        ),
      );
    }
    case 'in':
    case 'instanceof':
      return l.report(
        captureReports.operator(
          l.operatorSpan(operator, left, node.right),
          operator,
          'what a thing is is known when the kernel is compiled: compare types, T === f32',
        ),
      );
    default: {
      const first = lowerCompared(l, operator, left);
      const { operand, result } = l.after(first.operand, first.span, () => lowerCompared(l, operator, node.right));
      return lowerBinary(l, operator, { operand, span: first.span }, result, span);
    }
  }
}

/**
 * Lowers an operand of an operator. Minifiers write `x == undefined` as `x == null`, which means
 * the same.
 */
function lowerCompared(l: Lowering, operator: string, node: Syntax): SpannedOperand {
  const isNull = node.type === 'Literal' && node.raw === 'null' && (operator === '==' || operator === '!=');
  return isNull ? { operand: absent, span: l.span(node) } : lowerPlaced(l, node);
}

function lowerMember(l: Lowering, node: Extract<Syntax, { type: 'MemberExpression' }>): Operand {
  const span = l.span(node);
  if (node.object.type === 'Super') return l.report(captureReports.classDefinition(span));
  const object = lowerPlaced(l, node.object);
  if (endsChain(node, object.operand)) return absent;
  if (!node.computed) {
    if (node.property.type !== 'Identifier') return l.report(captureReports.classDefinition(span));
    return memberOf(l, object.operand, node.property.name, l.span(node.property));
  }
  if (node.property.type === 'PrivateIdentifier') return l.report(captureReports.classDefinition(span));
  const { operand, result: index } = l.after(object.operand, object.span, () =>
    lowerPlaced(l, propertyOf(node.property)),
  );
  return lowerIndexed(l, { operand, span: object.span }, index, span);
}

function propertyOf(node: Extract<Syntax, { type: 'MemberExpression' }>['property']): Syntax {
  if (node.type === 'PrivateIdentifier') throw new Error('a private name cannot be an index');
  return node;
}

function lowerIndexed(l: Lowering, object: SpannedOperand, index: SpannedOperand, span: Span): Operand {
  const { operand } = object;
  if (operand.kind === 'poison' || index.operand.kind === 'poison') return poison;
  // Some tools write members as `object['name']`.
  if (index.operand.kind === 'word') return memberOf(l, operand, index.operand.word, index.span);
  const pointer = pointerOf(operand);
  if (pointer === undefined) {
    return l.report(
      operand.kind === 'record'
        ? callReports.dynamicMember(index.span)
        : typeReports.notIndexable(object.span, describe(operand)),
    );
  }
  const at = elementAt(l, pointer, index);
  return at === undefined ? poison : loadFrom(l, at, pointer.type, span);
}

function lowerCall(l: Lowering, node: Extract<Syntax, { type: 'CallExpression' }>, discard: boolean): Operand {
  const span = l.span(node);
  const { callee } = node;
  if (callee.type === 'Super') return l.report(captureReports.classDefinition(span));
  const named = keepNames(l, node);
  if (named !== undefined) return lowerExpression(l, named, discard);
  const args = (): readonly Argument[] => lowerArguments(l, node.arguments);
  const call = (fn: Operand, given: readonly Argument[]): Operand => {
    // The number of arguments that a spread expands to is unknown.
    if (node.arguments.some(({ type }) => type === 'SpreadElement')) return poison;
    return callOperand(l, fn, { args: given, span, discard }, l.span(callee));
  };
  if (
    callee.type !== 'MemberExpression' ||
    callee.computed ||
    callee.object.type === 'Super' ||
    callee.property.type !== 'Identifier'
  ) {
    const fn = lowerExpression(l, callee);
    return endsChain(node, fn) ? absent : call(fn, args());
  }
  // The object of a method is evaluated before its arguments, even if an argument assigns it.
  const { property } = callee;
  const owner = lowerPlaced(l, callee.object);
  if (endsChain(callee, owner.operand)) return absent;
  if (node.optional && memberIsAbsent(owner.operand, property.name)) return absent;
  const settled = l.after(owner.operand, owner.span, args);
  return call(memberOf(l, settled.operand, property.name, l.span(property)), settled.result);
}

/** True if a chain with `?.` ends here because its first value was not given. */
function endsChain(link: Syntax, operand: Operand): boolean {
  return operand.kind === 'absent' && hasQuestionMark(link);
}

/** True if `options.each?.(i)` calls an option that was not given. */
function memberIsAbsent(owner: Operand, name: string): boolean {
  return owner.kind === 'record' && owner.members.get(name)?.kind === 'absent';
}

/** The first `?.` of a chain. */
function questionMark(chain: Syntax): { start: number; end: number } {
  const inner =
    chain.type === 'CallExpression' ? chain.callee : chain.type === 'MemberExpression' ? chain.object : undefined;
  if (inner !== undefined && inner.type !== 'Super' && hasQuestionMark(inner)) return questionMark(inner);
  return inner === undefined ? chain : { start: inner.end, end: inner.end + 2 };
}

function hasQuestionMark(node: Syntax): boolean {
  if (node.type !== 'CallExpression' && node.type !== 'MemberExpression') return false;
  const inner = node.type === 'CallExpression' ? node.callee : node.object;
  return node.optional || (inner.type !== 'Super' && hasQuestionMark(inner));
}

/**
 * Lowers arguments from left to right. If a later argument assigns a variable, earlier arguments
 * keep its old value.
 */
function lowerArguments(l: Lowering, nodes: readonly (Syntax | SpreadElement)[]): readonly Argument[] {
  const [first, ...rest] = nodes;
  if (first === undefined) return [];
  const span = l.span(first);
  const operand = first.type === 'SpreadElement' ? l.report(captureReports.spread(span)) : lowerExpression(l, first);
  const settled = l.after(operand, span, () => lowerArguments(l, rest));
  return [{ operand: settled.operand, span }, ...settled.result];
}

/**
 * Lowers `__name(fn, 'f')` to the function. Build tools insert such calls to keep the names of
 * inner functions.
 */
function keepNames(l: Lowering, node: Extract<Syntax, { type: 'CallExpression' }>): Syntax | undefined {
  const { callee } = node;
  const [fn] = node.arguments;
  if (callee.type !== 'Identifier' || !l.frame.text.resolution.keepNames.has(callee)) return undefined;
  return fn === undefined || fn.type === 'SpreadElement' ? undefined : fn;
}

/** Calls the operand of a callee. */
export function callOperand(l: Lowering, fn: Operand, call: CallOperands, span: Span): Operand {
  switch (fn.kind) {
    case 'function':
      return fn.call(call);
    case 'type': {
      const { type } = fn;
      return castCall(l, type, call, (elements, at) =>
        type.kind === 'vector' ? vector(type, elements, at) : constant('i32', 0),
      );
    }
    case 'poison':
      return poison;
    default:
      return l.report(callReports.notCallable(span, describe(fn)));
  }
}

function lowerObject(l: Lowering, node: ObjectExpression): Operand {
  const members = new Map<string, Operand>();
  const memberSpans = new Map<string, { readonly name: Span; readonly value: Span }>();
  for (const property of node.properties) {
    if (property.type === 'SpreadElement') {
      l.report(captureReports.spread(l.span(property)));
      continue;
    }
    const name = propertyName(property.key);
    if (property.computed || property.kind !== 'init' || name === undefined) {
      l.report(captureReports.objectLiteral(l.span(property)));
      continue;
    }
    const { value } = property;
    const at = l.span(value);
    const isFunction = value.type === 'ArrowFunctionExpression' || (value.type === 'FunctionExpression' && !value.id);
    const operand = isFunction ? closureOperand(l, value, name) : lowerExpression(l, value);
    members.set(name, bindConstant(l, name, operand, at));
    memberSpans.set(name, { name: l.span(property.key), value: at });
  }
  return { kind: 'record', name: 'an object', members, memberSpans };
}
