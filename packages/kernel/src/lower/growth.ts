import type { AnyNode, CallExpression, Identifier, ObjectPattern } from 'acorn';
import { isDeviceFn, isDeviceModule } from '../author/param-guard.ts';
import type { DeviceFn, Use } from '../author/device-fn.ts';
import { childrenOf } from '../capture/node-children.ts';
import type { Declaration } from '../capture/resolve.ts';
import type { Text } from './lowering.ts';
import { knownText } from './text.ts';

/** The limit for chains of device functions. Inlining refuses deeper chains. */
const MAX_DEPTH = 64;

const counted = new WeakMap<DeviceFn<unknown>, Map<string, number>>();

/**
 * Returns a lower bound of the steps that inlining a device function takes. It counts the
 * function's own text, and that of every function that it calls, once for each call. So a chain in
 * which each function calls the previous one twice is refused without inlining it. `atRunTime` are
 * the arguments that have no compile-time value. Both arms of a branch on such a value count. Other
 * branches do not count, because constants may decide them.
 */
export function leastSteps(fn: DeviceFn<unknown>, atRunTime: readonly boolean[], depth = 0): number {
  const key = atRunTime.map(Number).join('');
  const known = counted.get(fn) ?? new Map<string, number>();
  counted.set(fn, known);
  const before = known.get(key);
  if (before !== undefined) return before;
  if (fn.body === undefined || fn.role.kind !== 'inline' || depth > MAX_DEPTH) return 1;
  // A recursive function either ends or is rejected.
  known.set(key, 1);
  const text = knownText(fn.name, fn.body);
  if (text === undefined) return 1;
  const { node } = text.parsed;
  const steps = new Counter(fn, text, atRunTime, depth).of(node.body);
  known.set(key, steps);
  return steps;
}

/** Returns the device function that a name of the first parameter refers to. */
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

/** Counts the steps that lowering the text of one function always takes. */
class Counter {
  readonly #fn: DeviceFn<unknown>;
  readonly #text: Pick<Text, 'parsed' | 'resolution'>;
  readonly #depth: number;
  readonly #taken: ObjectPattern | undefined;
  /** Names without a compile-time value. */
  readonly #late = new Set<Declaration>();

  constructor(
    fn: DeviceFn<unknown>,
    text: Pick<Text, 'parsed' | 'resolution'>,
    atRunTime: readonly boolean[],
    depth: number,
  ) {
    this.#fn = fn;
    this.#text = text;
    this.#depth = depth;
    const [context, ...params] = text.parsed.node.params;
    this.#taken = context?.type === 'ObjectPattern' ? context : undefined;
    // If the second parameter has all arguments, the bound does without them.
    if (fn.role.kind === 'inline' && fn.role.names !== undefined) return;
    params.forEach((param, i) => {
      if (atRunTime[i] === true) this.#addLate(param);
    });
  }

  #addLate(pattern: AnyNode): void {
    const declared = pattern.type === 'Identifier' ? this.#text.resolution.of.get(pattern) : undefined;
    if (declared?.assigned === false) this.#late.add(declared);
  }

  /** True if an expression certainly has no compile-time value. */
  #isLate(node: AnyNode): boolean {
    switch (node.type) {
      case 'Identifier': {
        const declared = this.#text.resolution.of.get(node);
        if (declared === undefined) return false;
        return this.#late.has(declared) || (declared.kind === 'variable' && declared.assigned);
      }
      case 'ParenthesizedExpression':
        return this.#isLate(node.expression);
      case 'BinaryExpression': {
        const [left, right] = [this.#isLate(node.left), this.#isLate(node.right)];
        // A comparison with `undefined`, or with an optional argument, is decided at compile time.
        return left ? right || node.right.type === 'Literal' : right && node.left.type === 'Literal';
      }
      case 'LogicalExpression':
        return this.#isLate(node.left) && this.#isLate(node.right);
      default:
        return false;
    }
  }

  of(node: AnyNode): number {
    switch (node.type) {
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
      case 'FunctionDeclaration':
      case 'ForOfStatement':
      case 'DoWhileStatement':
        return 1;
      case 'ForStatement':
      case 'WhileStatement':
        return 1 + (node.test && this.#isLate(node.test) ? this.of(node.body) : 0);
      case 'IfStatement':
      case 'ConditionalExpression': {
        const both = this.#isLate(node.test) ? [node.consequent, node.alternate] : [];
        return both.reduce((sum, one) => sum + (one ? this.of(one) : 0), 1 + this.of(node.test));
      }
      case 'LogicalExpression':
        return 1 + this.of(node.left) + (this.#isLate(node.left) ? this.of(node.right) : 0);
      case 'BlockStatement':
        return this.#block(node.body);
      case 'VariableDeclarator':
        if (node.init && this.#isLate(node.init)) this.#addLate(node.id);
        return this.#children(node);
      case 'CallExpression':
        return this.#children(node) + this.#call(node);
      default:
        return this.#children(node);
    }
  }

  #block(statements: readonly AnyNode[]): number {
    let steps = 1;
    for (const statement of statements) {
      steps += this.of(statement);
      // The following statements may be unreachable.
      if (!this.#mayContinue(statement)) break;
    }
    return steps;
  }

  #mayContinue(node: AnyNode): boolean {
    switch (node.type) {
      case 'VariableDeclaration':
      case 'ExpressionStatement':
        return true;
      case 'IfStatement':
        return !node.alternate && this.#isLate(node.test);
      case 'ForStatement':
      case 'WhileStatement':
        return node.test !== null && node.test !== undefined && this.#isLate(node.test);
      default:
        return false;
    }
  }

  #children(node: AnyNode): number {
    return childrenOf(node).reduce((steps, child) => steps + this.of(child), 1);
  }

  /** The steps of the device function that is called, if it is one. */
  #call({ callee, arguments: given }: CallExpression): number {
    const [from, member] =
      callee.type === 'Identifier'
        ? [callee, undefined]
        : callee.type === 'MemberExpression' &&
            !callee.computed &&
            callee.object.type === 'Identifier' &&
            callee.property.type === 'Identifier'
          ? [callee.object, callee.property.name]
          : [undefined, undefined];
    if (from === undefined || this.#text.resolution.of.get(from)?.kind !== 'param') return 0;
    const called = usedFunction(this.#fn.use, this.#taken, from, member);
    if (called === undefined) return 0;
    const spread = given.findIndex(({ type }) => type === 'SpreadElement');
    const clear = spread === -1 ? given : given.slice(0, spread);
    return leastSteps(
      called,
      clear.map((one) => this.#isLate(one)),
      this.#depth + 1,
    );
  }
}
