import { deviceFn, deviceModule, kernel, unknownValue } from '@nccl-ts/kernel';
import { isNcclError } from '@nccl-ts/core';
import type { Binding, Scope } from '../source/scope.ts';
import { childOf, isFunction, listOf, nameOf, withoutCasts, type SyntaxNode } from '../source/syntax.ts';
import { describingFunctions } from './device-values.ts';
import { memberOf } from './member-of.ts';

/** The values of a module's expressions. See `ModuleText`. */
export interface Values {
  valueOf(node: SyntaxNode, scope: Scope): unknown;
  valueOfBinding(binding: Binding | undefined): unknown;
  bodyOf(node: SyntaxNode): unknown;
}

/** Evaluates an expression without running anything of the author's. See `ModuleText.valueOf`. */
export function evaluate(cast: SyntaxNode, scope: Scope, module: Values): unknown {
  const node = withoutCasts(cast);
  const valueOf = (child: SyntaxNode | undefined): unknown =>
    child === undefined ? unknownValue : module.valueOf(child, scope);
  if (isFunction(node)) return module.bodyOf(node);
  switch (node.type) {
    case 'Literal':
      return node['regex'] === undefined ? node['value'] : unknownValue;
    case 'TemplateLiteral': {
      const [only, ...more] = listOf(node, 'quasis');
      const text = more.length === 0 && only !== undefined ? memberOf(only['value'], 'cooked') : undefined;
      return typeof text === 'string' ? text : unknownValue;
    }
    case 'Identifier': {
      const name = nameOf(node) ?? '';
      return name === 'undefined' ? undefined : module.valueOfBinding(scope.lookUp(name));
    }
    case 'UnaryExpression':
      return unary(String(node['operator']), valueOf(childOf(node, 'argument')));
    case 'BinaryExpression':
      return binary(String(node['operator']), valueOf(childOf(node, 'left')), valueOf(childOf(node, 'right')));
    case 'AwaitExpression':
      // Only descriptions are evaluated, and no description is a promise.
      return unknownValue;
    case 'MemberExpression': {
      const object = childOf(node, 'object');
      const property = childOf(node, 'property');
      const key = node['computed'] === true ? valueOf(property) : nameOf(property);
      return object === undefined || typeof key !== 'string' ? unknownValue : memberOf(valueOf(object), key);
    }
    case 'ObjectExpression':
      return objectOf(listOf(node, 'properties'), valueOf);
    case 'CallExpression':
      return called(valueOf(childOf(node, 'callee')), listOf(node, 'arguments').map(valueOf));
    default:
      return unknownValue;
  }
}

type ValueOf = (node: SyntaxNode | undefined) => unknown;

function objectOf(properties: readonly SyntaxNode[], valueOf: ValueOf): unknown {
  const made: Record<string, unknown> = {};
  for (const property of properties) {
    if (property.type === 'SpreadElement') {
      const spread = valueOf(childOf(property, 'argument'));
      if (typeof spread !== 'object' || spread === null || spread === unknownValue) return unknownValue;
      Object.assign(made, spread);
      continue;
    }
    const key = property['computed'] === true ? undefined : nameOf(childOf(property, 'key'));
    if (key === undefined || property['kind'] !== 'init') return unknownValue;
    made[key] = valueOf(childOf(property, 'value'));
  }
  return made;
}

function unary(operator: string, value: unknown): unknown {
  if (typeof value !== 'number' && typeof value !== 'bigint') {
    return operator === '!' && typeof value === 'boolean' ? !value : unknownValue;
  }
  if (operator === '-') return -value;
  if (operator === '~') return ~value;
  return operator === '+' && typeof value === 'number' ? value : unknownValue;
}

const arithmetic: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
  '**': (a, b) => a ** b,
  '<<': (a, b) => a << b,
  '>>': (a, b) => a >> b,
  '|': (a, b) => a | b,
  '&': (a, b) => a & b,
};

function binary(operator: string, left: unknown, right: unknown): unknown {
  const operation = Object.hasOwn(arithmetic, operator) ? arithmetic[operator] : undefined;
  const known = operation !== undefined && typeof left === 'number' && typeof right === 'number';
  return known ? operation(left, right) : unknownValue;
}

/** These may hold values that are not known; the others need all that they are given. */
const takeUnknown: ReadonlySet<unknown> = new Set<unknown>([deviceFn, deviceModule, kernel]);

function called(callee: unknown, args: readonly unknown[]): unknown {
  if (typeof callee !== 'function' || !describingFunctions.has(callee)) return unknownValue;
  const isKnown = takeUnknown.has(callee)
    ? args.every((arg) => arg !== unknownValue && memberIsKnown(arg, 'use') && memberIsKnown(arg, 'params'))
    : args.every((arg) => isWhollyKnown(arg));
  if (!isKnown) return unknownValue;
  try {
    return Reflect.apply(callee, undefined, named(args)) satisfies unknown;
  } catch (error) {
    // The definition itself is wrong; the types say so, and the first run.
    if (isNcclError(error) || error instanceof TypeError) return unknownValue;
    throw error;
  }
}

/** A definition whose name is known only at run time has a name all the same. */
function named(args: readonly unknown[]): readonly unknown[] {
  return args.map((arg) => {
    const isNameless = typeof arg === 'object' && arg !== null && 'name' in arg && arg.name === unknownValue;
    return isNameless ? { ...arg, name: 'unnamed', apiVersion: undefined } : arg;
  });
}

function memberIsKnown(value: unknown, name: string): boolean {
  return !(typeof value === 'object' && value !== null && Reflect.get(value, name) === unknownValue);
}

/** The limit for nested descriptions. */
const MAX_DEPTH = 12;

function isWhollyKnown(value: unknown, depth = 0): boolean {
  if (value === unknownValue) return false;
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return true;
  return Object.values(value).every((member) => isWhollyKnown(member, depth + 1));
}
