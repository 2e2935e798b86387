import type { Communicator, LaunchOptions, LaunchWork } from '@nccl-ts/communicator';
import { algorithmSpecs } from '../algorithms/algorithm.ts';
import type { RepeatedLaunch } from '../algorithms/algorithm-spec.ts';
import type { HostCall } from '../kernels/collective-kernels.ts';
import { batchesOf } from './collective-batches.ts';
import { CollectiveLedger } from './collective-ledger.ts';
import type { LaunchedCall, PlannedCall } from './open-group.ts';

/**
 * Launches collectives. Several of one kind, algorithm, type and operator share a launch. The
 * grouping depends only on values that all ranks share.
 *
 * @throws NcclError `NCCL_INVALID_USAGE`, before anything is launched, if a call stores data that
 *   another call in the same launch uses, or if another rank has made a different call.
 */
export async function launchCollectives(comm: Communicator, planned: readonly PlannedCall[]): Promise<void> {
  if (planned.length === 0) return;
  const batches = batchesOf(planned.filter(isLaunched));
  const ledger = comm.companion(CollectiveLedger);
  if (planned.some(({ call }) => (call.options.stream ?? comm.defaultStream).isCapturing)) ledger.loseTrack();
  ledger.note(
    comm.rank,
    planned.map(({ note }) => note),
  );
  if (batches.length === 0) return;
  try {
    for (const { kernels, calls } of batches) {
      const [first, ...others] = calls;
      await kernels.launch(comm, launchOf(calls), [hostCallOf(first), ...others.map(hostCallOf)]);
    }
  } catch (error) {
    ledger.loseTrack();
    throw error;
  }
}

/**
 * Launches a collective as {@link launchCollectives} does, and keeps its checked launch in `again`.
 */
export async function launchAgain(comm: Communicator, planned: LaunchedCall, again: AgainLaunch): Promise<void> {
  const ledger = comm.companion(CollectiveLedger);
  if ((planned.call.options.stream ?? comm.defaultStream).isCapturing) ledger.loseTrack();
  ledger.note(comm.rank, [planned.note]);
  const { kernels } = planned.selected;
  again.options ??= launchOf([planned]);
  try {
    await kernels.launchAgain(comm, again.options, hostCallOf(planned), again);
  } catch (error) {
    ledger.loseTrack();
    throw error;
  }
}

/** The parts of a repeated launch that do not change. */
export interface AgainLaunch extends RepeatedLaunch {
  options: LaunchOptions | undefined;
}

/** True for a call with at least one element. */
export function isLaunched(planned: PlannedCall): planned is LaunchedCall {
  return planned.selected !== undefined;
}

function hostCallOf({ call: { send, recv, count, root, op } }: LaunchedCall): HostCall {
  return { send, recv, count, root, scale: op?.scale ?? 1 };
}

/** The number of CTAs and threads that the largest of the calls needs. */
function launchOf(calls: readonly LaunchedCall[]): LaunchOptions {
  const works = calls.map(workOf).filter((work) => work !== undefined);
  const stream = calls[0]?.call.options.stream;
  const label = calls[0]?.label;
  return {
    grid: Math.max(...calls.map(({ selected }) => selected.selection.ctas)),
    block: Math.max(...calls.map(({ selected }) => selected.selection.threads)),
    ...(works.length < calls.length ? {} : { work: works }),
    ...(stream === undefined ? {} : { stream }),
    ...(label === undefined ? {} : { label }),
  };
}

/**
 * The work of the launches, for backends that run them without kernels: each value is computed
 * once, in rank order.
 */
function workOf({ call, selected }: LaunchedCall): LaunchWork | undefined {
  const { name, element, count, op, root, send, recv } = call;
  const { algorithm } = selected.selection;
  if (!algorithmSpecs[algorithm].inRankOrder || op?.name === 'preMulSum') return undefined;
  return { collective: name, element, reduction: op?.name, count, root, send, recv };
}
