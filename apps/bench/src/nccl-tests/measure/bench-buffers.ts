import type { Communicator, Window, World } from '@nccl-ts/communicator';
import type { BenchCall, RankBuffers } from '../contender.ts';
import type { CallCounts } from '../bench-program.ts';

/** A rank's windows, as bytes. */
export interface RankWindows {
  readonly comm: Communicator;
  readonly send: Window<'u8'>;
  readonly recv: Window<'u8'>;
}

/** The first bytes of a call's data on one rank. */
export interface CallBuffers {
  readonly comm: Communicator;
  readonly from: Window<'u8'>;
  readonly fromByte: number;
  readonly to: Window<'u8'>;
  readonly toByte: number;
}

/** The number of elements of the widest type. */
const WIDEST = 8;

/**
 * Creates the windows from which every rank sends and into which it receives. They have `bytes`
 * bytes after `unalign` elements of any type.
 */
export async function allocBuffers(world: World, bytes: number, unalign: number): Promise<readonly RankWindows[]> {
  const size = bytes + WIDEST * unalign;
  const comms = world.localRanks.map((rank) => world.comm(rank));
  const windows = async () => Promise.all(comms.map(async (comm) => comm.allocWindow('u8', size)));
  const send = await windows();
  const recv = await windows();
  return comms.flatMap((comm, i) => {
    const [from, to] = [send[i], recv[i]];
    return from === undefined || to === undefined ? [] : [{ comm, send: from, recv: to }];
  });
}

/**
 * The start of a call's data on a rank. In place, it sends from the window into which it receives.
 * `firstByte` is where the call's buffers begin in both.
 */
export function buffersOf(
  windows: RankWindows,
  call: { readonly counts: CallCounts; readonly elementBytes: number; readonly inPlace: boolean },
  firstByte: number,
): CallBuffers {
  const { comm, send, recv } = windows;
  const { counts, elementBytes, inPlace } = call;
  const offset = (elements: number): number => firstByte + (inPlace ? elements * elementBytes * comm.rank : 0);
  return {
    comm,
    from: inPlace ? recv : send,
    fromByte: offset(counts.sendInPlace),
    to: recv,
    toByte: offset(counts.recvInPlace),
  };
}

/** The same as pointers to elements. */
export function pointersTo({ comm, from, fromByte, to, toByte }: CallBuffers, { type }: BenchCall): RankBuffers {
  return { comm, send: from.symPtr(fromByte, type.kind), recv: to.symPtr(toByte, type.kind) };
}

/**
 * The number of bytes by which iteration `iter` is shifted in buffers of `bytes`, so that caches do
 * not contain its data.
 */
export function shiftOf(iter: number, usedBytes: number, bytes: number): number {
  return usedBytes === 0 ? 0 : usedBytes * (iter % Math.floor(bytes / usedBytes));
}
