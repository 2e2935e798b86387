import { NcclError } from '@nccl-ts/core';
import { callLocation, definitionSite } from '@nccl-ts/kernel';

/**
 * Stands for a value that `nccl-ts ptx --write` cannot know. Write the value in its place: a launch
 * ends here. `what` says what the value is, and `candidates` are values that it may have.
 *
 * @throws NcclError `NCCLTS_TODO`, always. Its details have `what`, and the `location` of the call
 * as `file:line:column` if the engine reports it.
 */
export function todo(what: string, ..._candidates: readonly unknown[]): never {
  const location = callLocation(definitionSite(todo))?.replace(/^file:\/\//, '');
  const where = location === undefined ? 'in its place' : `at ${location}`;
  throw new NcclError(
    'NCCLTS_TODO',
    `cannot launch the kernel because todo('${what}') is not filled in; write the value ${where}.`,
    { details: { what, ...(location === undefined ? {} : { location }) } },
  );
}
