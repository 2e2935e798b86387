import type { FaultyAccess, PeerOfNobody } from './fault-report.ts';
import type { Fault } from './fault.ts';
import type { WindowByte } from './window-byte.ts';

/** A backend's map of its memory: the addresses of the bytes of windows. */
export interface WindowFinder<Byte extends WindowByte = WindowByte> {
  /** The window byte for an address of a region, even if it is outside the window. */
  locate(pointer: { readonly address: number; readonly region: number }): Byte | undefined;
  /**
   * For an address without a region: the nearest byte of a window before or after it, if that is
   * close.
   */
  near?(address: number): { readonly byte: WindowByte; readonly distance: number } | undefined;
  /**
   * For an address without a region: the peer that the pointer was made for, if there is no such
   * peer.
   */
  strayPeer?(address: number): PeerOfNobody | undefined;
  /** The window that owned a region before it was freed. */
  formerOwner(region: number): WindowByte['window'] | undefined;
  /**
   * The memory at the address where byte `offset` of the copy of `byte` would be. It is usually a
   * byte of another window. `undefined`, or the end of a window, if there is no memory there.
   */
  beside(byte: Byte, offset: number): WindowByte | undefined;
}

/**
 * Describes the memory of a fault as a window and its bytes, and the memory that the access would
 * reach outside its window. Returns `undefined` for faults that are not about memory.
 */
export function describeAccess<Byte extends WindowByte>(
  fault: Fault,
  finder: WindowFinder<Byte>,
): FaultyAccess | undefined {
  const { address, region, bytes, arrayBytes } = fault;
  if (address === undefined || bytes === undefined) return undefined;
  const common = {
    bytes,
    space: fault.space ?? 'global',
    ...(arrayBytes === undefined ? {} : { arrayBytes }),
  };
  if (common.space !== 'global' || region === undefined) return { ...common, offset: address };
  const peer = region === 0 ? finder.strayPeer?.(address) : undefined;
  if (peer !== undefined) return { ...common, offset: 0, peer };
  const at = finder.locate({ address, region });
  if (at === undefined) {
    const gone = finder.formerOwner(region);
    const lands = gone === undefined ? nearText(address, finder) : `${gone.name}, which is deregistered`;
    const isAddress = gone === undefined && region === 0 && finder.near !== undefined && address >= 2 ** 32;
    return { ...common, offset: address, ...(isAddress ? { address } : {}), ...(lands === undefined ? {} : { lands }) };
  }
  const window = { name: at.window.name, bytes: at.window.bytes, rank: at.rank };
  const stray = at.offset >= 0 && at.offset < at.window.bytes ? at.window.bytes : at.offset;
  const isOutside = at.offset < 0 || at.offset + common.bytes > at.window.bytes;
  return {
    ...common,
    offset: at.offset,
    window,
    ...(isOutside ? { lands: landsText(finder.beside(at, stray)) } : {}),
  };
}

/** The distance of an address from the nearest memory. */
function nearText(address: number, finder: WindowFinder): string | undefined {
  const found = finder.near?.(address);
  if (found === undefined) return undefined;
  const { byte, distance } = found;
  const side = distance > 0 ? 'after the end of' : 'before the beginning of';
  const bytes = Math.abs(distance);
  return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'} ${side} ${byte.window.name}, rank ${byte.rank}'s copy`;
}

function landsText(found: WindowByte | undefined): string {
  return found === undefined || found.offset === found.window.bytes
    ? 'nothing'
    : `byte ${found.offset} of ${found.window.name}, rank ${found.rank}'s copy`;
}
