import type { Communicator } from '@nccl-ts/communicator';
import { launchCollectives } from '../impl/launch-collectives.ts';
import type { OneSided } from '../impl/one-sided-runs.ts';
import {
  beginGroup,
  leaveGroup,
  type DeferredOperation,
  type PlannedCall,
  type PointToPoint,
} from '../impl/open-group.ts';
import { runExchange } from '../impl/run-exchange.ts';
import { runOneSided } from '../impl/run-one-sided.ts';

/**
 * Collects the operations on `comm` (or several communicators of this process) while `callback`
 * runs, and starts them when the outermost group of the communicator ends. Sends and receives start
 * first, in as few launches as possible, so that none has to wait until another of the group
 * starts. Collectives follow: a launch has up to four of the same kind, algorithm, type and
 * operator. One-sided operations start last, in order. Those for consecutive ranks share a launch
 * if their locations are evenly spaced. Groups nest. No operation of a group may use data that
 * another one stores.
 *
 * Every send needs a receive: the n-th send from a rank to a peer matches the peer's n-th receive,
 * and both must have the same count and type. The receive may be in another group or in none, but a
 * rank must receive its own sends in the same group. If a send and its receive differ, the later of
 * the two calls fails. `finalize` reports an unmatched operation, and so does closing the world.
 * `World.run` reports it if the run would wait for it. A `synchronize` or read before that waits
 * forever, and the simulator reports a deadlock. These checks cover ranks of one process, and
 * operations that no graph captures.
 *
 * In NCCL a group belongs to a thread. Here all ranks of a process share one thread, so a group
 * names its communicators.
 *
 * @returns the result of `callback`, once everything is enqueued.
 * @throws the error of `callback`, in which case no operation of the group starts; NcclError
 *   `NCCL_INVALID_USAGE` if a send and its receive differ, or a send of a rank to itself is
 *   unmatched; errors of starting the operations.
 * @see ncclGroupStart, ncclGroupEnd
 */
export async function group<T>(
  comm: Communicator | readonly Communicator[],
  callback: () => Promise<T> | T,
): Promise<T> {
  const comms = 'rank' in comm ? [comm] : comm;
  for (const one of comms) beginGroup(one);
  let result: T;
  try {
    result = await callback();
  } catch (error) {
    for (const one of comms) leaveGroup(one);
    throw error;
  }
  const held = comms.map((one) => ({ one, operations: leaveGroup(one) }));
  // They run concurrently, since an operation of one communicator may wait for one of another.
  await Promise.all(
    held.map(async ({ one, operations }) => {
      const { transfers, collectives, oneSided } = sorted(operations);
      await runExchange(one, transfers, true);
      await launchCollectives(one, collectives);
      await runOneSided(one, oneSided);
    }),
  );
  return result;
}

/** The operations that a group has held back, sorted by kind, each kind in order. */
interface Sorted {
  readonly transfers: readonly PointToPoint[];
  readonly collectives: readonly PlannedCall[];
  readonly oneSided: readonly OneSided[];
}

function sorted(operations: readonly DeferredOperation[]): Sorted {
  const transfers: PointToPoint[] = [];
  const collectives: PlannedCall[] = [];
  const oneSided: OneSided[] = [];
  for (const operation of operations) {
    if (operation.kind === 'put' || operation.kind === 'wait') oneSided.push(operation);
    else if (operation.kind === 'collective') collectives.push(operation);
    else transfers.push(operation);
  }
  return { transfers, collectives, oneSided };
}
