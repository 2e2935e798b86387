import { walkStatement, type Statement } from '@nccl-ts/ir';

/** True if `statement` is a wait, or contains one. */
export function hasWait(statement: Statement): boolean {
  let has = false;
  walkStatement(statement, {
    statement: ({ kind }) => {
      has ||= kind === 'wait' || kind === 'waitAll';
    },
  });
  return has;
}
