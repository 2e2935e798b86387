import type { Communicator } from '@nccl-ts/communicator';
import { NcclError, type ScalarKind } from '@nccl-ts/core';
import { algorithmsOf, type Algorithm } from '../algorithm.ts';
import { checkedCall, type CollectiveCall, type CollectiveRequest } from '../call.ts';
import { MAX_SCALES } from '../kernels/rank-scales.ts';
import { select, type Selection } from '../selection.ts';
import { selectionOf } from './collective-state.ts';
import { queryOn } from './query-on.ts';
import { launchCollectives } from './launch-collectives.ts';
import { holdBack } from './open-group.ts';

/** Checks, chooses and launches a collective. */
export async function runCollective(comm: Communicator, request: CollectiveRequest): Promise<void> {
  const call = checkedCall(comm, request);
  if (call === undefined) return;
  // Whether it can be done is told now, where it was asked for.
  const selection = selectionFor(call);
  const planned = { kind: 'collective', call, selection } as const;
  if (!holdBack(comm, planned)) await launchCollectives(comm, [planned]);
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
