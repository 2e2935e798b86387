import type { DevComm } from '@nccl-ts/devcomm';
import { deviceFn, type Coop, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import { links } from '../fifo/link.ts';
import { P2P_SLOT_BYTES } from '../fifo/step-fifo.ts';

/** Moves `bytes` bytes from or to `data`, with rank `peer`. */
type NearTransfer = DeviceFn<(coop: Coop, comm: DevComm, fifo: number, data: Ptr, bytes: number, peer: number) => void>;

/**
 * Sends to a rank of the same load-store domain, in parts, through that rank's link from this rank.
 */
export const sendNear: NearTransfer = deviceFn(
  { name: 'sendNear', use: { links, reduceCopy, SLOT: P2P_SLOT_BYTES } },
  (
    { links, reduceCopy, SLOT, u64, min },
    coop: Coop,
    comm: DevComm,
    fifo: number,
    data: Ptr,
    bytes: number,
    peer: number,
  ) => {
    const mine = links.at(comm, fifo, SLOT, peer, comm.lsaRank);
    const theirs = links.at(comm, fifo, SLOT, comm.rank, peer % comm.lsaSize);
    let sent = links.sentBefore(mine);
    for (let at = u64(0); at < bytes; at += SLOT) {
      links.awaitRoom(coop, mine, sent);
      const slot = links.slotOf(theirs, SLOT, sent);
      reduceCopy.localCopy(coop, data.offset(at), (_i) => slot, 1, min(bytes - at, SLOT));
      coop.sync();
      links.postFilled(coop, theirs, sent);
      sent++;
    }
    links.keepSent(coop, mine, sent);
  },
);

/**
 * Receives from a rank of the same load-store domain, in parts, through this rank's link from it.
 */
export const receiveNear: NearTransfer = deviceFn(
  { name: 'receiveNear', use: { links, reduceCopy, SLOT: P2P_SLOT_BYTES } },
  (
    { links, reduceCopy, SLOT, u64, min },
    coop: Coop,
    comm: DevComm,
    fifo: number,
    data: Ptr,
    bytes: number,
    peer: number,
  ) => {
    const mine = links.at(comm, fifo, SLOT, peer, comm.lsaRank);
    const theirs = links.at(comm, fifo, SLOT, comm.rank, peer % comm.lsaSize);
    let received = links.receivedBefore(mine);
    for (let at = u64(0); at < bytes; at += SLOT) {
      links.awaitFilled(coop, mine, received);
      const slot = links.slotOf(mine, SLOT, received);
      reduceCopy.localCopy(coop, slot, (_i) => data.offset(at), 1, min(bytes - at, SLOT));
      coop.sync();
      links.postEmptied(coop, theirs, received);
      received++;
    }
    links.keepReceived(coop, mine, received);
  },
);
