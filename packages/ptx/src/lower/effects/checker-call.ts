import type { Expression, Statement } from '@nccl-ts/ir';
import type { Lowering } from '../lowering.ts';

/** The description of a copy for a checker. */
export function checkerCall(
  { span }: Lowering,
  name: string,
  word?: string,
  args: readonly Expression[] = [],
): Statement {
  return { kind: 'call', name, statics: word === undefined ? [] : [{ kind: 'word', name: 'how', word }], args, span };
}
