import type { Communicator } from '@nccl-ts/communicator';
import { launchCollectives } from './impl/launch-collectives.ts';
import type { OneSided } from './impl/one-sided-runs.ts';
import { enterGroup, leaveGroup, type Held, type PlannedCall, type PointToPoint } from './impl/open-group.ts';
import { runExchange } from './impl/run-exchange.ts';
import { runOneSided } from './impl/run-one-sided.ts';

/**
 * Collects what is asked for on `comm` (or several communicators of this process) while `callback` runs, and starts it when the
 * outermost group of the communicator ends: sends and receives together, in as few launches as they fit in, so that none waits for
 * another of the same group to begin; behind them collectives, those of one kind, algorithm, type and operator up to four in a launch; behind
 * these one-sided operations, in their order, those for one rank after the other in one launch where their places are equally far apart. Groups
 * nest. No operation of a group may use what another one of it stores.
 *
 * Every send needs its receive: the n-th send from a rank to a peer meets the n-th receive there, of the same count and type. It may be
 * in another group, or in none; but what a rank sends to itself it receives in the same group. What does not fit its match is an
 * error where the later of the two is asked for. What has no match is an error of `finalize`, of the end of a world that is closed,
 * and of the end of `World.run` where the run would wait for it; whoever waits before that, by `synchronize` or a read, waits without
 * end, which the simulator reports as a deadlock. All this holds between ranks of one process, and for what is not captured into a
 * graph.
 *
 * NCCL's groups belong to a thread. Here all ranks of a process share one, so a group says which communicators it is for.
 *
 * @returns what `callback` returns, once everything is enqueued.
 * @throws what `callback` throws, and nothing of the group is started; NcclError `NCCL_INVALID_USAGE` where a send and its receive do not
 *   fit, or a rank leaves itself alone; what goes wrong where it is started.
 * @see ncclGroupStart, ncclGroupEnd
 */
export async function group<T>(
  comm: Communicator | readonly Communicator[],
  callback: () => Promise<T> | T,
): Promise<T> {
  const comms = 'rank' in comm ? [comm] : comm;
  for (const one of comms) enterGroup(one);
  let result: T;
  try {
    result = await callback();
  } catch (error) {
    for (const one of comms) leaveGroup(one);
    throw error;
  }
  const held = comms.map((one) => ({ one, operations: leaveGroup(one) }));
  // Side by side, since what one communicator starts may have to meet what another does.
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

/** What a group has held back, each kind in its order. */
interface Sorted {
  readonly transfers: readonly PointToPoint[];
  readonly collectives: readonly PlannedCall[];
  readonly oneSided: readonly OneSided[];
}

function sorted(operations: readonly Held[]): Sorted {
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
