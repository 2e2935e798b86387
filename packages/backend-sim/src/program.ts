import type { MemoryOrder, MemoryScope } from '@nccl-ts/core';
import type { CtaIdentity, Fault, Site, WaitedWord, Waiting } from '@nccl-ts/findings';
import type { LaunchSpecialisation } from '@nccl-ts/ir';
import type { Region } from './emit-wasm/region-set.ts';
import type { WebAssemblyMemory } from './memory/web-assembly.ts';
import type { Pace } from './schedule/pace.ts';

/**
 * The seam between generated code (`emit-js`) and the machine that runs it (`engine`): what the one
 * gives and what the other may touch.
 */

/**
 * Typed views of the one heap that holds all ranks' memory. Replaced as a whole when the heap
 * grows.
 */
export interface HeapViews {
  readonly i8: Int8Array;
  readonly u8: Uint8Array;
  readonly i16: Int16Array;
  readonly u16: Uint16Array;
  readonly i32: Int32Array;
  readonly u32: Uint32Array;
  readonly i64: BigInt64Array;
  readonly u64: BigUint64Array;
  readonly f32: Float32Array;
  readonly f64: Float64Array;
}

/**
 * The parts of the heap that pointers may lead into. A pointer is an address and the region it was
 * made for: an access outside of `low[region] <= address`, `address + bytes <= high[region]`
 * faults. Region 0 is empty: the null region.
 */
export interface Regions {
  readonly low: Float64Array;
  readonly high: Float64Array;
  /**
   * By region: what a multicast address stands for. Such regions have no bytes of their own: every
   * access faults.
   */
  readonly multicast: readonly (Multicast | undefined)[];
}

/** The copies of one window that a multicast address reaches together. */
export interface Multicast {
  /** For people: `window 2`. */
  readonly window: string;
  /** The address of the window's first byte. */
  readonly address: number;
  /** Heap address and region of each member's copy. */
  readonly bases: Float64Array;
  readonly regions: Int32Array;
}

/** A window as kernels of one rank see it: its copy at each LSA peer. */
export interface WindowValue {
  /** Heap address of each LSA peer's copy, by LSA rank. */
  readonly bases: Float64Array;
  /** Region of each LSA peer's copy: `firstRegion + lsaRank`. */
  readonly firstRegion: number;
  readonly lsaSize: number;
  /**
   * Regions of its multicast addresses, by where those of a group that the rank is in begin
   * (`mcBasePtr`).
   */
  readonly multicast: ReadonlyMap<number, number>;
  /** Numeric fields of the handle, by name (`bytes`, `lsaRank`, `worldRank`, ...). */
  readonly fields: Readonly<Record<string, number>>;
  /** The copies of all ranks, for the network. */
  readonly copies: WindowCopies;
}

/** A window's copies by the rank in its communicator. Shared by all that the ranks see of it. */
export interface WindowCopies {
  /** Heap addresses. */
  readonly bases: ArrayLike<number>;
  readonly regions: ArrayLike<number>;
  /** Which ranks of the world they are. */
  readonly ranks: ArrayLike<number>;
  readonly bytes: number;
  /** True if network accesses to it are strictly ordered, as signals in it need. */
  readonly strictOrdering: boolean;
}

/** A device communicator as kernels of one rank see it. */
export interface DevCommValue {
  /** Numeric fields, by (dotted) name: `rank`, `lsaSize`, `lsaBarrier.bufHandle`, ... */
  readonly fields: Readonly<Record<string, number>>;
  /** Fields that are windows, by name: `resourceWindow`. */
  readonly windows: Readonly<Record<string, WindowValue>>;
}

/** A module parameter's value: vectors element by element, pointers with their region. */
export type ArgValue =
  | number
  | bigint
  | boolean
  | readonly (number | bigint)[]
  | { readonly address: number; readonly region: number }
  | WindowValue
  | DevCommValue;

/** A byte of a window, for kernels of one rank. */
export interface WindowPlace {
  readonly window: WindowValue;
  readonly offset: number;
}

/**
 * What code tells that is generated with tracing: what costs time, and what other CTAs may be
 * waiting for.
 */
export interface CtaTrace {
  /** A plain access to `bytes` of a region. */
  moves(region: number, bytes: number, loads: boolean): void;
  /** A word is about to be read with an order. */
  reads(address: number): void;
  /** A word is about to be changed with an order, and has been. */
  opens(address: number, region: number, bytes: number, how: TracedAccess['how']): TracedAccess;
  closes(access: TracedAccess): void;
  /** A wait is over whose condition read these words; `holds` tells whether it holds. */
  waited(site: number, words: readonly WaitedWord[], holds: () => boolean): void;
  /** The CTA's turn has ended: it cannot go on, or has ended. */
  parked(): void;
  done(): void;
}

/** A change of a word that is being made. */
export interface TracedAccess {
  readonly address: number;
  readonly region: number;
  readonly bytes: number;
  /** `add` where others may add to it as well, and it makes no difference who is first. */
  readonly how: 'store' | 'add' | 'update';
  readonly before: bigint;
}

/**
 * A memory whose accesses are told to a watch, before they happen. Sites say how many bytes, in
 * which order and scope.
 */
export interface WatchedSpace {
  load(thread: number, address: number, bytes: number, site: number): void;
  store(thread: number, address: number, bytes: number, site: number): void;
  loadStrong(thread: number, address: number, site: number): void;
  storeStrong(thread: number, address: number, site: number): void;
  /** A read-modify-write; one that `wrote` nothing is a read. */
  update(thread: number, address: number, site: number, wrote: boolean): void;
}

/** What code tells that is generated with a watch: all by which accesses are ordered, or not. */
/**
 * Bulk copies, as PTX has them: the accesses that a thread makes between `begins` and `ends` are
 * those of a copy. It goes on by itself, through a proxy of its own, and is ordered after what the
 * thread did before, and before what waits for it alone.
 */
export interface BulkWatch {
  begins(thread: number): void;
  /** The copy has read and written: what it does from now on says so. */
  copied(thread: number): void;
  /** `isGrouped`: the thread may wait for it as a part of a group. */
  ends(thread: number, isGrouped: boolean): void;
  /** The copies so far that are in no group become one. */
  commits(thread: number): void;
  /**
   * The thread has waited for all its groups but the newest `left`; `onlyReads`: until they had
   * read.
   */
  waits(thread: number, left: number, onlyReads: boolean): void;
}

export interface CtaWatch {
  readonly global: WatchedSpace;
  readonly shared: WatchedSpace;
  readonly bulk: BulkWatch;
  fence(thread: number, order: MemoryOrder, scope: MemoryScope): void;
  fenceProxy(thread: number): void;
  /** The thread has seen that the launch before its own on the stream is over. */
  afterDependency(thread: number): void;
  /** The network is asked for what the signals at a word stand for. */
  settle(thread: number, address: number): void;
  /** A u64 was read with an order, and by no wait. */
  reads(address: number): void;
  /**
   * A wait is over: what is read with an order from now on, until it has `passed`, is what it
   * passes by. Answers whether anybody asks what it wanted.
   */
  passes(): boolean;
  /**
   * The condition of the wait that passes read these words. `reached`: they hold what it needed,
   * and `excess` more, where that is known; else it gave up.
   */
  waited(words: readonly WaitedWord[], reached: boolean, excess: number | bigint | undefined): void;
  /**
   * Where anybody asks, of a word that the condition read, in turn: which bits let the wait pass,
   * whatever the others hold; `undefined` where that depends on them. `isKept`: what it held is
   * used after the wait.
   */
  wants(accepts: ((bits: bigint) => boolean) | 'any' | undefined, isKept: boolean): void;
  /**
   * `reached`: of a wait that looks at the clock, whether it has come to what it waited for; else
   * it gave up.
   */
  passed(reached?: boolean): void;
  /**
   * A session is about to read the word that keeps what it goes on from, and about to write it at
   * its end.
   */
  beginsSession(thread: number, address: number, site: number, session: number): void;
  endsSession(address: number, site: number): void;
  /** A signal or counter is set to 0 by GIN. */
  resets(thread: number, address: number, site: number): void;
  /** All threads of the CTA meet; those of each tile of `size`; those of `members`. */
  meetAll(): void;
  meetTiles(size: number): void;
  meet(members: readonly number[]): void;
  /** The CTA has ended. */
  done(): void;
}

/**
 * The heap's bytes, and where generated code may keep what it shares with JavaScript:
 * `FRAME_BYTES`, a multiple of 64.
 */
export interface LinearMemory {
  readonly memory: WebAssemblyMemory;
  readonly frame: number;
}

/** What the machine offers to generated code. One per launch. */
export interface ProgramHost {
  readonly heap: HeapViews;
  readonly regions: Regions;
  /**
   * Simulated cycles: grows with every call. `timesWaits`: all that depends on them is when waits
   * give up.
   */
  clock(timesWaits?: boolean): bigint;
  print(cta: CtaIdentity, thread: number, parts: readonly (string | number | bigint | boolean)[]): void;
  /**
   * The window whose copy, the launch's rank's own, the pointer leads into, and which byte of it.
   */
  windowAt(pointer: { readonly address: number; readonly region: number }): WindowPlace | undefined;
  /**
   * The pointer to what a device address stands for, on the launch's rank. Where nothing lies, one
   * through which accesses fault.
   */
  pointerAt(address: number): { readonly address: number; readonly region: number };
  /** The device address of a pointer. */
  addressOf(pointer: { readonly address: number; readonly region: number }): number;
  /** Throws the `NcclError` that says where and what. */
  fault(cta: CtaIdentity, fault: Fault): never;
  readonly network: NetworkPort;
  /** Absent: no launch begins before another one is over. */
  readonly dependency?: GridDependencyPort | undefined;
  /** The heap as a memory of WebAssembly, for code that is partly WebAssembly. */
  readonly linear?: LinearMemory | undefined;
  /** Where time is kept, for code that was generated to say what takes it. */
  readonly trace?: { open(cta: CtaIdentity): CtaTrace } | undefined;
  /** How the threads of a CTA of so many get on, for code that was generated to let them stop. */
  readonly pace?: ((cta: CtaIdentity, threads: number) => Pace) | undefined;
  /** Where order is checked, for code that was generated to tell of it. */
  readonly watch?: { open(cta: CtaIdentity): CtaWatch } | undefined;
}

/** Who calls, for faults: a CTA, a thread by its linear index, a place by its number. */
export interface Caller {
  readonly cta: CtaIdentity;
  readonly thread: number;
  readonly site: number;
  readonly trace?: CtaTrace | undefined;
  readonly watch?: CtaWatch | undefined;
}

/**
 * What kernels hand to the network. Rules that NCCL leaves unchecked are checked here, and throw.
 */
export interface NetworkPort {
  post(caller: Caller, request: PostedRequest): void;
  /** What follows a read of the word at `address` with acquire order. */
  acquire(caller: Caller, address: number): void;
  /** Sets a signal or counter to 0. */
  reset(caller: Caller, address: number): void;
  /** Lets requests go that were held back. */
  release(caller: Caller, comm: DevCommValue, context: number, peer: number): void;
  /** What follows a fence with acquire order. */
  fence(): void;
}

/** What a kernel may know of the launch before it on its stream, and say to the one behind it. */
export interface GridDependencyPort {
  /** True if the launch that this one depends on is over; true where it depends on none. */
  isOver(): boolean;
  /**
   * The caller has seen that it is over: all that it wrote is there, and comes before what the
   * caller does next.
   */
  acquire(caller: Caller): void;
  /** The caller's CTA lets the launch behind it begin, as far as it goes. */
  trigger(caller: Caller): void;
}

/**
 * A request in a kernel's terms. `peer` is a world rank; `near` is the caller's memory, `far` the
 * peer's.
 */
export interface PostedRequest {
  readonly kind: 'put' | 'putValue' | 'get' | 'signal';
  readonly at: 'none' | 'id' | 'va';
  readonly modify: 'inc' | 'add';
  readonly strength: 'weak' | 'strong' | 'legacy';
  readonly comm: DevCommValue;
  readonly context: number;
  /** 0: threads of the whole GPU may use the context, 1: of one CTA, 2: one thread. */
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
  /** -1: none. */
  readonly counter: number;
  readonly aggregates: number;
}

/**
 * `parked`: some thread waits and none can go on; `yielded`: it can go on, others should have a
 * turn; `lags`: the same, only because a thread is held; `stays`: so it does, and the CTA has done
 * nothing at all.
 */
export type CtaStatus = 'done' | 'parked' | 'yielded' | 'lags' | 'stays';

/** One CTA's state. Only its program looks inside. */
export interface Cta {
  readonly identity: CtaIdentity;
  readonly trace?: CtaTrace;
  readonly watch?: CtaWatch;
}

/** A kernel compiled for one specialisation and bound to one launch. */
export interface Program {
  start(identity: CtaIdentity): Cta;
  /** Runs until the CTA ends, can do no more, or has used its turn. */
  resume(cta: Cta): CtaStatus;
  /** True if a parked CTA could go on now. No effects; called often. */
  canResume(cta: Cta): boolean;
  /** Why a parked CTA cannot go on. */
  waiting(cta: Cta): readonly Waiting[];
}

/** What may be baked into generated code: equal keys share it. */
export type Specialisation = LaunchSpecialisation;

/** What another thread of the host needs to run a kernel's code. All of it is data. */
export interface PortableCode {
  readonly text: string;
  readonly strings: readonly string[];
  /** The module of what is WebAssembly, in its binary format. */
  readonly wasm: Uint8Array<ArrayBuffer> | undefined;
}

export interface ProgramCode {
  readonly language: 'js';
  /** The generated text, for people and snapshots. */
  readonly text: string;
  /**
   * Its loops over threads where they were to become WebAssembly, and the text of what they became.
   */
  readonly regions?: readonly Region[];
  readonly wat?: string | undefined;
  readonly sites: readonly Site[];
  /**
   * Of a place that loads: those by which what is read there comes out of its thread; `undefined`,
   * and absent, where it does so in another way.
   */
  readonly usesOf?: (site: number) => ReadonlySet<number> | undefined;
  /**
   * For other threads of the host; absent where the code was not generated for them, or has to
   * stay.
   */
  readonly portable?: PortableCode | undefined;
  /** Why it has to stay on this thread, of code that was generated for several. */
  readonly stays?: string | undefined;
  bind(host: ProgramHost, args: readonly ArgValue[]): Program;
}
