import { devComm, type DevComm, type DevCommArg } from '@nccl-ts/devcomm';
import { deviceFn, kernel, u32, type DeviceFn, type Kernel } from '@nccl-ts/kernel';
import { receiveFar, sendFar } from './far-transfer.ts';
import { receiveNear, sendNear } from './near-transfer.ts';
import { transfer, type Transfer, type TransferArg } from './transfer.ts';

/** The largest numbers of sends and of receives in one launch. */
export const EXCHANGE_WIDTH = 4;

export interface ExchangeArgs {
  readonly comm: DevCommArg;
  readonly fifo: number;
  readonly send0: TransferArg;
  readonly send1: TransferArg;
  readonly send2: TransferArg;
  readonly send3: TransferArg;
  readonly recv0: TransferArg;
  readonly recv1: TransferArg;
  readonly recv2: TransferArg;
  readonly recv3: TransferArg;
}

/** The parameters of both kernels. */
const params = {
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
};

/**
 * Runs sends and receives that depend on each other in one launch of `2 * EXCHANGE_WIDTH` CTAs. CTA
 * `2 i` sends for index `i`, and CTA `2 i + 1` receives for it. All run concurrently, so none has
 * to wait until another starts. A launch has at most one send and one receive between a rank and a
 * peer. The kernel uses only loads and stores, so it requires a single load-store domain.
 *
 * It selects the CTA's transfer first, so that its text contains one send and one receive.
 */
export const exchange: Kernel<ExchangeArgs> = /* @__PURE__ */ kernel(
  { name: 'exchange', use: { receiveNear, sendNear }, params },
  (
    { receiveNear, sendNear, coopCta, blockIdx },
    { comm, fifo, send0, send1, send2, send3, recv0, recv1, recv2, recv3 },
  ) => {
    const number = blockIdx.x / 2;
    if (blockIdx.x % 2 === 0) {
      let data = send0.data.localPtr();
      let bytes = send0.bytes;
      let peer = send0.peer;
      if (number === 1) {
        data = send1.data.localPtr();
        bytes = send1.bytes;
        peer = send1.peer;
      } else if (number === 2) {
        data = send2.data.localPtr();
        bytes = send2.bytes;
        peer = send2.peer;
      } else if (number === 3) {
        data = send3.data.localPtr();
        bytes = send3.bytes;
        peer = send3.peer;
      }
      if (peer >= 0) sendNear(coopCta(), comm, fifo, data, bytes, peer);
    } else {
      let data = recv0.data.localPtr();
      let bytes = recv0.bytes;
      let peer = recv0.peer;
      if (number === 1) {
        data = recv1.data.localPtr();
        bytes = recv1.bytes;
        peer = recv1.peer;
      } else if (number === 2) {
        data = recv2.data.localPtr();
        bytes = recv2.bytes;
        peer = recv2.peer;
      } else if (number === 3) {
        data = recv3.data.localPtr();
        bytes = recv3.bytes;
        peer = recv3.peer;
      }
      if (peer >= 0) receiveNear(coopCta(), comm, fifo, data, bytes, peer);
    }
  },
);

/** The work of a CTA of `farExchange` for one index: even CTAs send, and odd ones receive. */
const exchangeOne: DeviceFn<(comm: DevComm, fifo: number, send: Transfer, recv: Transfer) => void> = deviceFn(
  { name: 'exchangeOne', use: { receiveFar, receiveNear, sendFar, sendNear } },
  (
    { receiveFar, receiveNear, sendFar, sendNear, coopCta, blockIdx },
    comm: DevComm,
    fifo: number,
    send: Transfer,
    recv: Transfer,
  ) => {
    const domain = comm.rank / comm.lsaSize;
    if (blockIdx.x % 2 === 0) {
      if (send.peer >= 0) {
        if (send.peer / comm.lsaSize === domain)
          sendNear(coopCta(), comm, fifo, send.data.localPtr(), send.bytes, send.peer);
        else sendFar(coopCta(), comm, fifo, send);
      }
    } else if (recv.peer >= 0) {
      if (recv.peer / comm.lsaSize === domain)
        receiveNear(coopCta(), comm, fifo, recv.data.localPtr(), recv.bytes, recv.peer);
      else receiveFar(coopCta(), comm, fifo, recv);
    }
  },
);

/**
 * Does the same over several load-store domains. Data for a peer in another domain goes through the
 * network.
 *
 * Requires a GIN connection to the peers, with `farSignals` signals starting at signal 0.
 */
export const farExchange: Kernel<ExchangeArgs> = /* @__PURE__ */ kernel(
  { name: 'farExchange', use: { exchangeOne }, params },
  ({ exchangeOne, blockIdx }, { comm, fifo, send0, send1, send2, send3, recv0, recv1, recv2, recv3 }) => {
    const number = blockIdx.x / 2;
    if (number === 0) exchangeOne(comm, fifo, send0, recv0);
    else if (number === 1) exchangeOne(comm, fifo, send1, recv1);
    else if (number === 2) exchangeOne(comm, fifo, send2, recv2);
    else exchangeOne(comm, fifo, send3, recv3);
  },
);
