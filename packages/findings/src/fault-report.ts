import type { CtaIdentity } from '@nccl-ts/transport';
import type { Fault, FaultKind } from './fault.ts';
import type { QuotedLocation } from './quoted-location.ts';

/** A peer for which a pointer was made but that does not exist. */
export interface PeerOfNobody {
  /** Absent if it is not known. */
  readonly peer?: number;
  /** The number of LSA ranks, or 0 if only the network uses the window. */
  readonly lsaSize: number;
}

/** The fault of a thread: the `details` of a fault's error. */
export interface FaultReport {
  readonly kind: FaultKind;
  readonly kernel: string;
  /** The number of the launch in the world, from 0. */
  readonly launch: number;
  readonly rank: number;
  readonly blockIdx: CtaIdentity['blockIdx'];
  /** Linear index in its CTA. */
  readonly thread: number;
  /** The action of the statement: `load`, `store`, `atomic`, ... */
  readonly what: string;
  /** Absent if the kernel's text is not known. */
  readonly place: QuotedLocation | undefined;
  /** For memory faults. */
  readonly access?: FaultyAccess;
  /** Where the pointer to a peer that does not exist was made, or the value that breaks a rule. */
  readonly origin?: FaultOrigin;
  /** For assertions: the author's text. */
  readonly message?: string;
  /** For a CTA that ran for too many turns, perhaps because it waits: their number. */
  readonly turns?: number;
}

/** An earlier line that a fault follows from. */
export interface FaultOrigin {
  /** `pointer to peer 4 made`. */
  readonly does: string;
  readonly place: QuotedLocation;
}

export interface FaultyAccess {
  readonly bytes: number;
  readonly space: NonNullable<Fault['space']>;
  /**
   * The offset in bytes from the beginning of the window or array for which the pointer was made.
   */
  readonly offset: number;
  /**
   * That window: its name, its size, and the rank of the copy. Absent for arrays, the null pointer
   * and freed windows.
   */
  readonly window?: { readonly name: string; readonly bytes: number; readonly rank: number };
  /**
   * For a pointer from a device address without memory: that address. `offset` is the same number.
   */
  readonly address?: number;
  /** For a pointer to the copy of a peer that does not exist. `offset` is meaningless then. */
  readonly peer?: PeerOfNobody;
  /** The size in bytes of the whole shared or local array, if known. */
  readonly arrayBytes?: number;
  /**
   * Describes the memory that the access would reach outside the window: `byte 0 of window 1, rank
   * 2's copy`.
   */
  readonly lands?: string;
}
