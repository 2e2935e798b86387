import { resourceBufferOffset, teamWorld, type DevComm } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { deviceFn, type Coop, type DeviceFn } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import { links } from '../fifo/link.ts';
import { FIFO_HEAD, FIFO_SLOTS, P2P_SLOT_BYTES } from '../fifo/step-fifo.ts';
import type { Transfer } from './transfer.ts';

/**
 * The number of signals for links through the network, starting at signal 0. For each rank, one
 * signal counts the parts that came from it, and one counts the slots that it has offered for parts
 * to it.
 *
 * A receive offers slots only for the parts that it will take. A link of loads and stores, in
 * contrast, offers each slot again when it is empty. Here that would let a send run ahead of its
 * receive, and no operation would wait for the last signals.
 */
export function farSignals(nRanks: number): number {
  return 2 * nRanks;
}

/**
 * Sends to any rank through the network, in parts. It puts each part, with a signal, into a slot of
 * the receiver's link for this rank.
 */
export const sendFar: DeviceFn<(coop: Coop, comm: DevComm, fifo: number, send: Transfer) => void> = deviceFn(
  {
    name: 'sendFar',
    use: { gin, links, resourceBufferOffset, teamWorld, FIFO_HEAD, FIFO_SLOTS, SLOT: P2P_SLOT_BYTES },
  },
  (
    { gin, links, resourceBufferOffset, teamWorld, FIFO_HEAD, FIFO_SLOTS, SLOT, addr, min, u32, u64 },
    coop: Coop,
    comm: DevComm,
    fifo: number,
    { data, bytes, peer }: Transfer,
  ) => {
    const net = gin.context(comm, 0);
    const mine = links.at(comm, fifo, SLOT, peer, comm.lsaRank);
    const theirs = resourceBufferOffset(fifo) + addr(u32(comm.rank) * (FIFO_HEAD + FIFO_SLOTS * SLOT) + FIFO_HEAD);
    let sent = links.sentBefore(mine);
    for (let at = u64(0); at < bytes; at += SLOT) {
      net.waitSignal(coop, u32(comm.nRanks + peer), u64(sent + 1), { bits: 32 });
      if (coop.threadRank() === 0) {
        const slot = theirs + addr((sent % FIFO_SLOTS) * SLOT);
        const n = addr(min(bytes - at, SLOT));
        // The signal that the wait sees for this part may belong to another one. It is strong, so
        // it also covers the parts before it.
        const filled = gin.strongSignalInc(u32(comm.rank));
        net.put(teamWorld(comm), peer, comm.resourceWindow, slot, data.window, data.offset + addr(at), n, filled);
      }
      sent++;
    }
    links.keepSent(coop, mine, sent);
    // A later operation may overwrite the source of a send.
    net.flush(coop);
  },
);

/** Receives from any rank through the network, in parts, through this rank's link for that rank. */
export const receiveFar: DeviceFn<(coop: Coop, comm: DevComm, fifo: number, recv: Transfer) => void> = deviceFn(
  {
    name: 'receiveFar',
    use: { gin, links, teamWorld, reduceCopy, FIFO_SLOTS, SLOT: P2P_SLOT_BYTES },
  },
  (
    { gin, links, teamWorld, reduceCopy, FIFO_SLOTS, SLOT, min, u32, u64 },
    coop: Coop,
    comm: DevComm,
    fifo: number,
    { data, bytes, peer }: Transfer,
  ) => {
    const net = gin.context(comm, 0);
    const mine = links.at(comm, fifo, SLOT, peer, comm.lsaRank);
    const ready = u32(comm.nRanks + comm.rank);
    const parts = (bytes + (SLOT - 1)) / SLOT;
    if (coop.threadRank() === 0) {
      net.signal(teamWorld(comm), peer, gin.weakSignalAdd(ready, min(parts, FIFO_SLOTS)));
    }
    let received = links.receivedBefore(mine);
    for (let at = u64(0); at < bytes; at += SLOT) {
      net.waitSignal(coop, u32(peer), u64(received + 1), { bits: 32 });
      const slot = links.slotOf(mine, SLOT, received);
      reduceCopy.localCopy(coop, slot, (_i) => data.localPtr().offset(at), 1, min(bytes - at, SLOT));
      coop.sync();
      if (coop.threadRank() === 0) {
        if (at + FIFO_SLOTS * SLOT < bytes) net.signal(teamWorld(comm), peer, gin.weakSignalAdd(ready, u64(1)));
      }
      received++;
    }
    links.keepReceived(coop, mine, received);
    net.flush(coop);
  },
);
