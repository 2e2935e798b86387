import type { Communicator, LaunchWork } from '@nccl-ts/communicator';
import { NcclError, type ScalarKind } from '@nccl-ts/core';
import { algorithmsOf, type Algorithm } from '../algorithm.ts';
import { checkedCall, type CollectiveCall, type CollectiveRequest } from '../call.ts';
import { backendShape } from '../backend-shape.ts';
import { collectiveShapes } from '../collective.ts';
import { MAX_SCALES } from '../kernels/rank-scales.ts';
import { select, type Selection } from '../selection.ts';
import { collectiveState, kernelTable, selectionOf } from './collective-state.ts';
import { queryOn } from './query-on.ts';
import { nowOrLater } from './open-group.ts';

/** Elements that a kernel can count to with 32 bits and room to spare. */
const NARROW = 2 ** 31;

/** Checks, chooses and launches a collective. */
export async function runCollective(comm: Communicator, request: CollectiveRequest): Promise<void> {
  const call = checkedCall(comm, request);
  if (call === undefined) return;
  // Whether it can be done is told now, where it was asked for.
  const selection = selectionFor(call);
  await nowOrLater(comm, async () => launchCollective(call, selection));
}

async function launchCollective(call: CollectiveCall, selection: Selection): Promise<void> {
  const { comm } = call;
  const state = await collectiveState(comm);
  const { name, element, count, op, root, send, recv, options } = call;
  const shape = collectiveShapes[name];
  const times = shape.send === 'each' || shape.recv === 'each' ? comm.nRanks : 1;
  const key = {
    collective: name,
    algorithm: selection.algorithm,
    element,
    op: op?.name,
    wide: count * times >= NARROW,
    lsaSize: comm.lsaSize,
    shape: backendShape(comm.capabilities.backend),
  };
  const typed = kernelTable.get(key);
  const work = workOf(call, selection.algorithm);
  const launch = {
    ...(work === undefined ? {} : { work }),
    grid: selection.ctas,
    block: selection.threads,
    ...(options.stream === undefined ? {} : { stream: options.stream }),
  };
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

/** What the launches come to where each value is made once, of rank 0's and the others' in their order. */
function workOf({ name, element, count, op, root, send, recv }: CollectiveCall, by: Algorithm): LaunchWork | undefined {
  if ((by !== 'direct' && by !== 'twoShot') || op?.name === 'preMulSum') return undefined;
  return { collective: name, element, reduction: op?.name, count, root, send, recv };
}

/** @throws NcclError `NCCL_INVALID_USAGE` where the algorithm that the call asks for cannot do it. */
export function selectionFor(call: CollectiveCall): Selection {
  const { name, comm, element, count, op, options } = call;
  const query = queryOn(comm, { collective: name, element, count, op: op?.name });
  const rules = selectionOf(comm);
  const selection = select(query, rules, options.algorithm);
  const obstacle = obstacleTo(selection.algorithm, call);
  if (obstacle === undefined) return selection;
  const [otherwise] = algorithmsOf[name];
  // One rank alone has nobody to go round; everything else was the caller's own choice.
  if (options.algorithm !== undefined && comm.nRanks > 1) {
    throw new NcclError('NCCL_INVALID_USAGE', `${name}: ${selection.algorithm} cannot do this: ${obstacle}.`);
  }
  const because = `${selection.because}, but ${obstacle}`;
  return { ...select(query, rules, otherwise), because };
}

/** Types that have NaNs to spare, in words of 4 bytes. */
const sentinelElements: readonly ScalarKind[] = ['f32', 'f16', 'bf16'];

/** Why an algorithm cannot do a call; undefined where it can. */
function obstacleTo(algorithm: Algorithm, { comm, element, inPlace, op }: CollectiveCall): string | undefined {
  const near = comm.lsaSize;
  if (algorithm === 'hierarchical') return near < comm.nRanks ? undefined : 'there is one load-store domain';
  if (near < comm.nRanks) return `loads and stores reach ${near} of the ${comm.nRanks} ranks`;
  if (algorithm === 'oneShot' && inPlace) return 'in place, other ranks would read what is written';
  if (algorithm === 'sentinel' && !sentinelElements.includes(element)) return `every ${element} is a value of its own`;
  if (algorithm === 'ring' && comm.nRanks === 1) return 'one rank is no ring';
  if (op?.name === 'preMulSum' && (algorithm === 'll' || algorithm === 'sentinel')) {
    return 'who receives a value does not know its scalar';
  }
  if (op?.name === 'preMulSum' && near > MAX_SCALES) return `scalars are kept for ${MAX_SCALES} ranks`;
  return undefined;
}
