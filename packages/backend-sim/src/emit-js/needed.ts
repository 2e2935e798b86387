import { readLocals, type CompareOp, type Expression, type LocalId } from '@nccl-ts/ir';

import { emitOne } from './emit-expression.ts';
import { branchScope, type Scope } from './scope.ts';
import { scalarOf } from './types.ts';

/**
 * Adds statements that set `needed` to what would make `condition` hold, in words: of the first part that does not hold
 * yet, the value that the other side of its comparison has. Recognised is the rolling form that epochs use:
 * `got - want <= 0x7fffffff` on u32.
 */
export function emitNeeded(condition: Expression, loaded: ReadonlySet<LocalId>, scope: Scope): void {
  if (condition.kind === 'intrinsic') {
    emitNeeded(condition.expansion, loaded, scope);
  } else if (condition.kind === 'logical' && condition.op === 'and') {
    const left = emitOne(condition.left, scope);
    const first = branchScope(scope);
    emitNeeded(condition.left, loaded, first);
    const second = branchScope(scope);
    emitNeeded(condition.right, loaded, second);
    scope.code.push(`if (!${left}) {`, ...first.code, '} else {', ...second.code, '}');
  } else if (condition.kind === 'logical') {
    emitNeeded(condition.left, loaded, scope);
    const second = branchScope(scope);
    second.code.push('const first = needed;');
    emitNeeded(condition.right, loaded, second);
    scope.code.push('{', ...second.code, "needed = first + ' or ' + needed;", '}');
  } else if (condition.kind === 'compare') {
    scope.code.push(`needed = ${comparisonText(condition.op, condition.left, condition.right, loaded, scope)};`);
  } else {
    scope.code.push("needed = 'true';");
  }
}

const flipped: Readonly<Record<CompareOp, CompareOp>> = { eq: 'eq', ne: 'ne', lt: 'gt', le: 'ge', gt: 'lt', ge: 'le' };
const prefix: Readonly<Record<CompareOp, string>> = { eq: '', ne: 'not ', lt: '< ', le: '<= ', gt: '> ', ge: '>= ' };

function comparisonText(
  op: CompareOp,
  left: Expression,
  right: Expression,
  loaded: ReadonlySet<LocalId>,
  scope: Scope,
): string {
  const fromMemory = (e: Expression): boolean => [...readLocals(e)].some((id) => loaded.has(id));
  if (!fromMemory(left) && fromMemory(right)) return comparisonText(flipped[op], right, left, loaded, scope);
  const want = rollingWant(op, left, right);
  if (want !== undefined) {
    // Which operand was loaded is seen by the subtraction: got - want.
    return `String(${emitOne(want, scope)}) + ' (rolling, ${scalarOf(want.type) === 'u64' ? 64 : 32} bits)'`;
  }
  return `'${prefix[op]}' + String(${emitOne(right, scope)})`;
}

function rollingWant(op: CompareOp, left: Expression, right: Expression): Expression | undefined {
  if (left.kind !== 'binary' || left.op !== 'sub' || right.kind !== 'constant') return undefined;
  const kind = scalarOf(left.type);
  const half = kind === 'u32' ? 0x7fffffffn : kind === 'u64' ? 0x7fffffffffffffffn : undefined;
  if (half === undefined) return undefined;
  const limit = BigInt(right.value);
  const rolling = (op === 'le' && limit === half) || (op === 'lt' && limit === half + 1n);
  return rolling ? left.right : undefined;
}
