import { NcclError } from '@nccl-ts/core';
import type { CallStatement, Expression } from '@nccl-ts/ir';

import { helper, site, stringText, type Components } from './context.ts';
import { handleText } from './emit-field.ts';
import { emitExpression } from './emit-expression.ts';
import type { Scope } from './scope.ts';

/** The primitives that the simulator has, and the support function of each. */
export const primitives: Readonly<Record<string, string>> = Object.freeze({
  'gin.post': 'ginPost',
  'gin.acquire': 'ginAcquire',
  'gin.reset': 'ginReset',
  'gin.release': 'ginRelease',
});

/**
 * A primitive as a call of its support function: the CTA, the thread, the place, then the words and the values of the
 * call in order; a pointer is an address and its region.
 */
export function emitPrimitive(s: CallStatement, scope: Scope): void {
  const name = Object.hasOwn(primitives, s.name) ? primitives[s.name] : undefined;
  if (name === undefined || s.local !== undefined) {
    throw new NcclError('NCCLTS_NOT_SUPPORTED', `The simulator does not implement the primitive ${s.name}.`);
  }
  const words = s.statics.flatMap((given) => (given.kind === 'word' ? [stringText(scope.context, given.word)] : []));
  const values = s.args.flatMap((arg) => argument(arg, scope));
  const caller = ['cta', scope.thread, site(scope.context, s.span, s.name)];
  scope.code.push(`${helper(scope.context, name)}(${[...caller, ...words, ...values].join(', ')});`);
}

function argument(arg: Expression, scope: Scope): Components {
  return arg.type.kind === 'handle' ? [handleText(arg, scope)] : emitExpression(arg, scope);
}
