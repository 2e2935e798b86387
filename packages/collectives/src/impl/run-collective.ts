import type { Communicator } from '@nccl-ts/communicator';
import { NcclError } from '@nccl-ts/core';
import { checkedCall, type CollectiveCall, type CollectiveRequest } from '../call.ts';
import { collectiveShapes } from '../collective.ts';
import { select, type Selection } from '../selection.ts';
import { collectiveState, kernelTable, selectionOf } from './collective-state.ts';

/** Elements that a kernel can count to with 32 bits and room to spare. */
const NARROW = 2 ** 31;

/** Checks, chooses and launches a collective. */
export async function runCollective(comm: Communicator, request: CollectiveRequest): Promise<void> {
  const call = checkedCall(comm, request);
  if (call === undefined) return;
  const selection = selectionFor(call);
  const { devComm } = await collectiveState(comm);
  const { name, element, count, op, root, send, recv, options } = call;
  const shape = collectiveShapes[name];
  const times = shape.send === 'each' || shape.recv === 'each' ? comm.nRanks : 1;
  const key = {
    collective: name,
    algorithm: selection.algorithm,
    element,
    op: op?.name,
    wide: count * times >= NARROW,
  };
  const typed = kernelTable.get(key);
  const launch = {
    grid: selection.ctas,
    block: selection.threads,
    ...(options.stream === undefined ? {} : { stream: options.stream }),
  };
  const args = { comm: devComm, send: send.cast(typed.element), recv: recv.cast(typed.element), count, root };
  if (typed.kind === 'copy') await comm.launch(typed.kernel, launch, args);
  else await comm.launch(typed.kernel, launch, { ...args, scale: op?.scale ?? 1 });
}

/** @throws NcclError `NCCL_INVALID_USAGE` where the algorithm asked for cannot work in place. */
export function selectionFor({ name, comm, element, count, op, inPlace, options }: CollectiveCall): Selection {
  const query = {
    collective: name,
    backend: comm.capabilities.backend,
    nRanks: comm.nRanks,
    element,
    count,
    op: op?.name,
  };
  const selection = select(query, selectionOf(comm), options.algorithm);
  if (selection.algorithm !== 'oneShot' || !inPlace) return selection;
  if (options.algorithm !== undefined) {
    throw new NcclError(
      'NCCL_INVALID_USAGE',
      `${name}: ${selection.algorithm} cannot work in place, since other ranks read send while recv is written.`,
    );
  }
  return { ...select(query, selectionOf(comm), 'twoShot'), because: `${selection.because}, but in place` };
}
