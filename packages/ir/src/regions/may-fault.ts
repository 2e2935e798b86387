import type { Expression } from '../expression.ts';
import { elementScalar, type Type } from '../type.ts';
import { expressionChildren, isLeaf } from '../visit/children.ts';

/**
 * True if evaluating `expression` can fault, because of a zero divisor, an address out of range, or
 * an element past a vector's end.
 */
export function mayFault(expression: Expression): boolean {
  if (isLeaf(expression)) return false;
  const seen = new Set<Expression>();
  const visit = (e: Expression): boolean => {
    if (seen.has(e)) return false;
    seen.add(e);
    if (faultsItself(e)) return true;
    return (e.kind === 'intrinsic' ? [e.expansion] : expressionChildren(e)).some(visit);
  };
  return visit(expression);
}

function faultsItself(e: Expression): boolean {
  switch (e.kind) {
    case 'binary':
      if (scalarOf(e.type) === 'addr') return true;
      return (e.op === 'div' || e.op === 'rem') && !isFloat(e.type) && !isSafeDivisor(e.right);
    case 'convert':
      return scalarOf(e.type) === 'addr' && !unsignedBelowAddr.has(scalarOf(e.operand.type));
    case 'lane':
      return !isIndexBelow(e.index, e.vector.type);
    case 'withLane':
      return !isIndexBelow(e.index, e.type);
    case 'unicastPointer':
      return true;
    case 'constant':
    case 'local':
    case 'param':
    case 'array':
    case 'builtin':
    case 'field':
    case 'unary':
    case 'compare':
    case 'logical':
    case 'select':
    case 'bitcast':
    case 'math':
    case 'vector':
    case 'windowPointer':
    case 'addressPointer':
    case 'multicastPointer':
    case 'multicastSize':
    case 'clusterPointer':
    case 'pointerOffset':
    case 'pointerCast':
    case 'intrinsic':
      return false;
  }
}

const unsignedBelowAddr: ReadonlySet<string> = new Set(['bool', 'u8', 'u16', 'u32', 'addr']);
const floats: ReadonlySet<string> = new Set(['f16', 'bf16', 'f32', 'f64', 'e4m3', 'e5m2']);

function scalarOf(type: Type): string {
  return type.kind === 'scalar' || type.kind === 'vector' ? elementScalar(type) : type.kind;
}

function isFloat(type: Type): boolean {
  return floats.has(scalarOf(type));
}

function isSafeDivisor(e: Expression): boolean {
  if (e.kind !== 'constant') return e.kind === 'vector' && e.elements.every(isSafeDivisor);
  return e.value !== 0 && e.value !== 0n && e.value !== -1 && e.value !== -1n;
}

function isIndexBelow(index: Expression, type: Type): boolean {
  if (index.kind !== 'constant' || type.kind !== 'vector') return false;
  return Number(index.value) >= 0 && Number(index.value) < type.width;
}
