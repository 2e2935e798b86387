import { readLocals, type CompareOp, type Expression, type LocalId, type Type } from '@nccl-ts/ir';
import type { WgslExplanation } from '../wgsl-source.ts';
import type { EmitContext } from './context.ts';
import { bitWords } from './emit-collective.ts';
import { emitExpression } from './emit-expression.ts';

type Need = WgslExplanation['needs'][number];

/**
 * Writes what would make `condition` hold: of the first part that does not hold, the value that the other side of its
 * comparison has. Recognised is the rolling form that epochs use: `got - want <= 0x7fffffff` on u32.
 */
export function emitNeeded(condition: Expression, loaded: ReadonlySet<LocalId>, c: EmitContext, needs: Need[]): void {
  if (condition.kind === 'intrinsic') {
    emitNeeded(condition.expansion, loaded, c, needs);
  } else if (condition.kind === 'logical' && condition.op === 'and') {
    const left = emitExpression(condition.left, c);
    c.block(`if (!${left}) {`, () => emitNeeded(condition.left, loaded, c, needs), '} else {');
    c.writer.indented(() => emitNeeded(condition.right, loaded, c, needs));
    c.line('}');
  } else if (condition.kind === 'logical') {
    emitNeeded(condition.left, loaded, c, needs);
    emitNeeded(condition.right, loaded, c, needs);
  } else if (condition.kind === 'compare') {
    comparison(condition.op, condition.left, condition.right, loaded, c, needs);
  } else {
    note({ before: 'true', type: undefined, after: '' }, [], c, needs);
  }
}

const flipped: Readonly<Record<CompareOp, CompareOp>> = { eq: 'eq', ne: 'ne', lt: 'gt', le: 'ge', gt: 'lt', ge: 'le' };
const prefix: Readonly<Record<CompareOp, string>> = { eq: '', ne: 'not ', lt: '< ', le: '<= ', gt: '> ', ge: '>= ' };

function comparison(
  op: CompareOp,
  left: Expression,
  right: Expression,
  loaded: ReadonlySet<LocalId>,
  c: EmitContext,
  needs: Need[],
): void {
  const fromMemory = (e: Expression): boolean => [...readLocals(e)].some((id) => loaded.has(id));
  if (!fromMemory(left) && fromMemory(right)) {
    comparison(flipped[op], right, left, loaded, c, needs);
    return;
  }
  const want = rollingWant(op, left, right);
  const [shown, before, after] =
    want === undefined ? [right, prefix[op], ''] : [want, '', ` (rolling, ${bitsOf(want.type)} bits)`];
  note({ before, type: shown.type, after }, bitWords(shown.type, emitExpression(shown, c), c), c, needs);
}

function note(need: Need, words: readonly string[], c: EmitContext, needs: Need[]): void {
  const number = needs.push(need) - 1;
  c.line(`nts_note_need(${number}u, ${words[0] ?? '0u'}, ${words[1] ?? '0u'});`);
}

function bitsOf(type: Type): number {
  return type.kind === 'scalar' && type.scalar === 'u64' ? 64 : 32;
}

function rollingWant(op: CompareOp, left: Expression, right: Expression): Expression | undefined {
  if (left.kind !== 'binary' || left.op !== 'sub' || right.kind !== 'constant') return undefined;
  const kind = left.type.kind === 'scalar' ? left.type.scalar : undefined;
  const half = kind === 'u32' ? 0x7fffffffn : kind === 'u64' ? 0x7fffffffffffffffn : undefined;
  if (half === undefined) return undefined;
  const limit = BigInt(right.value);
  const rolling = (op === 'le' && limit === half) || (op === 'lt' && limit === half + 1n);
  return rolling ? left.right : undefined;
}
