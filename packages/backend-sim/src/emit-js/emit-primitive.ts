import { NcclError } from '@nccl-ts/core';
import { typeName, type CallStatement, type Expression } from '@nccl-ts/ir';

import { helper, site, stringText, type Components } from '../emit-shared/context.ts';
import { handleText } from '../emit-shared/emit-field.ts';
import { emitExpression } from '../emit-shared/emit-expression.ts';
import type { Scope } from '../emit-shared/scope.ts';

/** The support function behind a primitive, and the type of its result. */
interface SimPrimitive {
  readonly function: string;
  readonly result?: string;
}

/** The primitives that the simulator has. */
export const primitives: Readonly<Record<string, SimPrimitive>> = Object.freeze({
  'gin.post': { function: 'ginPost' },
  'gin.acquire': { function: 'ginAcquire' },
  'gin.reset': { function: 'ginReset' },
  'gin.release': { function: 'ginRelease' },
  'dependency.isOver': { function: 'dependencyIsOver', result: 'bool' },
  'dependency.acquire': { function: 'acquireDependency' },
  launchDependents: { function: 'launchDependents' },
  'bulk.begin': { function: 'bulkBegin' },
  'bulk.copied': { function: 'bulkCopied' },
  'bulk.end': { function: 'bulkEnd' },
  'bulk.commit': { function: 'bulkCommit' },
  'bulk.wait': { function: 'bulkWait' },
  'bulk.fence': { function: 'bulkFence' },
  findWindow: { function: 'findWindow', result: 'Window' },
  windowOffset: { function: 'windowOffset', result: 'addr' },
});

/**
 * A primitive as a call of its support function: the CTA, the thread, the site, then the words and
 * the values of the call in order; a pointer is an address and its region. Returns the text of its
 * result, if that is kept.
 */
export function emitPrimitive(s: CallStatement, scope: Scope): Components | undefined {
  const primitive = Object.hasOwn(primitives, s.name) ? primitives[s.name] : undefined;
  const local = s.local === undefined ? undefined : scope.context.module.locals[s.local];
  if (primitive === undefined || (local !== undefined && typeName(local.type) !== primitive.result)) {
    throw new NcclError('NCCLTS_NOT_SUPPORTED', `The simulator does not implement the primitive ${s.name}.`);
  }
  const words = s.statics.flatMap((given) => (given.kind === 'word' ? [stringText(scope.context, given.word)] : []));
  const values = s.args.flatMap((arg) => argument(arg, scope));
  const caller = ['cta', scope.thread, site(scope.context, s.span, s.name)];
  const call = `${helper(scope.context, primitive.function)}(${[...caller, ...words, ...values].join(', ')})`;
  if (local !== undefined) return [call];
  scope.code.push(`${call};`);
  return undefined;
}

function argument(arg: Expression, scope: Scope): Components {
  return arg.type.kind === 'handle' ? [handleText(arg, scope)] : emitExpression(arg, scope);
}
