import type { CtaIdentity } from './cta-identity.ts';
import type { Fault, FaultKind } from './fault.ts';
import type { SourcePlace } from './kernel-text.ts';

/** A peer that a pointer was made for and that is none. */
export interface PeerOfNobody {
  /** Absent where it is not known. */
  readonly peer?: number;
  /** How many LSA ranks there are. */
  readonly lsaSize: number;
}

/** What a thread did that it may not: the `details` of a fault's error. */
export interface FaultReport {
  readonly kind: FaultKind;
  readonly kernel: string;
  /** Counts the launches of the world, from 0. */
  readonly launch: number;
  readonly rank: number;
  readonly blockIdx: CtaIdentity['blockIdx'];
  /** Linear index in its CTA. */
  readonly thread: number;
  /** What the statement does: `load`, `store`, `atomic`, ... */
  readonly what: string;
  /** Absent where the kernel's text is not known. */
  readonly place: SourcePlace | undefined;
  /** Of memory faults. */
  readonly access?: FaultyAccess;
  /** What the kernel's author says, of assertions. */
  readonly message?: string;
}

export interface FaultyAccess {
  readonly bytes: number;
  readonly space: NonNullable<Fault['space']>;
  /** Bytes from the beginning of the window or array the pointer was made for. */
  readonly offset: number;
  /**
   * That window: its name, its size, and whose copy. Absent for arrays, the null pointer and
   * windows that are gone.
   */
  readonly window?: { readonly name: string; readonly bytes: number; readonly rank: number };
  /**
   * Of a pointer made of a device address that stands for no memory: that address. `offset` is the
   * same number.
   */
  readonly address?: number;
  /** Of a pointer to the copy of a peer that does not exist. `offset` says nothing then. */
  readonly peer?: PeerOfNobody;
  /** Bytes of the whole shared or local array, where they are known. */
  readonly arrayBytes?: number;
  /**
   * What lies where the access leaves the window, in words: `byte 0 of window 1, rank 2's copy`.
   */
  readonly lands?: string;
}
