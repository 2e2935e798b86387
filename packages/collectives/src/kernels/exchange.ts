import { devComm, symPtr, type DevComm, type DevCommArg, type SymPtr, type SymPtrArg } from '@nccl-ts/devcomm';
import {
  deviceFn,
  i32,
  kernel,
  structParam,
  u32,
  u64,
  u8,
  type Coop,
  type DeviceFn,
  type Kernel,
  type StructParam,
} from '@nccl-ts/kernel';
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

/** Sends and receives of one launch: so many of each, at most. */
export const EXCHANGE_WIDTH = 4;

/** Sends `bytes` bytes from `data` on to LSA rank `peer`, in parts, through the link that it has for this rank. */
const sendTo: DeviceFn<(coop: Coop, comm: DevComm, fifo: number, data: SymPtr, bytes: number, peer: number) => void> =
  deviceFn(
    {
      name: 'sendTo',
      use: { awaitRoom, keepSent, linkAt, postFilled, sentBefore, slotOf, reduceCopy, SLOT: P2P_SLOT_BYTES },
    },
    (
      { awaitRoom, keepSent, linkAt, postFilled, sentBefore, slotOf, reduceCopy, SLOT, u64, min },
      coop: Coop,
      comm: DevComm,
      fifo: number,
      data: SymPtr,
      bytes: number,
      peer: number,
    ) => {
      const mine = linkAt(comm, fifo, SLOT, peer, comm.lsaRank);
      const theirs = linkAt(comm, fifo, SLOT, comm.lsaRank, peer);
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

/** Receives `bytes` bytes from LSA rank `peer`, in parts, to `data` and on, through the own link for that rank. */
const receiveFrom: DeviceFn<
  (coop: Coop, comm: DevComm, fifo: number, data: SymPtr, bytes: number, peer: number) => void
> = deviceFn(
  {
    name: 'receiveFrom',
    use: { awaitFilled, keepReceived, linkAt, postEmptied, receivedBefore, slotOf, reduceCopy, SLOT: P2P_SLOT_BYTES },
  },
  (
    { awaitFilled, keepReceived, linkAt, postEmptied, receivedBefore, slotOf, reduceCopy, SLOT, u64, min },
    coop: Coop,
    comm: DevComm,
    fifo: number,
    data: SymPtr,
    bytes: number,
    peer: number,
  ) => {
    const mine = linkAt(comm, fifo, SLOT, peer, comm.lsaRank);
    const theirs = linkAt(comm, fifo, SLOT, comm.lsaRank, peer);
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

/** A send or a receive of `bytes` bytes; `peer` is an LSA rank, or -1 where there is nothing to do. */
export interface Transfer {
  readonly data: SymPtrArg;
  readonly bytes: number;
  readonly peer: number;
}

/** The same as kernels see it. */
interface DeviceTransfer {
  readonly data: SymPtr;
  readonly bytes: number;
  readonly peer: number;
}

const transfer: StructParam<DeviceTransfer, Transfer> = structParam({
  struct: 'Transfer',
  fields: { data: symPtr(u8), bytes: u64, peer: i32 },
});

/** Does what CTA `blockIdx.x` has to do for one number: the even ones send, the odd ones receive. */
const exchangeOne: DeviceFn<(comm: DevComm, fifo: number, send: DeviceTransfer, recv: DeviceTransfer) => void> =
  deviceFn(
    { name: 'exchangeOne', use: { sendTo, receiveFrom } },
    (
      { sendTo, receiveFrom, coopCta, blockIdx },
      comm: DevComm,
      fifo: number,
      send: DeviceTransfer,
      recv: DeviceTransfer,
    ) => {
      if (blockIdx.x % 2 === 0) {
        if (send.peer >= 0) sendTo(coopCta(), comm, fifo, send.data, send.bytes, send.peer);
      } else if (recv.peer >= 0) receiveFrom(coopCta(), comm, fifo, recv.data, recv.bytes, recv.peer);
    },
  );

export interface ExchangeArgs {
  readonly comm: DevCommArg;
  readonly fifo: number;
  readonly send0: Transfer;
  readonly send1: Transfer;
  readonly send2: Transfer;
  readonly send3: Transfer;
  readonly recv0: Transfer;
  readonly recv1: Transfer;
  readonly recv2: Transfer;
  readonly recv3: Transfer;
}

/**
 * Sends and receives that need each other, in one launch of `2 * EXCHANGE_WIDTH` CTAs: CTA `2 i` sends for number `i`, CTA `2 i + 1`
 * receives for it, all at the same time, so that none waits for another to begin. A rank and a peer have one send and one
 * receive at most in a launch.
 */
export const exchange: Kernel<ExchangeArgs> = kernel(
  {
    name: 'exchange',
    use: { exchangeOne },
    params: {
      comm: devComm,
      fifo: u32,
      send0: transfer,
      send1: transfer,
      send2: transfer,
      send3: transfer,
      recv0: transfer,
      recv1: transfer,
      recv2: transfer,
      recv3: transfer,
    },
  },
  ({ exchangeOne, blockIdx }, { comm, fifo, send0, send1, send2, send3, recv0, recv1, recv2, recv3 }) => {
    const number = blockIdx.x / 2;
    if (number === 0) exchangeOne(comm, fifo, send0, recv0);
    else if (number === 1) exchangeOne(comm, fifo, send1, recv1);
    else if (number === 2) exchangeOne(comm, fifo, send2, recv2);
    else exchangeOne(comm, fifo, send3, recv3);
  },
);
