import { scalarType, type CollectiveOp, type Coop, type Expression, type Span, type Type } from '@nccl-ts/ir';
import type { Lowering } from './lowering.ts';
import { valueOperand, type Operand } from './operand.ts';

/** The arguments of a group operation. The operation determines the type of its result. */
export interface CollectiveParts {
  readonly op: CollectiveOp;
  readonly coop: Coop;
  readonly value?: Expression;
  readonly lane?: Expression;
  readonly span: Span;
}

/** Emits a group operation and returns its result. */
export function emitCollective(l: Lowering, parts: CollectiveParts): Operand {
  const result = l.resultLocal(parts.op, resultType(parts), parts.span);
  l.emit({ kind: 'collective', local: result.local, ...parts });
  return valueOperand(result);
}

function resultType({ op, value }: CollectiveParts): Type {
  switch (op) {
    case 'ballot':
    case 'activeMask':
      return scalarType('u32');
    case 'any':
    case 'all':
      return scalarType('bool');
    case 'bcast':
    case 'shfl':
    case 'shflUp':
    case 'shflDown':
    case 'shflXor':
      return value?.type ?? scalarType('u32');
  }
}
