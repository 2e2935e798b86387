import { ginPeerField } from '../memory/gin-peer-fields.ts';
import { type DevCommValue, networkMisuse } from '@nccl-ts/codegen';

/**
 * Returns the error unless the calling rank and rank `world`, which is member `peer` of a team,
 * list each other.
 */
export function unlistedPeer({ fields }: DevCommValue, peer: number, world: number): string | undefined {
  if (fields[ginPeerField(world)] === 1) return undefined;
  return networkMisuse.notListed(peer, world, Number(fields['rank']));
}
