import type { ScalarKind } from '@nccl-ts/core';
import type { BinaryExpression, ConvertExpression, Expression } from '@nccl-ts/ir';
import type { WgslEmitContext } from './context.ts';
import { emitExpression } from './emit-expression.ts';

/** Beyond any buffer, so that an access there is out of bounds. */
const far = '0xffffffffu';

/**
 * Returns a byte offset as a word, for a pointer. A value that does not fit becomes one far outside
 * every window. So the access is reported instead of the arithmetic, because a 32-bit number takes
 * much less work than a checked 53-bit one.
 */
export function emitAddress(e: Expression, c: WgslEmitContext): string {
  switch (e.kind) {
    case 'constant':
      return Number(e.value) < 2 ** 32 ? `${Number(e.value)}u` : far;
    case 'convert':
      return converted(e, c);
    case 'binary':
      return computed(e, c);
    case 'intrinsic':
      return emitAddress(e.expansion, c);
    case 'addressPointer':
    case 'array':
    case 'bitcast':
    case 'builtin':
    case 'compare':
    case 'field':
    case 'lane':
    case 'local':
    case 'logical':
    case 'math':
    case 'multicastPointer':
    case 'multicastSize':
    case 'clusterPointer':
    case 'param':
    case 'pointerCast':
    case 'pointerOffset':
    case 'select':
    case 'unary':
    case 'unicastPointer':
    case 'vector':
    case 'windowPointer':
    case 'withLane':
      return narrowed(emitExpression(e, c), c);
  }
}

function converted(e: ConvertExpression, c: WgslEmitContext): string {
  const kind: ScalarKind | undefined = e.operand.type.kind === 'scalar' ? e.operand.type.scalar : undefined;
  const operand = (): string => emitExpression(e.operand, c);
  switch (kind) {
    case 'u8':
    case 'u16':
    case 'u32':
      return operand();
    case 'bool':
      return `select(0u, 1u, ${operand()})`;
    case 'i8':
    case 'i16':
    case 'i32': {
      const name = c.helper(
        'nts_signed_offset',
        () => `fn nts_signed_offset(a: i32) -> u32 {\n  return select(bitcast<u32>(a), ${far}, a < 0i);\n}`,
      );
      return `${name}(${operand()})`;
    }
    case 'u64':
    case 'i64':
      return narrowed(operand(), c);
    case undefined:
    case 'addr':
    case 'bf16':
    case 'e4m3':
    case 'e5m2':
    case 'f16':
    case 'f32':
    case 'f64':
      return narrowed(emitExpression(e, c), c);
  }
}

/** Reduces a number of two words to one. */
function narrowed(text: string, c: WgslEmitContext): string {
  const name = c.helper(
    'nts_wide_offset',
    () => `fn nts_wide_offset(a: vec2u) -> u32 {\n  return select(a.x, ${far}, a.y != 0u);\n}`,
  );
  return `${name}(${text})`;
}

function computed(e: BinaryExpression, c: WgslEmitContext): string {
  if (e.op === 'mul') return multiplied(e, c);
  if (e.op !== 'add' && e.op !== 'sub') return narrowed(emitExpression(e, c), c);
  const [a, b] = [emitAddress(e.left, c), emitAddress(e.right, c)];
  const [name, text] =
    e.op === 'add'
      ? ['nts_add_offset', 'select(a + b, 0xffffffffu, a + b < a)']
      : ['nts_sub_offset', `select(a - b, ${far}, a < b)`];
  c.helper(name, () => `fn ${name}(a: u32, b: u32) -> u32 {\n  return ${text};\n}`);
  return `${name}(${a}, ${b})`;
}

function multiplied(e: BinaryExpression, c: WgslEmitContext): string {
  const [factor, other] = e.left.kind === 'constant' ? [e.left, e.right] : [e.right, e.left];
  if (factor.kind !== 'constant' || Number(factor.value) >= 2 ** 32) return narrowed(emitExpression(e, c), c);
  const value = Number(factor.value);
  if (value === 0) return '0u';
  const name = c.helper(
    'nts_mul_offset',
    () => `fn nts_mul_offset(a: u32, b: u32, most: u32) -> u32 {\n  return select(a * b, ${far}, a > most);\n}`,
  );
  return `${name}(${emitAddress(other, c)}, ${value}u, ${Math.floor((2 ** 32 - 1) / value)}u)`;
}
