import { NcclError } from '@nccl-ts/core';
import type { Expression, FieldExpression } from '@nccl-ts/ir';

import { helper, stringText } from './context.ts';
import { wrap } from './emit-operation.ts';
import type { Scope } from './scope.ts';
import { scalarOf } from './types.ts';

/** Returns the JavaScript object that implements a handle. */
export function handleText(e: Expression, scope: Scope): string {
  if (e.kind === 'param') return `p${e.param}`;
  if (e.kind === 'local') return scope.local(e.local)[0] ?? 'null';
  if (e.kind === 'field') {
    return `${helper(scope.context, 'windowField')}(${handleText(e.base, scope)}, ${stringText(scope.context, e.field)})`;
  }
  if (e.kind === 'intrinsic') return handleText(e.expansion, scope);
  if (e.kind === 'select') {
    throw new NcclError('NCCLTS_NOT_SUPPORTED', 'The simulator cannot choose between handles at run time.');
  }
  throw new NcclError('NCCL_INTERNAL_ERROR', `A handle cannot come from an expression of kind ${e.kind}.`);
}

/**
 * Returns a field's value. Handles hold numbers. Types with another representation in JavaScript
 * are converted.
 */
export function field(e: FieldExpression, scope: Scope): string {
  if (e.type.kind === 'handle') return handleText(e, scope);
  const kind = scalarOf(e.type);
  const name = stringText(scope.context, e.field);
  const number = `${helper(scope.context, 'numberField')}(${handleText(e.base, scope)}, ${name})`;
  if (kind === 'bool') return `(${number} !== 0)`;
  if (kind === 'i64' || kind === 'u64') return wrap(kind, `BigInt(${number})`);
  return kind === undefined ? number : wrap(kind, number);
}
