import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn, type Coop, type DeviceFn } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import {
  awaitFilled,
  awaitRoom,
  keepReceived,
  keepSent,
  linkAt,
  postEmptied,
  postFilled,
  receivedBefore,
  sentBefore,
  slotOf,
} from '../fifo/link.ts';
import { P2P_SLOT_BYTES } from '../fifo/step-fifo.ts';
import type { Transfer } from './transfer.ts';

/**
 * Sends to a rank of the same load-store domain, in parts, through that rank's link for this rank.
 */
export const sendNear: DeviceFn<(coop: Coop, comm: DevComm, fifo: number, send: Transfer) => void> = deviceFn(
  {
    name: 'sendNear',
    use: { awaitRoom, keepSent, linkAt, postFilled, sentBefore, slotOf, reduceCopy, SLOT: P2P_SLOT_BYTES },
  },
  (
    { awaitRoom, keepSent, linkAt, postFilled, sentBefore, slotOf, reduceCopy, SLOT, u64, min },
    coop: Coop,
    comm: DevComm,
    fifo: number,
    { data, bytes, peer }: Transfer,
  ) => {
    const mine = linkAt(comm, fifo, SLOT, peer, comm.lsaRank);
    const theirs = linkAt(comm, fifo, SLOT, comm.rank, peer % comm.lsaSize);
    let sent = sentBefore(mine);
    for (let at = u64(0); at < bytes; at += SLOT) {
      awaitRoom(coop, mine, sent);
      const slot = slotOf(theirs, SLOT, sent);
      reduceCopy.localCopy(coop, data.localPtr().offset(at), (_i) => slot, 1, min(bytes - at, SLOT));
      coop.sync();
      postFilled(coop, theirs, sent);
      sent++;
    }
    keepSent(coop, mine, sent);
  },
);

/**
 * Receives from a rank of the same load-store domain, in parts, through this rank's link for it.
 */
export const receiveNear: DeviceFn<(coop: Coop, comm: DevComm, fifo: number, recv: Transfer) => void> = deviceFn(
  {
    name: 'receiveNear',
    use: { awaitFilled, keepReceived, linkAt, postEmptied, receivedBefore, slotOf, reduceCopy, SLOT: P2P_SLOT_BYTES },
  },
  (
    { awaitFilled, keepReceived, linkAt, postEmptied, receivedBefore, slotOf, reduceCopy, SLOT, u64, min },
    coop: Coop,
    comm: DevComm,
    fifo: number,
    { data, bytes, peer }: Transfer,
  ) => {
    const mine = linkAt(comm, fifo, SLOT, peer, comm.lsaRank);
    const theirs = linkAt(comm, fifo, SLOT, comm.rank, peer % comm.lsaSize);
    let received = receivedBefore(mine);
    for (let at = u64(0); at < bytes; at += SLOT) {
      awaitFilled(coop, mine, received);
      const slot = slotOf(mine, SLOT, received);
      reduceCopy.localCopy(coop, slot, (_i) => data.localPtr().offset(at), 1, min(bytes - at, SLOT));
      coop.sync();
      postEmptied(coop, theirs, received);
      received++;
    }
    keepReceived(coop, mine, received);
  },
);
