import type { ArgValue, HeapViews, ProgramCode } from '@nccl-ts/codegen';
import type { KernelText } from '@nccl-ts/transport';

/** The bytes of a region of the heap: `[low, high)`. */
export interface AddressRange {
  readonly low: number;
  readonly high: number;
  readonly region: number;
}

/** The memory of all ranks, as a trace needs it. */
export interface TracedMemory {
  /** `views` change as a whole when the heap grows. */
  readonly heap: { readonly views: HeapViews };
  readonly space: {
    ownerOf(region: number): number | undefined;
    rangeAt(address: number): AddressRange | undefined;
  };
  isResource(region: number): boolean;
}

/** A stream of a rank. */
export interface TracedStream {
  readonly rank: number;
}

/** A launch that has started. */
export interface TracedLaunch {
  readonly rank: number;
  readonly kernel: KernelText;
  readonly code: ProgramCode;
  /** The number of CTAs, and of the threads of each. */
  readonly ctas: number;
  readonly blockThreads: number;
  readonly args: readonly ArgValue[];
  readonly stream: TracedStream;
  /** True if it may not begin before the launch before it on its stream has ended. */
  readonly isPlain?: boolean;
}

/** A request to the network. */
export interface TracedRequest {
  readonly kind: 'put' | 'putValue' | 'get' | 'signal';
  /** The rank that posted it, and the target rank. */
  readonly rank: number;
  readonly peer: number;
  /** The GIN context. */
  readonly context: number;
  readonly bytes: number;
  /** True if it was held back at first. */
  readonly held: boolean;
  /** The word that it changes at the peer, and by how much. */
  readonly signal: { readonly address: number; readonly amount: bigint } | undefined;
}
