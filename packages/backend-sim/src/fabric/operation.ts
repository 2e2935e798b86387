import type { Caller, FabricReduction, HeapViews } from '@nccl-ts/codegen';

/** A copy of a put's destination. */
export interface PutTarget {
  /** The heap address of the first byte, and the world rank. */
  readonly address: number;
  readonly rank: number;
  /** The heap address of the u64 that counts the bytes, if they are counted. */
  readonly counter: number | undefined;
}

/** The state in shared memory that a session uses, with its operations. */
export interface Tracked {
  /** The CTA's shared memory, and the address of the state in it. */
  readonly shared: HeapViews;
  readonly address: number;
  /** By thread: the operations that it has not submitted. */
  readonly held: Map<number, FabricOperation[]>;
  /**
   * The submitted operations of the current phase, and the phases that have ended, oldest first.
   */
  readonly present: FabricOperation[];
  readonly phases: Phase[];
  /** The operations whose sources were read, by thread. */
  readonly submitted: Map<number, FabricOperation[]>;
}

/** The operations of a phase that has ended. */
export interface Phase {
  readonly operations: readonly FabricOperation[];
  /** The thread that ended it. */
  readonly by: Caller;
}

/**
 * A part of an operation's bytes that is read at one time, and written to each copy at one time.
 */
export interface OperationPiece {
  readonly index: number;
  readonly offset: number;
  readonly bytes: number;
}

/** Returns the number of a piece of one copy among an operation's writes. */
export function partOf({ pieces }: FabricOperation, piece: OperationPiece, copy: number): number {
  return copy * pieces.length + piece.index;
}

/** An asynchronous operation of a logical endpoint. */
export interface FabricOperation {
  /** The operation's number in the world. */
  readonly number: number;
  /** The direction: a reduction into the destination is a put, one of all copies a get. */
  readonly kind: 'put' | 'get';
  readonly reduction?: FabricReduction | undefined;
  readonly by: Caller;
  readonly rank: number;
  /** The address in shared memory. */
  readonly near: number;
  readonly bytes: number;
  /** Each bit selects one byte of each 16. */
  readonly mask: number;
  /** For a put, all copies of its destination. For a get, the memory that it reads. */
  readonly far: readonly PutTarget[];
  readonly data: Uint8Array;
  readonly pieces: readonly OperationPiece[];
  /** The number of pieces to read, and of pieces of copies to write. */
  unread: number;
  unwritten: number;
}
