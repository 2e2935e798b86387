import type { MemoryOrder, MemoryProxy, MemoryScope } from '@nccl-ts/core';

/** The size of an access in bytes. */
export type AccessBytes = 1 | 2 | 4 | 8;

/**
 * A memory location: word `word` of the shared window at LSA rank `home` or at the own rank, or of
 * the CTA's shared array. Words are 8 bytes apart, so that accesses of different sizes to one word
 * overlap.
 */
export interface Location {
  readonly home: number | 'own' | 'array';
  readonly word: number;
  readonly bytes: AccessBytes;
}

/** The order and scope of an access. A plain access has neither. */
export interface Ordering {
  readonly order: MemoryOrder;
  readonly scope: MemoryScope;
}

/** A constant, or the last value that the thread loaded plus 1. Without a load that value is 0. */
export type StoredValue = number | 'seen';

export interface Store {
  readonly kind: 'store';
  readonly at: Location;
  readonly value: StoredValue;
  readonly ordering?: Ordering;
}

/**
 * A load. With `keep`, the value goes to the window that the host reads at the end. `then` has
 * statements that run for one value only.
 */
export interface Load {
  readonly kind: 'load';
  readonly at: Location;
  readonly ordering?: Ordering;
  readonly keep: boolean;
  readonly then?: { readonly equals: number; readonly body: readonly Statement[] };
}

/** A read-modify-write. `expected` is the value with which a `Cas` compares. */
export interface Atomic {
  readonly kind: 'atomic';
  readonly update: 'Add' | 'Exch' | 'Cas' | 'Or' | 'Max';
  readonly at: Location;
  readonly value: number;
  readonly expected: number;
  readonly ordering: Ordering;
  readonly keep: boolean;
}

export interface Fence {
  readonly kind: 'fence';
  readonly ordering: Ordering;
}

export interface Wait {
  readonly kind: 'wait';
  readonly at: Location;
  readonly until: '>=' | '===' | '!==';
  readonly value: number;
  readonly ordering?: Ordering;
}

export type SignalAction = 'weakSignalInc' | 'strongSignalInc';

/**
 * A request to the network of rank `peer`, or a wait for one. Words are those of the shared window,
 * 4 bytes each.
 */
export type NetworkStatement =
  | {
      readonly kind: 'put';
      readonly context: number;
      readonly peer: number;
      readonly to: number;
      readonly from: number;
      readonly signal?: SignalAction;
      readonly counter: boolean;
    }
  | {
      readonly kind: 'putValue';
      readonly context: number;
      readonly peer: number;
      readonly to: number;
      readonly value: number;
      readonly signal?: SignalAction;
    }
  | {
      readonly kind: 'get';
      readonly context: number;
      readonly peer: number;
      readonly from: number;
      readonly to: number;
    }
  | { readonly kind: 'signal'; readonly context: number; readonly peer: number; readonly signal: SignalAction }
  | { readonly kind: 'waitSignal'; readonly context: number; readonly least: number; readonly order?: MemoryOrder }
  | { readonly kind: 'waitCounter'; readonly context: number; readonly least: number }
  | { readonly kind: 'flush'; readonly context: number };

/**
 * An operation of the compute fabric, or a step around it. It moves 16-byte units of the shared
 * window, of two words each, from and to the thread's own part of shared memory.
 */
export type FabricStatement =
  /** Stores to all words of the first units of the part. */
  | { readonly kind: 'fabricFill'; readonly value: number; readonly units: 1 | 2 }
  /** Loads the last word of a unit of the part, and keeps it. */
  | { readonly kind: 'fabricLook'; readonly unit: number }
  | {
      readonly kind: 'fabricPut';
      readonly peer: number;
      readonly unit: number;
      readonly units: 1 | 2;
      readonly counted: boolean;
    }
  | { readonly kind: 'fabricGet'; readonly peer: number; readonly unit: number }
  | { readonly kind: 'fabricSubmit' | 'fabricFlush' | 'fabricFlushSmem' }
  /** A fence of block scope, for the part. */
  | {
      readonly kind: 'fabricFence';
      readonly order: MemoryOrder;
      readonly producer: MemoryProxy;
      readonly consumer: MemoryProxy;
      readonly scope: 'block' | 'system';
    }
  /** Waits for that many bytes at the thread's own counter. */
  | { readonly kind: 'fabricWait'; readonly order: MemoryOrder; readonly least: number };

export type Statement = Store | Load | Atomic | Fence | Wait | NetworkStatement | FabricStatement;

/** Part of a kernel: the statements of one thread, or a call that all threads make. */
export type KernelPart =
  | {
      readonly kind: 'thread';
      readonly rank: number;
      readonly cta: number;
      readonly thread: number;
      readonly body: readonly Statement[];
    }
  /** The threads of each CTA synchronize. With `rank`, only those of that rank. */
  | { readonly kind: 'sync'; readonly rank?: number }
  /** An LSA barrier for each CTA of all ranks. */
  | { readonly kind: 'barrier'; readonly order: MemoryOrder }
  /** A barrier over the network, of one CTA of each rank. */
  | { readonly kind: 'networkBarrier'; readonly order: MemoryOrder; readonly fence: 'none' | 'put' }
  /**
   * A barrier by loads and stores within a domain and by the network across domains, for each CTA.
   * All of a kernel have the same tag.
   */
  | {
      readonly kind: 'hybridBarrier';
      readonly tag: 'world' | 'lsa' | 'rail';
      readonly order: MemoryOrder;
      readonly fence: 'none' | 'put' | 'putGet';
    };

export interface KernelParts {
  readonly parts: readonly KernelPart[];
}

/**
 * A step of the host programs. Without `rank`, every rank's host executes it. Stream 0 is the
 * default stream.
 */
export type HostStep =
  | { readonly kind: 'launch'; readonly rank?: number; readonly kernel: number; readonly stream: number }
  | { readonly kind: 'synchronize'; readonly rank?: number; readonly stream: number }
  | { readonly kind: 'write'; readonly rank?: number; readonly word: number; readonly value: number }
  | { readonly kind: 'read'; readonly rank?: number; readonly word: number }
  /** All hosts synchronize in a collective call. */
  | { readonly kind: 'meet' };

/**
 * A program for several ranks as a plain value that JSON can hold. After its steps, each host
 * synchronises and reads the values that its kernels have stored. With `readsWords`, all hosts then
 * synchronize with each other and also read their words.
 */
export interface CampaignProgram {
  readonly ranks: number;
  readonly lsaSize: number;
  readonly grid: number;
  readonly block: number;
  readonly words: number;
  readonly kernels: readonly KernelParts[];
  readonly steps: readonly HostStep[];
  readonly readsWords: boolean;
}
