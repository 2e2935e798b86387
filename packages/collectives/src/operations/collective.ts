import type { Communicator } from '@nccl-ts/communicator';
import {
  collectiveNames,
  collectiveShapes,
  NcclError,
  showValue,
  type CollectiveName,
  type ScalarKind,
} from '@nccl-ts/core';
import type { Buffer } from '../buffer.ts';
import { noOptions, type CollectiveOptions } from '../call.ts';
import { runCollective } from '../impl/run-collective.ts';
import type { ReduceOp } from '../red-op.ts';

/** The arguments of a collective that is called by its name. */
export interface CollectiveArguments<K extends ScalarKind = ScalarKind> {
  readonly send: Buffer<K>;
  readonly recv: Buffer<K>;
  readonly count: number;
  /** Ignored if the collective does not reduce. */
  readonly op: ReduceOp;
  /** Ignored if the collective has no root. */
  readonly root: number;
  readonly options?: CollectiveOptions;
}

/**
 * Calls the collective of that name. It is the same call as that of the function with this name,
 * for programs that run several collectives in one way.
 *
 * @throws NcclError as the function does, and `NCCL_INVALID_ARGUMENT` if no collective has that
 *   name.
 */
export async function collective<K extends ScalarKind>(
  comm: Communicator,
  name: CollectiveName,
  { send, recv, count, op, root, options = noOptions }: CollectiveArguments<K>,
): Promise<void> {
  if (!Object.hasOwn(collectiveShapes, name)) {
    const known = collectiveNames.join(', ');
    throw new NcclError('NCCL_INVALID_ARGUMENT', `there is no collective ${showValue(name)}; there are ${known}.`);
  }
  const { reduces, rooted } = collectiveShapes[name];
  const request = { name, send, recv, count, options, ...(reduces && { op }), ...(rooted && { root }) };
  await runCollective(comm, request, collective);
}
