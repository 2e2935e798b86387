import { at } from '@nccl-ts/core';
import type { PostedOperation, WindowValue } from '@nccl-ts/codegen';
import type { EndpointTable } from '../memory/endpoint-table.ts';
import { fabricMisuse } from './misuse-text.ts';
import type { PutTarget } from './operation.ts';

/** Reports invalid operations to the thread that makes the call. */
export interface Refusals {
  misuse(message: string): never;
  /** Reports bytes that start at an address of a window's copy but are not in the window. */
  outside(window: WindowValue, rank: number, address: number, bytes: number): never;
}

/** Returns the copies that an operation reaches. Refuses operations that violate a rule. */
export function targetsOf(endpoints: EndpointTable, posted: PostedOperation, refuses: Refusals): readonly PutTarget[] {
  const { endpoint, counting, leId, leOffset, bytes } = posted;
  const found = endpoints.at(leId, leOffset) ?? refuses.misuse(fabricMisuse.noPlace());
  const given = found.isMulticast ? 'multicast' : 'unicast';
  if (given !== endpoint) refuses.misuse(fabricMisuse.otherEndpoint(endpoint, given));
  if (counting === 'counted' && !found.isCounted) refuses.misuse(fabricMisuse.notCounted());
  if (found.offset % 16 !== 0) refuses.misuse(fabricMisuse.placeAlignment(found.offset));
  const counter = counting === 'counted' ? counterOf(endpoints, posted, found.window, refuses) : undefined;
  const { copies } = found.window;
  return found.ranks.map((rank) => {
    const base = at(copies.bases, rank);
    const address = base + found.offset;
    if (found.offset + bytes > copies.bytes) refuses.outside(found.window, rank, address, bytes);
    const count = counter === undefined ? undefined : base + counter;
    return { address, rank: copies.ranks[rank] ?? rank, counter: count };
  });
}

/** Returns the counter's offset in the window. */
function counterOf(
  endpoints: EndpointTable,
  { leId, counterOffset }: PostedOperation,
  window: WindowValue,
  refuses: Refusals,
): number {
  const found = endpoints.at(leId, counterOffset);
  if (found?.window.copies !== window.copies) refuses.misuse(fabricMisuse.noPlace());
  if (found.offset % 256 !== 0) refuses.misuse(fabricMisuse.counterPlace(found.offset));
  const rank = at(found.ranks, 0);
  const address = at(window.copies.bases, rank) + found.offset;
  if (found.offset + 8 > window.copies.bytes) refuses.outside(window, rank, address, 8);
  return found.offset;
}
