import { NcclError } from '@nccl-ts/core';
import type { Expression, FieldExpression } from '@nccl-ts/ir';

import { handleField, helper, stringText } from './context.ts';
import { wrap } from './emit-operation.ts';
import type { EmitScope } from './scope.ts';
import { scalarOf } from './types.ts';

/** Returns the JavaScript object that implements a handle. */
export function handleText(e: Expression, scope: EmitScope): string {
  if (e.kind === 'param') return `p${e.param}`;
  if (e.kind === 'local') return scope.local(e.local)[0] ?? 'null';
  if (e.kind === 'field') {
    const name = stringText(scope.context, e.field);
    return read(e.base, `${helper(scope.context, 'windowField')}(${handleText(e.base, scope)}, ${name})`, scope);
  }
  if (e.kind === 'intrinsic') return handleText(e.expansion, scope);
  if (e.kind === 'select') {
    throw new NcclError('NCCLTS_NOT_SUPPORTED', 'The simulator cannot choose between handles at run time.');
  }
  throw new NcclError('NCCL_INTERNAL_ERROR', `A handle cannot come from an expression of kind ${e.kind}.`);
}

/** Returns the text of a field of `base`: a constant of the launch, unless it is a local. */
function read(base: Expression, text: string, scope: EmitScope): string {
  return isOfLaunch(base) ? handleField(scope.context, text) : text;
}

function isOfLaunch(e: Expression): boolean {
  if (e.kind === 'intrinsic') return isOfLaunch(e.expansion);
  return e.kind === 'param' || (e.kind === 'field' && isOfLaunch(e.base));
}

/**
 * Returns a field's value. Handles hold numbers. Types with another representation in JavaScript
 * are converted.
 */
export function field(e: FieldExpression, scope: EmitScope): string {
  if (e.type.kind === 'handle') return handleText(e, scope);
  const kind = scalarOf(e.type);
  const name = stringText(scope.context, e.field);
  const number = read(e.base, `${helper(scope.context, 'numberField')}(${handleText(e.base, scope)}, ${name})`, scope);
  if (kind === 'bool') return `(${number} !== 0)`;
  if (kind === 'i64' || kind === 'u64') return wrap(kind, `BigInt(${number})`);
  return kind === undefined ? number : wrap(kind, number);
}
