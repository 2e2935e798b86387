import { expectInteger, expectOptions, type NcclError } from '@nccl-ts/core';
import type { ScalarKind } from '@nccl-ts/core';
import type { ApiVersionOptions, CommProperties, DevCommRequirements } from '@nccl-ts/devcomm';
import type { Capabilities } from '@nccl-ts/ir';
import type { Kernel } from '@nccl-ts/kernel';
import { placeOf, teamLsa, teamRail, teamWorld } from '@nccl-ts/topology';
import type { Team, Topology } from '@nccl-ts/topology';
import type { Backend, LaunchReport } from '@nccl-ts/transport';
import { adoptMemory } from './adopt-memory.ts';
import { allocWindow, ownMemory, registerWindow } from './create-window.ts';
import type { AllocWindowOptions, RegisterWindowOptions } from './create-window.ts';
import type { Companion, CompanionKind } from './companion.ts';
import { createDevComm, type DevComm } from './dev-comm.ts';
import { finalize } from './finalize.ts';
import type { ElementType } from './element-type.ts';
import { aborted } from './errors.ts';
import { launch, streamOf } from './launch.ts';
import { domainMapOf, type LaunchOptions } from './launch-config.ts';
import { AllocatedMemory, type DeviceMemory } from './memory.ts';
import { abortWorld, checkBackend, closeWorld, openWorld } from './opened-world.ts';
import type { RankState } from './rank-state.ts';
import { shrink, split, type ShrinkOptions } from './split.ts';
import type { CreateStreamOptions, Stream, SynchronizeOptions } from './stream.ts';
import { onePerProcess, type UniqueId } from './unique-id.ts';
import type { Window } from './window.ts';

export interface InitOptions extends ApiVersionOptions {
  readonly backend: Backend;
  /**
   * @default what the launcher of the processes put in the environment (torchrun, mpirun, Slurm),
   *   where the backend looks there
   */
  readonly rank?: number;
  /** @default as `rank` */
  readonly nRanks?: number;
  /**
   * From `Communicator.getUniqueId`, called by one process and brought to all.
   * @default with NCCL: rank 0 listens where the environment variable NCCL_COMM_ID says
   */
  readonly uniqueId?: UniqueId;
}

/** What a communicator that is all of its world in this process ends the world by. */
interface WholeWorld {
  abort(cause: unknown): void;
  close(): Promise<void>;
}

/**
 * One rank's view of its world: what it owns and what it launches. Windows, memory, device
 * communicators and streams belong to the communicator and are closed with it, the youngest first.
 *
 * `allocWindow`, `registerWindow` and `createDevComm` are collective: every rank makes the same
 * such calls in the same order, and each of them waits for all ranks. Everything else concerns this
 * rank alone. After `close`, every operation fails with `NCCLTS_CLOSED`.
 *
 * @see ncclComm_t
 */
export class Communicator implements AsyncDisposable {
  readonly #state: RankState;
  /** Where the communicator is all that its world has in this process. */
  readonly #whole: WholeWorld | undefined;
  #closing: Promise<void> | undefined;

  /** @internal Communicators come from `World` and `Communicator.init`. */
  constructor(state: RankState, whole?: WholeWorld) {
    this.#state = state;
    this.#whole = whole;
  }

  /**
   * Joins a world whose ranks are processes of their own. Resolves when all of them have. Closing
   * the communicator closes the world in this process.
   *
   * @throws NcclError `NCCLTS_NOT_SUPPORTED` where the backend keeps all ranks in one process;
   *   `NCCL_INVALID_ARGUMENT` where something is neither given nor in the environment.
   * @see ncclCommInitRank
   */
  static async init(options: InitOptions): Promise<Communicator> {
    const what = 'Communicator.init';
    expectOptions(what, options, { backend: true, rank: true, nRanks: true, uniqueId: true, versionCheck: true });
    const { backend, rank, nRanks, uniqueId, versionCheck } = options;
    checkBackend(backend, what);
    if (nRanks !== undefined) expectInteger(`${what}: nRanks`, nRanks, 1);
    if (rank !== undefined) expectInteger(`${what}: rank`, rank, 0, nRanks === undefined ? undefined : nRanks - 1);
    if (backend.getUniqueId === undefined) throw onePerProcess(backend, what);
    const process = {
      ...(rank === undefined ? {} : { rank }),
      ...(nRanks === undefined ? {} : { nRanks }),
      ...(uniqueId === undefined ? {} : { uniqueId }),
    };
    const opened = await openWorld({
      backend,
      what,
      process,
      ...(versionCheck === undefined ? {} : { versionCheck }),
    });
    const [state] = opened.ranks;
    if (state === undefined) throw new RangeError('A process without a rank.');
    const abort = (cause: unknown): void => abortWorld(opened.state, cause);
    return new Communicator(state, { abort, close: async () => closeWorld(opened, false, abort) });
  }

  /**
   * Makes what the processes of one world need to find each other.
   *
   * @throws NcclError `NCCLTS_NOT_SUPPORTED` where the backend keeps all ranks in one process.
   * @see ncclGetUniqueId
   */
  static async getUniqueId(backend: Backend): Promise<UniqueId> {
    checkBackend(backend, 'Communicator.getUniqueId');
    if (backend.getUniqueId === undefined) throw onePerProcess(backend, 'Communicator.getUniqueId');
    return backend.getUniqueId();
  }

  get rank(): number {
    return this.#state.rank;
  }

  get nRanks(): number {
    return this.#topology.nRanks;
  }

  /** This rank's place among the ranks whose memory it can load and store. */
  get lsaRank(): number {
    return placeOf(this.#topology, this.rank).lsaRank;
  }

  /** How many ranks that is. */
  get lsaSize(): number {
    return this.#topology.lsaSize;
  }

  get isOpen(): boolean {
    return this.#state.isOpen;
  }

  /** The stream of launches that name none, and of what reads and writes wait for. */
  get defaultStream(): Stream {
    return this.#state.defaultStream;
  }

  get #topology(): Topology {
    return this.#state.group.topology;
  }

  /** All ranks. @see ncclTeamWorld */
  teamWorld(): Team {
    return teamWorld(this.#topology, this.rank);
  }

  /** The ranks whose memory this one can load and store. @see ncclTeamLsa */
  teamLsa(): Team {
    return teamLsa(this.#topology, this.rank);
  }

  /** The ranks with the same place in every load-store domain. @see ncclTeamRail */
  teamRail(): Team {
    return teamRail(this.#topology, this.rank);
  }

  /** What kernels may use on this communicator's backend, and the backend's name. Frozen. */
  get capabilities(): Capabilities {
    return this.#state.world.backend.capabilities;
  }

  /**
   * True if a program for the CPU stands in for the GPUs of the backend, as where WebGPU finds
   * none: results are right, times say nothing. The same on all ranks; the simulator is no such
   * program.
   */
  get software(): boolean {
    return this.#state.world.device.software ?? false;
  }

  /**
   * How many ranks of the world share a GPU, at most. The same on all ranks; 1 on the simulator,
   * where nothing is shared.
   */
  get ranksPerDevice(): number {
    return this.#state.world.device.ranksPerDevice ?? 1;
  }

  /** What this rank can do. @see ncclCommQueryProperties */
  get properties(): CommProperties {
    return this.#state.properties;
  }

  /**
   * Allocates a window of `count` elements on every rank, zero-filled. Collective; all ranks ask
   * for the same bytes and flags.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` where `count` is not an integer of 1 or more or the
   *   ranks disagree; `NCCLTS_OUT_OF_MEMORY`; `NCCLTS_NOT_SUPPORTED` where there is no symmetric
   *   memory.
   * @see ncclMemAlloc, ncclCommWindowRegister
   */
  async allocWindow<K extends ScalarKind>(
    type: ElementType<K>,
    count: number,
    options: AllocWindowOptions = {},
  ): Promise<Window<K>> {
    return allocWindow(this.#state, type, count, options);
  }

  /**
   * Registers memory of every rank as one window; each rank passes its own. Collective; all ranks
   * ask for the same bytes and flags. The memory must stay until the window is deregistered. `type`
   * says what the host reads and writes there: bytes where it is left out.
   *
   * @returns null where there is no symmetric memory, as NCCL does; with `required` always a
   *   window.
   * @throws NcclError `NCCL_INVALID_ARGUMENT` where the offset is not a multiple of 4096, no bytes
   *   are left or the ranks disagree; `NCCLTS_NOT_SUPPORTED` for a part of the memory, and where
   *   `required` symmetric memory is not there.
   * @see ncclCommWindowRegister
   */
  async registerWindow<K extends ScalarKind>(
    memory: DeviceMemory,
    options: RegisterWindowOptions & { readonly type: ElementType<K>; readonly required: true },
  ): Promise<Window<K>>;
  async registerWindow(
    memory: DeviceMemory,
    options: RegisterWindowOptions & { readonly required: true },
  ): Promise<Window<'u8'>>;
  async registerWindow<K extends ScalarKind>(
    memory: DeviceMemory,
    options: RegisterWindowOptions & { readonly type: ElementType<K> },
  ): Promise<Window<K> | null>;
  async registerWindow(memory: DeviceMemory, options?: RegisterWindowOptions): Promise<Window<'u8'> | null>;
  async registerWindow(
    memory: DeviceMemory,
    options: RegisterWindowOptions & { readonly type?: ElementType } = {},
  ): Promise<Window | null> {
    expectOptions('registerWindow', options, { type: true, offset: true, bytes: true, flags: true, required: true });
    return registerWindow(this.#state, memory, options.type ?? 'u8', options);
  }

  /**
   * Allocates zero-filled memory on this rank's device, for `registerWindow`.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` where `bytes` is not an integer of 1 or more;
   *   `NCCLTS_OUT_OF_MEMORY`.
   * @see ncclMemAlloc
   */
  async memAlloc(bytes: number): Promise<DeviceMemory> {
    const what = 'memAlloc';
    this.#state.check(what);
    expectInteger(`${what}: bytes`, bytes, 1);
    const { world, worldRank } = this.#state;
    const buffer = await this.#state.move(async () => world.device.alloc(worldRank, bytes));
    return this.#state.adopt(new AllocatedMemory(this.#state, buffer), what);
  }

  /**
   * Memory that the program has from elsewhere, as memory of this rank, for `registerWindow`: no
   * copy is made, kernels work on the very bytes, and what they leave there is the program's as
   * soon as they have ended. What can be adopted depends on the backend: `backend-webgpu` takes a
   * `GPUBuffer` of the device that its world runs on, `backend-cuda` a `DeviceTensor` of memory
   * that NCCL can make symmetric, such as that of `ncclMemAlloc`; the simulator takes nothing: see
   * `Window.expose`.
   *
   * It stays the program's own. Closing the memory, or the communicator, lets go of it and leaves
   * it as it is; until then the program must not take it away, and must not touch it while a kernel
   * may. It is not zeroed.
   *
   * @throws NcclError `NCCLTS_NOT_SUPPORTED` where the backend takes none, or no more;
   *   `NCCL_INVALID_ARGUMENT` where it is nothing that the backend takes; `NCCL_INVALID_USAGE`
   *   where kernels cannot use it as it was made.
   */
  async adoptMemory(foreign: object): Promise<DeviceMemory> {
    return adoptMemory(this.#state, foreign);
  }

  /** The same as `memory.close()`. @see ncclMemFree */
  async memFree(memory: DeviceMemory): Promise<void> {
    await ownMemory(this.#state, memory, 'memFree').close();
  }

  /**
   * Creates what kernels communicate through, with the resources that `requirements` ask for.
   * Collective; all ranks ask for the same. A grid with more CTAs than there are barriers is not
   * refused at launch.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` or `NCCL_INVALID_USAGE`, as NCCL has it, where a
   *   requirement is malformed or cannot be met or the ranks disagree.
   * @see ncclDevCommCreate
   */
  async createDevComm(requirements: DevCommRequirements = {}): Promise<DevComm> {
    return createDevComm(this.#state, requirements);
  }

  /**
   * Physical memory synchronization domains of the rank's device: 1 where there are none to choose
   * from.
   */
  get memSyncDomainCount(): number {
    return this.#state.world.device.memSyncDomainCount?.(this.#state.worldRank) ?? 1;
  }

  /**
   * Creates a stream beside the default one.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` where a domain of the map is not below
   *   `memSyncDomainCount`.
   * @see cudaStreamCreate
   */
  async createStream(options: CreateStreamOptions = {}): Promise<Stream> {
    const what = 'createStream';
    this.#state.check(what);
    const { world, worldRank } = this.#state;
    expectOptions(what, options, { memSyncDomainMap: true });
    const { memSyncDomainMap: map } = options;
    const checked = map === undefined ? {} : { memSyncDomainMap: domainMapOf(map, this.memSyncDomainCount, what) };
    const handle = await this.#state.move(async () => world.device.createStream(worldRank, checked));
    return this.#state.adoptStream(handle, what);
  }

  /**
   * Launches a kernel on this rank's device: it is compiled on the world's first use of it, the
   * arguments are checked, and it is enqueued. The promise then resolves, as CUDA's launch returns:
   * what goes wrong in the kernel is told by the next `synchronize`, read or write on the stream,
   * or at the end of `run`.
   *
   * Launches on one stream run in the order in which they were made, awaited or not.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` where the shape or an argument is wrong;
   *   `NCCLTS_COMPILE` where the kernel is; `NCCL_INVALID_USAGE` where the kernel is of a version
   *   of the device API that does not run, or of another than a device communicator that it is
   *   passed; `NCCLTS_CLOSED` where something passed was closed; `NCCLTS_ABORTED`.
   */
  async launch<A>(kernel: Kernel<A>, options: LaunchOptions, args: NoInfer<A>): Promise<void> {
    await launch(this.#state, kernel, options, args);
  }

  /**
   * Waits until all launches made on the stream so far (the default stream, where none is given)
   * have ended.
   *
   * @throws NcclError as {@link Stream.synchronize}.
   * @see cudaStreamSynchronize
   */
  async synchronize(stream?: Stream, options: SynchronizeOptions = {}): Promise<LaunchReport> {
    this.#state.check('synchronize');
    return streamOf(this.#state, stream, 'synchronize').synchronize(options);
  }

  /**
   * Makes communicators of the ranks of this one: those that name the same `color`, an integer from
   * 0 on, are in one, ordered by `key` and, where keys are equal, by their rank here. Collective;
   * what is launched on this communicator goes on.
   *
   * The new communicator is this rank's too: memory (`memAlloc`, `adoptMemory`) and streams can be
   * used with either, windows and device communicators only with the one that made them. It has a
   * default stream of its own. It is independent of this one: either may be closed first; the world
   * closes what is left. Ranks in it are its own; reports of kernels and printed lines name those
   * of the world.
   *
   * @param color null: this rank is in none of them (`NCCL_SPLIT_NOCOLOR`).
   * @returns null for a rank without a colour.
   * @throws NcclError `NCCL_INVALID_ARGUMENT` where a number is out of range;
   *   `NCCLTS_NOT_SUPPORTED` where the backend has no communicators of some of the ranks, or not
   *   all ranks are in this process.
   * @see ncclCommSplit
   */
  async split(color: number, key?: number): Promise<Communicator>;
  async split(color: number | null, key?: number): Promise<Communicator | null>;
  async split(color: number | null, key = 0): Promise<Communicator | null> {
    const state = await split(this.#state, color, key);
    return state === null ? null : new Communicator(state);
  }

  /**
   * Makes a communicator of all ranks of this one but some, in the same order. Called by those that
   * stay, with the same list and mode, and waits for all of them; the excluded ranks do not call it
   * and may be stuck or gone. Of the new communicator the same holds as after
   * {@link Communicator.split}.
   *
   * Nothing may be under way on this communicator, unless with `mode: 'abort'`: then it is ended
   * first. What a kernel that was ended has left in memory is undefined, barriers and signals of
   * this communicator's device communicators included, so close it.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` where the list is empty, names what is no rank, or
   *   names this rank; `NCCLTS_NOT_SUPPORTED` as `split` and `abort`.
   * @see ncclCommShrink
   */
  async shrink(excludedRanks: readonly number[], options: ShrinkOptions = {}): Promise<Communicator> {
    return new Communicator(await shrink(this.#state, excludedRanks, options));
  }

  /**
   * The first error that a launch of this rank has ended with, as far as is known by now; null
   * where there is none. Does not wait, and tells nobody's error away: the next `synchronize`
   * throws it all the same. True if launches have failed that nobody waits for is looked for from
   * the first call on, so ask again, with the host doing something else meanwhile. A kernel that
   * waits for ever has not ended.
   *
   * @see ncclCommGetAsyncError
   */
  getAsyncError(): NcclError | null {
    return this.#state.asyncError();
  }

  /**
   * What a package keeps beside this communicator for all of its ranks in this process: the same
   * object for each of them, made by the first that asks. For packages that make operations out of
   * kernels and must know what the other ranks have asked for: see {@link Companion}. It knows
   * nothing of ranks in other processes.
   *
   * @throws NcclError `NCCLTS_CLOSED`, `NCCLTS_ABORTED`.
   */
  companion<T extends Companion>(kind: CompanionKind<T>): T {
    this.#state.check('companion');
    return this.#state.group.companions.of(kind);
  }

  /**
   * Waits for all ranks to have launched what they had to, then until that has ended everywhere.
   * Collective. Afterwards the communicator communicates no more: launches and collective calls are
   * `NCCL_INVALID_USAGE`. Windows can still be read and written, and `close` waits for nobody.
   *
   * @throws what went wrong in the launches; what a {@link Companion} finds missing.
   * @see ncclCommFinalize
   */
  async finalize(): Promise<void> {
    await finalize(this.#state);
  }

  /**
   * Ends what this rank has under way on the communicator, and gives back what the communicator
   * owns. What waits for it here rejects with `NCCLTS_ABORTED`, as does every later operation; what
   * other launches wait for on the same streams ends with it. Other ranks go on: collective calls
   * that wait for this one give `NCCL_REMOTE_ERROR`, and kernels that do wait until their rank
   * aborts too. Does nothing where the communicator is closed or aborted.
   *
   * Where this rank is a process of its own, its world is aborted.
   *
   * @throws NcclError `NCCLTS_NOT_SUPPORTED` where a launch is under way that the backend cannot
   *   end alone; nothing has changed then.
   * @see ncclCommAbort
   */
  async abort(): Promise<void> {
    if (this.#whole === undefined) {
      await this.#state.abort();
      return;
    }
    if (!this.isOpen) return;
    this.#whole.abort(aborted(`Rank ${this.rank} aborted its communicator.`, undefined));
    await this.close();
  }

  /**
   * Waits for this rank's launches and gives back what the communicator owns, the youngest first.
   * Closing again does nothing.
   *
   * @throws what went wrong in launches that nobody was told of; for the last rank, what a
   *   {@link Companion} finds missing.
   * @see ncclCommDestroy
   */
  async close(): Promise<void> {
    this.#closing ??= this.#whole?.close() ?? this.#state.close();
    await this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
