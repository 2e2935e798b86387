import type { AccessScope, MemoryOrder, MemoryProxy } from '@nccl-ts/core';
import type { Fault, Site, WaitedWord, Waiting } from '@nccl-ts/findings';
import type { CtaIdentity } from '@nccl-ts/transport';
import type { Body, LaunchSpecialisation } from '@nccl-ts/ir';
import type { ClusterPort, ClusterReports } from './cluster-port.ts';
import type { CtaTrace } from './cta-trace.ts';
import type { HeapViews } from './heap-views.ts';
import type { RegionReport } from './region.ts';
import type { WebAssemblyMemory } from './web-assembly.ts';
import type { ThreadPace } from './thread-pace.ts';

// The interface between generated code (`emit-js`) and the machine that runs it (`engine`).

/**
 * The parts of the heap to which pointers may point. A pointer is an address, and the region for
 * which it was made. An access faults unless `low[region] <= address` and
 * `address + bytes <= high[region]`. Region 0 is empty and is the null region.
 */
export interface Regions {
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** By region: its multicast address. Such a region has no bytes, so every access faults. */
  readonly multicast: readonly (Multicast | undefined)[];
}

/** The copies of one window that a multicast address reaches together. */
export interface Multicast {
  /** The name in messages, such as `window 2`. */
  readonly window: string;
  /** The address of the window's first byte. */
  readonly address: number;
  /** The heap address and region of each member's copy. */
  readonly bases: Float64Array;
  readonly regions: Int32Array;
}

/** A window as kernels of one rank see it, with its copy at each LSA peer. */
export interface WindowValue {
  /** The heap address of each LSA peer's copy, by LSA rank. */
  readonly bases: Float64Array;
  /** The regions of the LSA peers' copies: `firstRegion + lsaRank`. */
  readonly firstRegion: number;
  readonly lsaSize: number;
  /**
   * The regions of its multicast addresses, by the start (`mcBasePtr`) of each group's addresses.
   * The rank belongs to these groups.
   */
  readonly multicast: ReadonlyMap<number, number>;
  /** The numeric fields of the handle, by name (`bytes`, `lsaRank`, `worldRank`, ...). */
  readonly fields: Readonly<Record<string, number>>;
  /** The copies of all ranks, for the network. */
  readonly copies: WindowCopies;
}

/** A window's copies, by rank in its communicator. All ranks' values of the window share them. */
export interface WindowCopies {
  /** Heap addresses. */
  readonly bases: ArrayLike<number>;
  readonly regions: ArrayLike<number>;
  /** The ranks of the world. */
  readonly ranks: ArrayLike<number>;
  readonly bytes: number;
  /** True if network accesses to it are strictly ordered, which signals in it require. */
  readonly strictOrdering: boolean;
  /** True if its fabric endpoints count bytes. */
  readonly cftCounted: boolean;
}

/** A device communicator as kernels of one rank see it. */
export interface DevCommValue {
  /** Numeric fields by (dotted) name: `rank`, `lsaSize`, `lsaBarrier.bufHandle`, ... */
  readonly fields: Readonly<Record<string, number>>;
  /** Fields that are windows, by name: `resourceWindow`. */
  readonly windows: Readonly<Record<string, WindowValue>>;
}

/** The value of a module parameter: vectors element by element, and pointers with their region. */
export type ArgValue =
  | number
  | bigint
  | boolean
  | readonly (number | bigint)[]
  | { readonly address: number; readonly region: number }
  | WindowValue
  | DevCommValue;

/** A byte of a window, for kernels of one rank. */
export interface WindowLocation {
  readonly window: WindowValue;
  readonly offset: number;
}

/**
 * A memory whose accesses are reported to a watch before they happen. Each site has the size, the
 * order and the scope.
 */
export interface WatchedSpace {
  load(thread: number, address: number, bytes: number, site: number): void;
  store(thread: number, address: number, bytes: number, site: number): void;
  loadStrong(thread: number, address: number, site: number): void;
  storeStrong(thread: number, address: number, site: number): void;
  /** A read-modify-write. Without `wrote` it is only a read. */
  update(thread: number, address: number, site: number, wrote: boolean): void;
}

/**
 * The groups of a thread that a copy may join: those of `cp.async.bulk`, those of `cp.async`, or
 * those of matrix instructions, which read shared memory like a copy.
 */
export type BulkGroups = 'bulk' | 'async' | 'matrix';

/**
 * Bulk copies as in PTX. The accesses of a thread between `begins` and `ends` belong to a copy,
 * which runs separately, through its own proxy. The copy is ordered after earlier accesses of the
 * thread, and only before threads that wait for it.
 */
export interface BulkWatch {
  /** `isGeneric` is true for `st.async` and `cp.async`, which use the generic proxy. */
  begins(thread: number, isGeneric: boolean): void;
  /** The copy has read and written. Later accesses of the thread signal that. */
  copied(thread: number): void;
  /** The thread may wait for the copy as part of a group of `groups`, if given. */
  ends(thread: number, groups: BulkGroups | undefined): void;
  /** The copies so far that are in no group become a group. */
  commits(thread: number, groups: BulkGroups): void;
  /**
   * The thread has waited for all its groups except the newest `left`. With `onlyReads`, it has
   * only waited until they had read.
   */
  waits(thread: number, left: number, onlyReads: boolean, groups: BulkGroups): void;
}

/** Receives the reports of watched code: everything that orders accesses. */
export interface CtaWatch extends ClusterReports {
  readonly global: WatchedSpace;
  readonly shared: WatchedSpace;
  readonly bulk: BulkWatch;
  fence(thread: number, order: MemoryOrder, scope: AccessScope): void;
  fenceProxy(thread: number): void;
  fenceFabric(
    thread: number,
    producer: MemoryProxy,
    consumer: MemoryProxy,
    order: MemoryOrder,
    scope: AccessScope,
  ): void;
  /** The thread knows that these fabric operations have read their sources. */
  fabricRead(thread: number, operations: readonly object[]): void;
  /** The thread has seen the end of the previous launch on the stream. */
  afterDependency(thread: number): void;
  /** The network applies the pending signals of a word. */
  settle(thread: number, address: number): void;
  /** A u64 was read with an order, outside a wait. */
  reads(address: number): void;
  /**
   * A wait has ended. The ordered reads from now until `passed` are those that satisfied it.
   * Returns true if its conditions are requested.
   */
  passes(): boolean;
  /**
   * The condition of the passing wait has read these words. If `reached` is true, they have the
   * awaited value, and `excess` more if that is known. Otherwise the wait timed out.
   */
  waited(words: readonly WaitedWord[], reached: boolean, excess: number | bigint | undefined): void;
  /**
   * If requested, called for each word that the condition read, with the bits that let the wait
   * pass independently of the other words; `undefined` if they depend on those. `isUsedAfter` is
   * true if the word's value is used after the wait.
   */
  wants(accepts: ((bits: bigint) => boolean) | 'any' | undefined, isUsedAfter: boolean): void;
  /**
   * For a wait that reads the clock, `reached` is true if its condition held, and false if it timed
   * out.
   */
  passed(reached?: boolean): void;
  /** A session is about to read the word with its saved state, or to write it at its end. */
  beginsSession(thread: number, address: number, site: number, session: number): void;
  endsSession(address: number, site: number): void;
  /** A thread stores to a copy behind a multicast address, by an ordinary store. */
  broadcasts(thread: number, site: number): void;
  /** The thread has executed something that is not modelled exactly. */
  approximates(site: number, how: string): void;
  /** GIN sets a signal or counter to 0. */
  resets(thread: number, address: number, site: number): void;
  /** All threads of the CTA synchronize, or those of each tile of `size`, or those of `members`. */
  meetAll(): void;
  meetTiles(size: number): void;
  meet(members: readonly number[]): void;
  /** The same, at a named barrier of the CTA. Some threads may complete it without the others. */
  meetAt(barrier: number, members: readonly number[]): void;
  /** These lanes of a warp now run the instruction after a point of the program together. */
  together(lanes: readonly number[], point: number): void;
  /** A thread runs its next instruction alone. */
  alone(thread: number): void;
  /** The CTA has ended. */
  done(): void;
}

/**
 * The heap's bytes, and the part that generated code shares with JavaScript: `FRAME_BYTES`, a
 * multiple of 64.
 */
export interface LinearMemory {
  readonly memory: WebAssemblyMemory;
  readonly frame: number;
}

/** A check by a thread of the time limit of a wait whose condition does not hold. */
export interface TimedLook {
  /** The source location of the wait. */
  readonly site: number;
  readonly cta: CtaIdentity;
  readonly thread: number;
  /** True if the thread gives up when the limit has expired; otherwise it checks again. */
  readonly isLast: boolean;
}

/** The services of the machine for generated code. Each launch has its own. */
export interface ProgramHost {
  readonly heap: HeapViews;
  readonly regions: Regions;
  /**
   * Returns the simulated cycles, which grow with every call. `timesWaits` is true if only the time
   * limits of waits depend on them. With `look`, the read decides if its wait gives up.
   */
  clock(timesWaits?: boolean, look?: TimedLook): bigint;
  print(cta: CtaIdentity, thread: number, parts: readonly (string | number | bigint | boolean)[]): void;
  /**
   * Returns the window whose copy at the launch's rank contains the pointer, and the byte in it.
   */
  windowAt(pointer: { readonly address: number; readonly region: number }): WindowLocation | undefined;
  /**
   * Returns the pointer for a device address, on the launch's rank. If there is no memory, accesses
   * through the pointer fault.
   */
  pointerAt(address: number): { readonly address: number; readonly region: number };
  /** The device address of a pointer to a region. */
  addressOf(address: number, region: number): number;
  /** @throws the `NcclError` with the location and the fault */
  fault(cta: CtaIdentity, fault: Fault): never;
  readonly network: NetworkPort;
  /** Absent on host threads that run no kernels with fabric operations. */
  readonly fabric?: FabricPort | undefined;
  /**
   * True if the event loop waits for the host's thread, so that the turn must pause. If absent,
   * turns never pause.
   */
  readonly isLate?: (() => boolean) | undefined;
  /** Absent on host threads that run no kernels with clusters. */
  readonly clusters?: ClusterPort | undefined;
  /** Absent if no launch begins before the previous one ends. */
  readonly dependency?: GridDependencyPort | undefined;
  /** The heap as WebAssembly memory, for code that is partly WebAssembly. */
  readonly linear?: LinearMemory | undefined;
  /** Records time, for code that was generated with tracing. */
  readonly trace?: { open(cta: CtaIdentity): CtaTrace } | undefined;
  /**
   * Returns the pace of the threads of a CTA of the given size, for code whose threads may stop.
   */
  readonly pace?: ((cta: CtaIdentity, threads: number) => ThreadPace) | undefined;
  /**
   * Checks the order of accesses, for code that was generated with a watch. `shared` is the CTA's
   * shared memory; absent if it has none.
   */
  readonly watch?: { open(cta: CtaIdentity, shared?: HeapViews): CtaWatch } | undefined;
}

/**
 * The caller, for faults: a CTA, a thread by its linear index, and a source location by its number.
 */
export interface Caller {
  readonly cta: CtaIdentity;
  readonly thread: number;
  readonly site: number;
  readonly trace?: CtaTrace | undefined;
  readonly watch?: CtaWatch | undefined;
}

/**
 * The network requests of kernels. Rules that NCCL does not check are checked here. A violation
 * throws.
 */
export interface NetworkPort {
  post(caller: Caller, request: PostedRequest): void;
  /** Applies the effect of a read of the word at `address` with acquire order. */
  acquire(caller: Caller, address: number): void;
  /** Sets a signal or counter to 0. */
  reset(caller: Caller, address: number): void;
  /** Reports rank `world`, member `peer` of a team, if it and the caller do not list each other. */
  checkListed(caller: Caller, comm: DevCommValue, peer: number, world: number): void;
  /** Releases requests that were held back. */
  release(caller: Caller, comm: DevCommValue, context: number, peer: number): void;
  /** Lets the rank's earlier puts arrive before the caller's later operations at their ranks. */
  deliver(caller: Caller): void;
  /** Applies the effect of a fence with acquire order. */
  fence(): void;
}

/** A pointer to shared memory, and the bounds of its array. */
export interface SharedRange {
  readonly address: number;
  readonly region: number;
  readonly low: number;
  readonly high: number;
}

/** A reduction's effect on the elements of its bytes. */
export interface FabricReduction {
  readonly op: 'sum' | 'min' | 'max' | 'and' | 'or' | 'xor';
  readonly element: 'u32' | 'i32' | 'u64' | 'i64';
}

/** An operation of a logical endpoint in a kernel's terms. */
export interface PostedOperation {
  readonly kind: 'put' | 'get';
  /** Absent: the bytes are copied. */
  readonly reduction?: FabricReduction;
  readonly endpoint: 'unicast' | 'multicast';
  readonly counting: 'plain' | 'counted';
  readonly leId: number;
  readonly leOffset: number;
  readonly counterOffset: number;
  readonly near: SharedRange;
  readonly bytes: number;
  /** Each bit selects one byte of each 16. */
  readonly mask: number;
}

/** The logical endpoints of kernels, and sessions by the address of their state. */
export interface FabricPort {
  leId(window: WindowValue, endpoint: 'unicast' | 'multicast', peer: number): number;
  leBase(window: WindowValue): number;
  begin(caller: Caller, shared: HeapViews, smem: SharedRange): void;
  end(caller: Caller, shared: HeapViews, smem: SharedRange): void;
  post(caller: Caller, shared: HeapViews, smem: SharedRange, operation: PostedOperation): void;
  submit(caller: Caller, shared: HeapViews, smem: SharedRange): void;
  /** The first thread of a flush has arrived. */
  arrive(caller: Caller, shared: HeapViews, smem: SharedRange): void;
  /** The u32 at a byte of the window at a rank grows by 1. */
  arriveAt(caller: Caller, window: WindowValue, offset: number, peer: number): void;
  /** The thread knows that the sources of its submitted operations have been read. */
  settleReads(caller: Caller, shared: HeapViews, smem: SharedRange): void;
}

/** A kernel's relation to the previous and next launches on its stream. */
export interface GridDependencyPort {
  /** True if the launch on which this one depends has ended, or if there is none. */
  isOver(): boolean;
  /**
   * The caller has seen its end. All its writes are visible, and are ordered before the caller's
   * later accesses.
   */
  acquire(caller: Caller): void;
  /** The caller's CTA lets the next launch begin. */
  trigger(caller: Caller): void;
}

/**
 * A request in a kernel's terms. `peer` is a world rank, `near` is the caller's memory, and `far`
 * is the peer's.
 */
export interface PostedRequest {
  readonly kind: 'put' | 'putValue' | 'get' | 'signal';
  /** `symmetric`: a signal of NVSHMEM, which is any u64 of a window. It follows its own put. */
  readonly at: 'none' | 'id' | 'va' | 'symmetric';
  readonly modify: 'inc' | 'add' | 'set';
  readonly strength: 'weak' | 'strong' | 'legacy';
  readonly comm: DevCommValue;
  readonly context: number;
  /**
   * 0 if threads of the whole GPU may use the context, 1 for threads of one CTA, 2 for a single
   * thread.
   */
  readonly sharing: number;
  readonly peer: number;
  readonly near: WindowValue;
  readonly nearOffset: number;
  readonly far: WindowValue;
  readonly farOffset: number;
  readonly bytes: number;
  readonly value: bigint;
  readonly signal: number;
  readonly signalWindow: WindowValue;
  readonly signalOffset: number;
  readonly amount: bigint;
  /** -1 for none. */
  readonly counter: number;
  readonly aggregates: number;
  /**
   * Present for a request of NVSHMEM. With `blocks`, the call returns once the source has been read
   * or, for a get, once all is complete.
   */
  readonly shmem?: { readonly blocks: boolean };
}

/** The state of a CTA after a turn. */
export type CtaStatus =
  /** All threads have ended. */
  | 'done'
  /** Some thread waits, and none can continue. */
  | 'parked'
  /** The CTA can continue, but others should run first. */
  | 'yielded'
  /** Only threads that the scheduler holds back can continue. */
  | 'lags'
  /** The same, and this turn ran nothing. */
  | 'stays'
  /** The turn continues with the next call, and no other CTA may run before that. */
  | 'paused';

/** One CTA's state. Opaque to all but its program. */
export interface Cta {
  readonly identity: CtaIdentity;
  readonly trace?: CtaTrace;
  readonly watch?: CtaWatch;
}

/** A kernel compiled for one specialisation and bound to one launch. */
export interface KernelProgram {
  start(identity: CtaIdentity): Cta;
  /** Runs until the CTA ends, cannot continue, or has used its slice, or until the host is late. */
  resume(cta: Cta): CtaStatus;
  /**
   * True if a parked CTA could continue now. It is called often, and its only effect is that the
   * clock advances if a wait reads it.
   */
  canResume(cta: Cta): boolean;
  /**
   * True if a thread of a parked CTA is in a wait that reads the clock. Time alone may end such a
   * wait. Absent if the kernel has none.
   */
  readsClock?(cta: Cta): boolean;
  /** The reason why a parked CTA cannot continue. */
  waiting(cta: Cta): readonly Waiting[];
}

/** The constants of generated code. Equal keys share the code. */
export type Specialisation = LaunchSpecialisation;

/** A kernel's code for another host thread. It can be cloned. */
export interface PortableCode {
  readonly text: string;
  readonly strings: readonly string[];
  /** The WebAssembly module, in its binary format. */
  readonly wasm: Uint8Array<ArrayBuffer> | undefined;
}

export interface ProgramCode {
  readonly language: 'js';
  /** The generated text, for people and snapshots. */
  readonly text: string;
  /** Its loops over threads that were candidates for WebAssembly, and their text. */
  readonly regions?: readonly RegionReport[];
  readonly wat?: string | undefined;
  readonly sites: readonly Site[];
  /** The statements that the code is of: the spans of its sites are theirs. */
  readonly body?: Body;
  /**
   * For a load, returns the source locations through which its value leaves its thread; `undefined`
   * if it has other effects.
   */
  readonly usesOf?: (site: number) => ReadonlySet<number> | undefined;
  /**
   * The code for other host threads. Absent if it was not generated for them, or must stay on this
   * thread.
   */
  readonly portable?: PortableCode | undefined;
  /**
   * The reason why it must stay on this thread, for code that was generated for several threads.
   */
  readonly stays?: string | undefined;
  bind(host: ProgramHost, args: readonly ArgValue[]): KernelProgram;
}
