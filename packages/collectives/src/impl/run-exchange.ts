import type { Communicator } from '@nccl-ts/communicator';
import { NcclError } from '@nccl-ts/core';
import { P2P_SLOT_BYTES } from '../fifo/step-fifo.ts';
import { exchange, EXCHANGE_WIDTH, farExchange } from '../kernels/exchange.ts';
import type { TransferArg } from '../kernels/transfer.ts';
import { collectiveState } from '../state/collective-state.ts';
import type { PointToPoint } from './open-group.ts';
import { checkReach, hasDomains, isNear } from '../state/reach.ts';
import { TransferLedger, transferText, type TransferNote } from './transfer-ledger.ts';

/** The threads of a CTA that sends or receives. */
const THREADS = 64;

/** The sends and receives of one launch, each at its index. */
interface ExchangeTurn {
  readonly sends: (PointToPoint | undefined)[];
  readonly receives: (PointToPoint | undefined)[];
}

/**
 * Runs sends and receives together. It launches them in rounds that all ranks number alike. The
 * first send and receive of each pair of ranks come before the second, and pairs are ordered by the
 * distance from sender to receiver. So a round waits only for the same round on other ranks, and
 * every matched operation ends.
 *
 * @throws NcclError `NCCL_INVALID_USAGE`, before anything is launched, if a send and its receive
 *   differ.
 */
export async function runExchange(
  comm: Communicator,
  operations: readonly PointToPoint[],
  isGroup: boolean,
): Promise<void> {
  const needed = operations.filter(({ bytes }) => bytes > 0);
  const [first] = needed;
  if (first === undefined) return;
  const other = needed.find(({ stream }) => stream !== first.stream);
  if (other !== undefined) {
    throw new NcclError(
      'NCCL_INVALID_USAGE',
      `group: ${wordsOf(first)} and ${wordsOf(other)} are on different streams; make all sends and receives of a group on one.`,
    );
  }
  for (const operation of needed) checkReach(comm, operation.peer, wordsOf(operation));
  const { stream } = first;
  const { isCapturing } = stream ?? comm.defaultStream;
  const notes = needed.map((operation) => noteOf(comm, operation, isCapturing));
  const { devComm, p2pFifo } = await collectiveState(comm, () => notes.map(transferText).join(', '));
  comm.companion(TransferLedger).note(notes, isGroup);
  const nothing: TransferArg = { data: first.data.cast('u8'), bytes: 0, peer: -1 };
  const transferOf = (operation: PointToPoint | undefined): TransferArg =>
    operation === undefined
      ? nothing
      : { data: operation.data.cast('u8'), bytes: operation.bytes, peer: operation.peer };
  for (const { sends, receives } of turnsOf(comm, needed)) {
    const [send0, send1, send2, send3] = sends;
    const [recv0, recv1, recv2, recv3] = receives;
    await comm.launch(
      hasDomains(comm) ? farExchange : exchange,
      {
        grid: 2 * EXCHANGE_WIDTH,
        block: THREADS,
        label: [...sends, ...receives].flatMap((one) => (one === undefined ? [] : [wordsOf(one)])).join(', '),
        ...(stream === undefined ? {} : { stream }),
      },
      {
        comm: devComm,
        fifo: p2pFifo,
        send0: transferOf(send0),
        send1: transferOf(send1),
        send2: transferOf(send2),
        send3: transferOf(send3),
        recv0: transferOf(recv0),
        recv1: transferOf(recv1),
        recv2: transferOf(recv2),
        recv3: transferOf(recv3),
      },
    );
  }
}

function wordsOf({ kind, data, count, peer }: PointToPoint): string {
  return `${kind} of ${count} ${data.element} ${kind === 'send' ? 'to' : 'from'} rank ${peer}`;
}

function noteOf(comm: Communicator, operation: PointToPoint, isCaptured: boolean): TransferNote {
  const { kind, data, count, bytes, peer } = operation;
  const slots = isNear(comm, peer) ? Math.ceil(bytes / P2P_SLOT_BYTES) : Infinity;
  return { kind, rank: comm.rank, peer, count, element: data.element, slots, isCaptured };
}

function turnsOf(comm: Communicator, operations: readonly PointToPoint[]): readonly ExchangeTurn[] {
  const turns = new Map<number, ExchangeTurn>();
  const before = new Map<string, number>();
  const perRound = Math.ceil(comm.nRanks / EXCHANGE_WIDTH);
  for (const operation of operations) {
    const { kind, peer } = operation;
    const pair = `${kind} ${peer}`;
    const nth = before.get(pair) ?? 0;
    before.set(pair, nth + 1);
    const distance = ((kind === 'send' ? peer - comm.rank : comm.rank - peer) + comm.nRanks) % comm.nRanks;
    const number = nth * perRound + Math.floor(distance / EXCHANGE_WIDTH);
    const turn = turns.get(number) ?? { sends: [], receives: [] };
    turns.set(number, turn);
    (kind === 'send' ? turn.sends : turn.receives)[distance % EXCHANGE_WIDTH] = operation;
  }
  return [...turns].sort(([a], [b]) => a - b).map(([, turn]) => turn);
}
