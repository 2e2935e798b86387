import { statementBodies, type Statement } from '@nccl-ts/ir';

/** True if a statement has statements in it. */
export function isCompound(s: Statement): boolean {
  return statementBodies(s).length > 0;
}
