import type { AnyNode, CallExpression, Identifier, ObjectPattern } from 'acorn';
import { isDeviceFn, isDeviceModule } from '../author/param-guard.ts';
import type { DeviceFn, Use } from '../device-fn.ts';
import { knownText } from './text.ts';

/** Deeper chains of device functions are refused where they are inlined. */
const MAX_DEPTH = 64;

const counted = new WeakMap<DeviceFn<unknown>, number>();

/**
 * A lower bound of the steps that inlining a device function takes: its own text, and that of the
 * functions that it calls for all arguments, once for each call. If each function in a chain calls
 * the previous one twice, this finds that it is too large without inlining it.
 */
export function leastSteps(fn: DeviceFn<unknown>, depth = 0): number {
  const before = counted.get(fn);
  if (before !== undefined) return before;
  if (fn.body === undefined || fn.role.kind !== 'inline' || depth > MAX_DEPTH) return 1;
  // One that comes to itself ends somewhere, or is refused.
  counted.set(fn, 1);
  const text = knownText(fn.name, fn.body);
  if (text === undefined) return 1;
  const { node } = text.parsed;
  const context = node.params[0];
  const taken = context?.type === 'ObjectPattern' ? context : undefined;
  const of = (call: CallExpression): number => {
    const { callee } = call;
    const [from, member] =
      callee.type === 'Identifier'
        ? [callee, undefined]
        : callee.type === 'MemberExpression' &&
            !callee.computed &&
            callee.object.type === 'Identifier' &&
            callee.property.type === 'Identifier'
          ? [callee.object, callee.property.name]
          : [undefined, undefined];
    if (from === undefined || text.resolution.of.get(from)?.kind !== 'param') return 0;
    const called = usedFunction(fn.use, taken, from, member);
    return called === undefined ? 0 : leastSteps(called, depth + 1);
  };
  const steps = stepsOf(node.body, of);
  counted.set(fn, steps);
  return steps;
}

/** The device function that a name of the first parameter refers to. */
function usedFunction(
  use: Use,
  taken: ObjectPattern | undefined,
  { name }: Identifier,
  member: string | undefined,
): DeviceFn<unknown> | undefined {
  for (const property of taken?.properties ?? []) {
    if (property.type !== 'Property' || property.key.type !== 'Identifier') continue;
    if (property.value.type !== 'Identifier' || property.value.name !== name) continue;
    const value: unknown = Object.hasOwn(use, property.key.name) ? use[property.key.name] : undefined;
    if (member === undefined) return isDeviceFn(value) ? value : undefined;
    if (!isDeviceModule(value) || !Object.hasOwn(value.members, member)) return undefined;
    const found: unknown = value.members[member];
    return isDeviceFn(found) ? found : undefined;
  }
  return undefined;
}

/**
 * The steps that lowering always takes. Branches do not count, because constants may decide them,
 * and neither do loops and functions.
 */
function stepsOf(node: AnyNode, of: (call: CallExpression) => number): number {
  switch (node.type) {
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
    case 'FunctionDeclaration':
    case 'ForStatement':
    case 'ForOfStatement':
    case 'WhileStatement':
    case 'DoWhileStatement':
      return 1;
    case 'IfStatement':
    case 'ConditionalExpression':
      return 1 + stepsOf(node.test, of);
    case 'LogicalExpression':
      return 1 + stepsOf(node.left, of);
    case 'BlockStatement': {
      let steps = 1;
      for (const statement of node.body) {
        steps += stepsOf(statement, of);
        // The following statements may never be reached.
        if (statement.type !== 'VariableDeclaration' && statement.type !== 'ExpressionStatement') break;
      }
      return steps;
    }
    default: {
      let steps = node.type === 'CallExpression' ? 1 + of(node) : 1;
      for (const child of Object.values(node)) {
        for (const one of Array.isArray(child) ? child : [child]) if (isNode(one)) steps += stepsOf(one, of);
      }
      return steps;
    }
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
