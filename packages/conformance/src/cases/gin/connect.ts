import type { Communicator, DevComm } from '@nccl-ts/communicator';
import type { DevCommRequirements } from '@nccl-ts/devcomm';
import type { WorldShape } from '../../world-shape.ts';
import { count } from '../fixture/numbers.ts';

/** The requirements of every case of GIN. */
export const ginRequires = {
  scalars: ['u64'],
  primitives: ['gin.post', 'gin.acquire', 'gin.reset', 'gin.checkListed', 'gin.release'],
} as const;

/**
 * Creates a device communicator that reaches every rank through the network. Every rank calls it.
 */
export async function connect(comm: Communicator, asks: DevCommRequirements = {}): Promise<DevComm> {
  return comm.createDevComm({ ginConnectionType: 'full', ...asks });
}

/** The world ranks with the same index in their load-store domains, in order. */
export function railOf(rank: number, { ranks, lsaSize }: WorldShape): readonly number[] {
  return count(ranks / lsaSize).map((domain) => domain * lsaSize + (rank % lsaSize));
}

/** The bytes to send. Each rank and purpose has another pattern. */
export function bytesOf(rank: number, length: number, purpose = 0): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, i) => (i * 7 + rank * 61 + purpose * 29 + 3) % 251);
}

/** The flags of a window for VA signals: `WindowFlags.CollSymmetric` and `StrictOrdering`. */
export const strictlyOrdered = { flags: 3 } as const;
