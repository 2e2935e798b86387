import type { DevCommPlan } from '@nccl-ts/devcomm';

/** The field of a device communicator that is 1 if the rank reaches rank `peer` by its list. */
export function ginPeerField(peer: number): string {
  return `ginPeers.${peer}`;
}

/** Returns these fields for the peers that `rank` reaches. */
export function ginPeerFields({ ginPeers }: DevCommPlan, rank: number): Readonly<Record<string, number>> {
  return Object.fromEntries((ginPeers?.[rank] ?? []).map((peer) => [ginPeerField(peer), 1]));
}
