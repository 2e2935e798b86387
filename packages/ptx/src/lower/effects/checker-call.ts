import type { Expression, Statement } from '@nccl-ts/ir';
import type { Lowering } from '../lowering.ts';

/** The description of a copy for a checker. */
export function checkerCall(
  { span }: Lowering,
  name: string,
  words: readonly string[] = [],
  args: readonly Expression[] = [],
): Statement {
  return { kind: 'call', name, statics: words.map((word) => ({ kind: 'word', name: 'how', word })), args, span };
}
