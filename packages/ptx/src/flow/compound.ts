import { statementBodies, type Statement } from '@nccl-ts/ir';

/** True if a statement contains statements. */
export function isCompound(s: Statement): boolean {
  return statementBodies(s).length > 0;
}
