import {
  collective,
  group,
  putSignal,
  recv as receive,
  send as sendTo,
  signal,
  waitSignal,
  type Algorithm,
  type BufferPointer,
  type CollectiveName,
  type ReduceOp,
} from '@nccl-ts/collectives';
import type { Communicator } from '@nccl-ts/communicator';

/**
 * The method of a collective: one of its algorithms. AlltoAll may also use sends and receives, or
 * one-sided operations.
 */
export type CollectiveMethod = Algorithm | 'exchange' | 'oneSided';

/** A call of a collective by one rank, of f32. */
export interface ModelledCall {
  readonly collective: CollectiveName;
  readonly algorithm: CollectiveMethod;
  readonly send: BufferPointer;
  readonly recv: BufferPointer;
  readonly count: number;
  readonly op: ReduceOp;
  readonly root: number;
}

export async function makeCall(comm: Communicator, made: ModelledCall): Promise<void> {
  const { collective: name, algorithm, send, recv, count, op, root } = made;
  if (algorithm === 'exchange') return exchangeAll(comm, made);
  if (algorithm === 'oneSided') return putAll(comm, made);
  return collective(comm, name, { send, recv, count, op, root, options: { algorithm } });
}

/** All sends and receives in one group. */
async function exchangeAll(comm: Communicator, { send, recv, count }: ModelledCall): Promise<void> {
  await group(comm, async () => {
    for (const peer of ranksOf(comm)) {
      await sendTo(comm, part(send, peer, count), count, peer);
      await receive(comm, part(recv, peer, count), count, peer);
    }
  });
}

/**
 * Each rank signals to the others that it has room, and puts when all have signalled. It puts one
 * half in two parts, and the other before a separate signal.
 */
async function putAll(comm: Communicator, { send, recv, count }: ModelledCall): Promise<void> {
  const ranks = ranksOf(comm);
  const all = ranks.map((peer) => ({ peer }));
  const toAll = async (one: (peer: number) => Promise<void>): Promise<void> =>
    group(comm, async () => {
      for (const peer of ranks) await one(peer);
    });
  const putPiece = async (at: number, n: number): Promise<void> =>
    toAll(async (peer) =>
      putSignal(comm, part(send, peer, count).add(at), n, peer, part(recv, comm.rank, count).add(at)),
    );
  // The first signal shows that the first part has arrived. A put to the own rank reads that part,
  // and overwrites the data that was put.
  const readPiece = async (at: number, n: number): Promise<void> => {
    const other = (comm.rank + ranks.length / 2) % ranks.length;
    await waitSignal(comm, all);
    await putSignal(comm, part(recv, other, count).add(at), n, comm.rank, send.add(at));
    await waitSignal(comm, [...all, { peer: comm.rank }]);
  };
  await toAll(async (peer) => signal(comm, peer));
  await waitSignal(comm, all);
  const [quarter, half] = [Math.floor(count / 4), Math.floor(count / 2)];
  await putPiece(0, quarter);
  await putPiece(quarter, half - quarter);
  await readPiece(0, quarter);
  await putPiece(half, count - half);
  await toAll(async (peer) => signal(comm, peer));
  await readPiece(half, count - half);
}

function ranksOf({ nRanks }: Communicator): readonly number[] {
  return Array.from({ length: nRanks }, (_, rank) => rank);
}

/** The part of a buffer that is for a rank, or from it. */
function part({ window, offset }: BufferPointer, rank: number, count: number): BufferPointer {
  return window.symPtr(offset + 4 * rank * count);
}
