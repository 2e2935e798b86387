import type {
  AssignmentExpression,
  AssignmentOperator,
  BinaryExpression,
  BinaryOperator,
  Expression,
  LogicalExpression,
  LogicalOperator,
  UnaryOperator,
  UpdateOperator,
} from 'acorn';
import { parsePrivateName } from './parse-name.ts';
import { parsePrimary } from './parse-primary.ts';
import { parseSubscripts } from './parse-subscripts.ts';
import { toPattern } from './to-pattern.ts';
import type { TokenCursor } from './token-cursor.ts';

/** How strongly operators bind: those of a row alike, and more than those of the row before. */
const ROWS: readonly (readonly (BinaryOperator | LogicalOperator)[])[] = [
  ['||', '??'],
  ['&&'],
  ['|'],
  ['^'],
  ['&'],
  ['==', '!=', '===', '!=='],
  ['<', '>', '<=', '>=', 'instanceof', 'in'],
  ['<<', '>>', '>>>'],
  ['+', '-'],
  ['*', '/', '%'],
  ['**'],
];

const BINARY = new Map<string, { readonly operator: BinaryOperator | LogicalOperator; readonly strength: number }>(
  ROWS.flatMap((row, strength) => row.map((operator) => [operator, { operator, strength }] as const)),
);
const RELATION = 6;
const POWER = 10;

const UNARY = byText<UnaryOperator>(['-', '+', '!', '~', 'typeof', 'void', 'delete']);
const UPDATE = byText<UpdateOperator>(['++', '--']);
const ASSIGNMENT = byText<AssignmentOperator>([
  '=',
  '+=',
  '-=',
  '*=',
  '/=',
  '%=',
  '<<=',
  '>>=',
  '>>>=',
  '|=',
  '^=',
  '&=',
  '**=',
  '||=',
  '&&=',
  '??=',
]);

function byText<T extends string>(operators: readonly T[]): ReadonlyMap<string, T> {
  return new Map(operators.map((operator) => [operator, operator]));
}

export function parseExpression(p: TokenCursor, noIn = false): Expression {
  const { start } = p.token;
  const first = parseAssignment(p, noIn);
  if (!p.is(',')) return first;
  const expressions = [first];
  while (p.takes(',')) expressions.push(parseAssignment(p, noIn));
  return { type: 'SequenceExpression', start, end: p.lastEnd, expressions };
}

/** Parses an expression without a comma. */
export function parseAssignment(p: TokenCursor, noIn = false): Expression {
  if (p.context.isGenerator && p.isWord('yield')) return parseYield(p, noIn);
  const { start } = p.token;
  const target = parseConditional(p, noIn);
  const operator = operatorAt(p, ASSIGNMENT);
  if (operator === undefined || isBareArrow(p, target)) return target;
  p.take();
  const right = parseAssignment(p, noIn);
  const left = toPattern(p, target, operator === '=');
  return { type: 'AssignmentExpression', start, end: p.lastEnd, operator, left, right } satisfies AssignmentExpression;
}

function parseYield(p: TokenCursor, noIn: boolean): Expression {
  const { start } = p.take();
  const { kind, isAfterNewline } = p.token;
  const isAlone = isAfterNewline || kind === 'end' || [')', ']', '}', ',', ';', ':'].some((one) => p.is(one));
  const delegate = !isAlone && p.takes('*');
  const argument = isAlone ? null : parseAssignment(p, noIn);
  return { type: 'YieldExpression', start, end: p.lastEnd, delegate, argument };
}

function parseConditional(p: TokenCursor, noIn: boolean): Expression {
  const { start } = p.token;
  const test = parseBinary(p, -1, noIn);
  if (isBareArrow(p, test) || !p.takes('?')) return test;
  const consequent = parseAssignment(p);
  p.expect(':');
  const alternate = parseAssignment(p, noIn);
  return { type: 'ConditionalExpression', start, end: p.lastEnd, test, consequent, alternate };
}

/** Parses operators that bind more than those of row `least`. */
function parseBinary(p: TokenCursor, least: number, noIn: boolean): Expression {
  const { start } = p.token;
  let left = p.token.kind === 'private' ? parseBrandCheck(p) : parseUnary(p);
  while (!isBareArrow(p, left)) {
    const { kind, text } = p.token;
    const found = kind === 'punctuator' || kind === 'word' ? BINARY.get(text) : undefined;
    if (found === undefined || found.strength <= least || (noIn && text === 'in')) break;
    p.take();
    const { operator, strength } = found;
    const right = parseBinary(p, strength === POWER ? strength - 1 : strength, noIn);
    const at = { start, end: p.lastEnd };
    left = isLogical(operator)
      ? ({ type: 'LogicalExpression', ...at, left, operator, right } satisfies LogicalExpression)
      : ({ type: 'BinaryExpression', ...at, left, operator, right } satisfies BinaryExpression);
  }
  return left;
}

function isLogical(operator: BinaryOperator | LogicalOperator): operator is LogicalOperator {
  return operator === '||' || operator === '&&' || operator === '??';
}

/** `#name in object`. */
function parseBrandCheck(p: TokenCursor): Expression {
  const left = parsePrivateName(p);
  const { start } = left;
  if (!p.takesWord('in')) p.fail(undefined, start);
  const right = parseBinary(p, RELATION, false);
  return { type: 'BinaryExpression', start, end: p.lastEnd, left, operator: 'in', right };
}

function parseUnary(p: TokenCursor): Expression {
  const { start } = p.token;
  if (p.context.isAsync && p.takesWord('await')) {
    const argument = parseUnary(p);
    return { type: 'AwaitExpression', start, end: p.lastEnd, argument };
  }
  const operator = operatorAt(p, UNARY);
  if (operator !== undefined) {
    p.take();
    const argument = parseUnary(p);
    return { type: 'UnaryExpression', start, end: p.lastEnd, operator, prefix: true, argument };
  }
  const prefix = operatorAt(p, UPDATE);
  if (prefix !== undefined) {
    p.take();
    const argument = parseUnary(p);
    return { type: 'UpdateExpression', start, end: p.lastEnd, operator: prefix, prefix: true, argument };
  }
  const primary = parsePrimary(p);
  const argument = primary.type !== 'Super' && isBareArrow(p, primary) ? primary : parseSubscripts(p, primary, start);
  const postfix = operatorAt(p, UPDATE);
  if (postfix === undefined || p.token.isAfterNewline || isBareArrow(p, argument)) return argument;
  p.take();
  return { type: 'UpdateExpression', start, end: p.lastEnd, operator: postfix, prefix: false, argument };
}

/** Parses an expression without operators. */
export function parseLeftHandSide(p: TokenCursor): Expression {
  const { start } = p.token;
  const primary = parsePrimary(p);
  return primary.type !== 'Super' && isBareArrow(p, primary) ? primary : parseSubscripts(p, primary, start);
}

function operatorAt<T>({ token: { kind, text } }: TokenCursor, operators: ReadonlyMap<string, T>): T | undefined {
  return kind === 'punctuator' || kind === 'word' ? operators.get(text) : undefined;
}

/** True for an arrow function without parentheses around it. No operator may follow it. */
function isBareArrow(p: TokenCursor, { type, end }: { readonly type: string; readonly end: number }): boolean {
  return type === 'ArrowFunctionExpression' && end === p.lastEnd;
}
