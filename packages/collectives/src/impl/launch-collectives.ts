import type { Communicator, LaunchOptions, LaunchWork } from '@nccl-ts/communicator';
import type { CallArg } from '../kernels/group-kernel.ts';
import type { TypedGroupKernel } from '../kernels/kernel-table.ts';
import { batchesOf, keyOf } from './collective-batches.ts';
import { collectiveState, kernelTable, type CollectiveState } from './collective-state.ts';
import type { PlannedCall } from './open-group.ts';

/**
 * Launches collectives: several of one kind, algorithm, type and operator in one launch, where there is a kernel for that. What goes together
 * depends on nothing but what all ranks ask for alike.
 *
 * @throws NcclError `NCCL_INVALID_USAGE` where a call would go together with one that another touches what it stores.
 */
export async function launchCollectives(comm: Communicator, planned: readonly PlannedCall[]): Promise<void> {
  if (planned.length === 0) return;
  const batches = batchesOf(planned);
  const state = await collectiveState(comm);
  for (const { kernel, calls } of batches) {
    const [first, ...others] = calls;
    if (first === undefined) continue;
    if (kernel === undefined || others.length === 0) await launchOne(first, state);
    else await launchTogether(kernel, calls, state);
  }
}

async function launchTogether(
  typed: TypedGroupKernel,
  calls: readonly PlannedCall[],
  { devComm, scratch, llSlots }: CollectiveState,
): Promise<void> {
  const [first] = calls;
  if (first === undefined) return;
  const { element } = typed;
  const place = scratch.cast(element);
  const nothing: CallArg = { send: place, recv: place, count: 0, root: 0 };
  const argOf = (i: number): CallArg => {
    const call = calls[i]?.call;
    if (call === undefined) return nothing;
    const { send, recv, count, root } = call;
    return { send: send.cast(element), recv: recv.cast(element), count, root };
  };
  const args = { comm: devComm, call0: argOf(0), call1: argOf(1), call2: argOf(2), call3: argOf(3) };
  const { comm } = first.call;
  if (typed.kind === 'group') await comm.launch(typed.kernel, launchOf(calls), args);
  else await comm.launch(typed.kernel, launchOf(calls), { ...args, slots: llSlots });
}

async function launchOne(planned: PlannedCall, state: CollectiveState): Promise<void> {
  const { call } = planned;
  const { comm, count, op, root, send, recv } = call;
  const typed = kernelTable.get(keyOf(planned));
  const launch = launchOf([planned]);
  const args = { comm: state.devComm, send: send.cast(typed.element), recv: recv.cast(typed.element), count, root };
  const scale = op?.scale ?? 1;
  switch (typed.kind) {
    case 'copy':
      return comm.launch(typed.kernel, launch, args);
    case 'reduce':
      return comm.launch(typed.kernel, launch, { ...args, scale, scales: state.scales });
    case 'chunkReduce':
      return comm.launch(typed.kernel, launch, { ...args, scale, scales: state.scales, chunks: state.chunks });
    case 'llCopy':
    case 'llReduce':
      return comm.launch(typed.kernel, launch, { ...args, slots: state.llSlots });
    case 'hierarchicalCopy':
      return comm.launch(typed.kernel, launch, { ...args, scratch: state.scratch.cast(typed.element) });
    case 'hierarchicalReduce':
      return comm.launch(typed.kernel, launch, {
        ...args,
        scale,
        scales: state.scales,
        scratch: state.scratch.cast(typed.element),
      });
    case 'sentinelReduce':
      return comm.launch(typed.kernel, launch, { ...args, buffers: state.sentinels });
    case 'ringCopy':
      return comm.launch(typed.kernel, launch, { ...args, fifo: state.ringFifo });
    case 'ringReduce':
      return comm.launch(typed.kernel, launch, { ...args, scale, fifo: state.ringFifo });
  }
}

/** As many CTAs and threads as the largest of the calls is worth. */
function launchOf(calls: readonly PlannedCall[]): LaunchOptions {
  const works = calls.map(workOf).filter((work) => work !== undefined);
  const stream = calls[0]?.call.options.stream;
  return {
    grid: Math.max(...calls.map(({ selection }) => selection.ctas)),
    block: Math.max(...calls.map(({ selection }) => selection.threads)),
    ...(works.length < calls.length ? {} : { work: works }),
    ...(stream === undefined ? {} : { stream }),
  };
}

/** What the launches come to where each value is made once, of rank 0's and the others' in their order. */
function workOf({ call, selection }: PlannedCall): LaunchWork | undefined {
  const { name, element, count, op, root, send, recv } = call;
  const { algorithm } = selection;
  if ((algorithm !== 'direct' && algorithm !== 'twoShot') || op?.name === 'preMulSum') return undefined;
  return { collective: name, element, reduction: op?.name, count, root, send, recv };
}
