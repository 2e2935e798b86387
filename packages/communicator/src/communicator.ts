import { expectInteger, takeOptions, type NcclError } from '@nccl-ts/core';
import type { ScalarKind } from '@nccl-ts/core';
import type { ApiVersionOptions, CommProperties, DevCommRequirements } from '@nccl-ts/devcomm';
import type { Capabilities } from '@nccl-ts/ir';
import type { Kernel } from '@nccl-ts/kernel';
import { rankCoordinates, teamLsa, teamRail, teamWorld } from '@nccl-ts/topology';
import type { Team, Topology } from '@nccl-ts/topology';
import type { Backend, LaunchReport } from '@nccl-ts/transport';
import { adoptMemory } from './window/adopt-memory.ts';
import { allocWindow, ownMemory, registerWindow } from './window/create-window.ts';
import type { AllocWindowOptions, RegisterWindowOptions } from './window/create-window.ts';
import type { Companion, CompanionKind } from './rank/companion.ts';
import { createDevComm, type HostDevComm } from './dev-comm.ts';
import { finalize } from './rank/finalize.ts';
import type { ElementType } from './window/element-type.ts';
import { aborted } from './errors.ts';
import { launch, streamOf, prepare, type PreparedLaunch } from './launch/launch.ts';
import { domainMapOf, type LaunchOptions } from './launch/launch-config.ts';
import { AllocatedMemory, type DeviceMemory } from './window/memory.ts';
import type { HostCftOptions } from './world/host-cft-mode.ts';
import { abortWorld, checkBackend, closeWorld, openWorld } from './opened-world.ts';
import type { RankState } from './rank/rank-state.ts';
import { shrink, split, type ShrinkOptions } from './rank/split.ts';
import type { CreateStreamOptions, Stream, SynchronizeOptions } from './stream/stream.ts';
import { onePerProcess, type UniqueId } from './rank/unique-id.ts';
import type { HostWindow } from './window/window.ts';

export interface InitOptions extends ApiVersionOptions, HostCftOptions {
  readonly backend: Backend;
  /**
   * @default the value that the process launcher (torchrun, mpirun, Slurm) put in the environment,
   *   if the backend reads it
   */
  readonly rank?: number;
  /** @default like `rank` */
  readonly nRanks?: number;
  /**
   * From `Communicator.getUniqueId`, which one process calls and sends to all.
   * @default with NCCL: rank 0 listens at the address in the environment variable NCCL_COMM_ID
   */
  readonly uniqueId?: UniqueId;
}

/** Ends the world, for a communicator that is the only one of its world in this process. */
interface WholeWorld {
  abort(cause: unknown): void;
  close(): Promise<void>;
}

/**
 * One rank's view of its world: its resources and its launches. The communicator owns its windows,
 * memory, device communicators and streams, and closes them in reverse order of creation.
 *
 * `allocWindow`, `registerWindow` and `createDevComm` are collective: every rank must make the same
 * calls of these in the same order, and each call waits for all ranks. All other methods concern
 * only this rank. After `close`, every operation fails with `NCCLTS_CLOSED`.
 *
 * @see ncclComm_t
 */
export class Communicator implements AsyncDisposable {
  readonly #state: RankState;
  /** Set if the communicator is the only one of its world in this process. */
  readonly #whole: WholeWorld | undefined;
  #closing: Promise<void> | undefined;

  /** @internal Communicators come from `World` and `Communicator.init`. */
  constructor(state: RankState, whole?: WholeWorld) {
    this.#state = state;
    this.#whole = whole;
  }

  /**
   * Joins a world whose ranks are separate processes. Resolves when all of them have joined.
   * Closing the communicator closes the world in this process.
   *
   * @throws NcclError `NCCLTS_NOT_SUPPORTED` if the backend keeps all ranks in one process;
   *   `NCCL_INVALID_ARGUMENT` if a value is neither passed nor in the environment.
   * @see ncclCommInitRank
   */
  static async init(options: InitOptions): Promise<Communicator> {
    const what = 'Communicator.init';
    const names = {
      backend: true,
      rank: true,
      nRanks: true,
      uniqueId: true,
      hostCftMode: true,
      versionCheck: true,
    } as const;
    const { backend, rank, nRanks, uniqueId, hostCftMode, versionCheck } = takeOptions(what, options, names);
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
      hostCftMode,
      ...(versionCheck === undefined ? {} : { versionCheck }),
    });
    const [state] = opened.ranks;
    if (state === undefined) throw new RangeError('This process has no rank.');
    const abort = (cause: unknown): void => abortWorld(opened.state, cause);
    return new Communicator(state, { abort, close: async () => closeWorld(opened, false, abort) });
  }

  /**
   * Creates the identifier by which the processes of one world find each other.
   *
   * @throws NcclError `NCCLTS_NOT_SUPPORTED` if the backend keeps all ranks in one process.
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

  /** Returns this rank's index among the ranks whose memory it can load and store. */
  get lsaRank(): number {
    return rankCoordinates(this.#topology, this.rank).lsaRank;
  }

  /** Returns the number of those ranks. */
  get lsaSize(): number {
    return this.#topology.lsaSize;
  }

  get isOpen(): boolean {
    return this.#state.isOpen;
  }

  /** Returns the default stream of launches. Reads and writes wait for it. */
  get defaultStream(): Stream {
    return this.#state.defaultStream;
  }

  get #topology(): Topology {
    return this.#state.group.topology;
  }

  /** Returns the team of all ranks. @see ncclTeamWorld */
  teamWorld(): Team {
    return teamWorld(this.#topology, this.rank);
  }

  /** Returns the team of the ranks whose memory this one can load and store. @see ncclTeamLsa */
  teamLsa(): Team {
    return teamLsa(this.#topology, this.rank);
  }

  /**
   * Returns the team of the ranks with the same LSA rank in every load-store domain.
   *
   * @see ncclTeamRail
   */
  teamRail(): Team {
    return teamRail(this.#topology, this.rank);
  }

  /**
   * Returns the capabilities of this communicator's backend for kernels, and the backend's name.
   * The object is frozen.
   */
  get capabilities(): Capabilities {
    return this.#state.world.backend.capabilities;
  }

  /**
   * True if the backend's GPUs are emulated in software, for example if WebGPU finds no GPU.
   * Results are right, but times are meaningless. It is the same on all ranks, and false on the
   * simulator.
   */
  get software(): boolean {
    return this.#state.world.device.software ?? false;
  }

  /**
   * Returns the largest number of ranks of the world on one GPU. It is the same on all ranks, and 1
   * on the simulator.
   */
  get ranksPerDevice(): number {
    return this.#state.world.device.ranksPerDevice ?? 1;
  }

  /** True if NVLink is known to connect every two ranks' GPUs. It is the same on all ranks. */
  get nvlink(): boolean {
    return this.#state.world.device.nvlink ?? false;
  }

  /** Returns the capabilities of this rank. @see ncclCommQueryProperties */
  get properties(): CommProperties {
    return this.#state.properties;
  }

  /**
   * Allocates a window of `count` elements on every rank, zero-filled. The call is collective: all
   * ranks must pass the same bytes and flags.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if `count` is not an integer of 1 or more, or the
   *   ranks disagree; `NCCLTS_OUT_OF_MEMORY`; `NCCLTS_NOT_SUPPORTED` if there is no symmetric
   *   memory.
   * @see ncclMemAlloc, ncclCommWindowRegister
   */
  async allocWindow<K extends ScalarKind>(
    type: ElementType<K>,
    count: number,
    options: AllocWindowOptions = {},
  ): Promise<HostWindow<K>> {
    return allocWindow(this.#state, type, count, options);
  }

  /**
   * Registers memory of every rank as one window. Each rank passes its own memory. The call is
   * collective: all ranks must pass the same bytes and flags. The memory must stay allocated until
   * the window is deregistered. `type` is the element type of the host's reads and writes; the
   * default is bytes.
   *
   * @returns null if there is no symmetric memory, as in NCCL. With `required` it always returns a
   * window.
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if the offset is not a multiple of 4096, no bytes are
   *   left, or the ranks disagree; `NCCLTS_NOT_SUPPORTED` if the backend cannot register a part of
   *   memory, or if `required` symmetric memory is missing.
   * @see ncclCommWindowRegister
   */
  async registerWindow<K extends ScalarKind>(
    memory: DeviceMemory,
    options: RegisterWindowOptions & { readonly type: ElementType<K>; readonly required: true },
  ): Promise<HostWindow<K>>;
  async registerWindow(
    memory: DeviceMemory,
    options: RegisterWindowOptions & { readonly required: true },
  ): Promise<HostWindow<'u8'>>;
  async registerWindow<K extends ScalarKind>(
    memory: DeviceMemory,
    options: RegisterWindowOptions & { readonly type: ElementType<K> },
  ): Promise<HostWindow<K> | null>;
  async registerWindow(memory: DeviceMemory, options?: RegisterWindowOptions): Promise<HostWindow<'u8'> | null>;
  async registerWindow(
    memory: DeviceMemory,
    options: RegisterWindowOptions & { readonly type?: ElementType } = {},
  ): Promise<HostWindow | null> {
    const names = { type: true, offset: true, bytes: true, flags: true, required: true } as const;
    const { type = 'u8', ...taken } = takeOptions('registerWindow', options, names);
    return registerWindow(this.#state, memory, type, taken);
  }

  /**
   * Allocates zero-filled memory on this rank's device, for `registerWindow`.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if `bytes` is not an integer of at least 1;
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
   * Adopts existing memory of the program as memory of this rank, for `registerWindow`. It makes no
   * copy: kernels work on these bytes, and the program can use their results as soon as they have
   * ended. The backend decides which memory it can adopt. `backend-webgpu` takes a `GPUBuffer` of
   * its world's device. `backend-cuda` takes a `DeviceTensor` of memory that NCCL can make
   * symmetric, such as that of `ncclMemAlloc`. The simulator takes none: see `HostWindow.expose`.
   *
   * The program still owns the memory. Closing the returned memory, or the communicator, releases
   * it unchanged. Until then the program must not free it, and must not access it while a kernel
   * may use it. The memory is not zeroed.
   *
   * @throws NcclError `NCCLTS_NOT_SUPPORTED` if the backend cannot adopt memory, or no more of it;
   *   `NCCL_INVALID_ARGUMENT` if it is not a kind of memory that the backend adopts;
   *   `NCCL_INVALID_USAGE` if kernels cannot use it because of how it was created.
   */
  async adoptMemory(foreign: object): Promise<DeviceMemory> {
    return adoptMemory(this.#state, foreign);
  }

  /** The same as `memory.close()`. @see ncclMemFree */
  async memFree(memory: DeviceMemory): Promise<void> {
    await ownMemory(this.#state, memory, 'memFree').close();
  }

  /**
   * Creates a device communicator, through which kernels communicate, with the resources in
   * `requirements`. The call is collective: all ranks must pass the same requirements. A launch
   * does not reject a grid with more CTAs than there are barriers.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` or `NCCL_INVALID_USAGE`, as in NCCL, if a requirement
   *   is malformed or cannot be met, or the ranks disagree.
   * @see ncclDevCommCreate
   */
  async createDevComm(requirements: DevCommRequirements = {}): Promise<HostDevComm> {
    return createDevComm(this.#state, requirements);
  }

  /**
   * Returns the number of physical memory synchronization domains of the rank's device; 1 if there
   * is no choice.
   */
  get memSyncDomainCount(): number {
    return this.#state.world.device.memSyncDomainCount?.(this.#state.worldRank) ?? 1;
  }

  /**
   * Creates a stream in addition to the default one.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if a domain of the map is not below
   *   `memSyncDomainCount`.
   * @see cudaStreamCreate
   */
  async createStream(options: CreateStreamOptions = {}): Promise<Stream> {
    const what = 'createStream';
    this.#state.check(what);
    const { world, worldRank } = this.#state;
    const { memSyncDomainMap: map } = takeOptions(what, options, { memSyncDomainMap: true });
    const checked = map === undefined ? {} : { memSyncDomainMap: domainMapOf(map, this.memSyncDomainCount, what) };
    const handle = await this.#state.move(async () => world.device.createStream(worldRank, checked));
    return this.#state.adoptStream(handle, what);
  }

  /**
   * Launches a kernel on this rank's device. The first launch in a world compiles the kernel. Each
   * launch checks the arguments and enqueues the kernel. The promise then resolves, as a CUDA
   * launch returns. The next `synchronize`, read or write on the stream reports errors of the
   * kernel, or the end of `run`.
   *
   * Launches on one stream run in the order of the calls, awaited or not.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if the shape or an argument is wrong;
   *   `NCCLTS_COMPILE` if the kernel has errors; `NCCL_INVALID_USAGE` if the runtime does not
   *   support the kernel's version of the device API, or if an argument is a device communicator of
   *   another version; `NCCLTS_CLOSED` if an argument was closed; `NCCLTS_ABORTED`.
   */
  async launch<A>(kernel: Kernel<A>, options: LaunchOptions, args: NoInfer<A>): Promise<void> {
    await launch(this.#state, kernel, options, args);
  }

  /**
   * Checks a launch that is to be repeated. Each `launch()` of the result then takes less host time
   * than {@link Communicator.launch}. Later changes of `options` and `args` have no effect on it.
   *
   * @throws NcclError for the same reasons as {@link Communicator.launch}.
   */
  prepare<A>(kernel: Kernel<A>, options: LaunchOptions, args: NoInfer<A>): PreparedLaunch {
    return prepare(this.#state, kernel, options, args);
  }

  /**
   * Waits until all launches made so far on the stream, by default the default stream, have ended.
   *
   * @throws NcclError for the same reasons as {@link Stream.synchronize}.
   * @see cudaStreamSynchronize
   */
  async synchronize(stream?: Stream, options: SynchronizeOptions = {}): Promise<LaunchReport> {
    this.#state.check('synchronize');
    return streamOf(this.#state, stream, 'synchronize').synchronize(options);
  }

  /**
   * Splits the ranks of this communicator into new communicators. Ranks with the same `color`, an
   * integer of at least 0, form one communicator. It orders them by `key` and, for equal keys, by
   * their rank here. The call is collective. Launches on this communicator continue.
   *
   * You can use this rank's memory (`memAlloc`, `adoptMemory`) and streams with either
   * communicator, but windows and device communicators only with the one that created them. The new
   * communicator has its own default stream. The two are independent: either may be closed first,
   * and the world closes those that are still open. The new communicator has its own ranks, but
   * reports of kernels and printed lines use the ranks of the world.
   *
   * @param color null if this rank is in no new communicator (`NCCL_SPLIT_NOCOLOR`)
   * @returns null for a rank without a color
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if a number is out of range; `NCCLTS_NOT_SUPPORTED`
   *   if the backend does not support communicators of some ranks, or not all ranks are in this
   *   process.
   * @see ncclCommSplit
   */
  async split(color: number, key?: number): Promise<Communicator>;
  async split(color: number | null, key?: number): Promise<Communicator | null>;
  async split(color: number | null, key = 0): Promise<Communicator | null> {
    const state = await split(this.#state, color, key);
    return state === null ? null : new Communicator(state);
  }

  /**
   * Creates a communicator of this one's ranks without some of them, in the same order. The
   * remaining ranks must call it, with the same list and mode, and it waits for all of them. The
   * excluded ranks do not call it, and may be stuck or gone. The new communicator follows the same
   * rules as those from {@link Communicator.split}.
   *
   * This communicator must be idle, unless `mode` is `'abort'`: then the call first ends its work.
   * The content of memory that an ended kernel wrote is undefined. This includes barriers and
   * signals of this communicator's device communicators, so close the communicator.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if the list is empty, contains a number that is not a
   *   rank, or contains this rank; `NCCLTS_NOT_SUPPORTED` in the cases of `split` and `abort`.
   * @see ncclCommShrink
   */
  async shrink(excludedRanks: readonly number[], options: ShrinkOptions = {}): Promise<Communicator> {
    return new Communicator(await shrink(this.#state, excludedRanks, options));
  }

  /**
   * Returns the first known error of this rank's launches; null if there is none. It does not wait,
   * and it does not consume the error: the next `synchronize` still throws it. The first call
   * starts to watch for failed launches that are not awaited, so call it again later, after the
   * host has done something else. It does not report a kernel that waits forever, because that
   * kernel has not ended.
   *
   * @see ncclCommGetAsyncError
   */
  getAsyncError(): NcclError | null {
    return this.#state.asyncError();
  }

  /**
   * Returns the companion object that a package keeps for this communicator. All of its ranks in
   * this process get the same object, which the first call creates. It is for packages that build
   * operations from kernels and must know the calls of the other ranks (see {@link Companion}). It
   * does not know about ranks in other processes.
   *
   * @throws NcclError `NCCLTS_CLOSED`, `NCCLTS_ABORTED`.
   */
  companion<T extends Companion>(kind: CompanionKind<T>): T {
    this.#state.check('companion');
    return this.#state.group.companions.of(kind);
  }

  /**
   * Waits until all ranks have made their launches, and then until these have ended on all ranks.
   * The call is collective. Afterwards the communicator cannot communicate: launches and collective
   * calls fail with `NCCL_INVALID_USAGE`. Windows can still be read and written, and `close` does
   * not wait for other ranks.
   *
   * @throws the errors of the launches, and an error for unmatched calls that a {@link Companion}
   * reports.
   * @see ncclCommFinalize
   */
  async finalize(): Promise<void> {
    await finalize(this.#state);
  }

  /**
   * Ends this rank's pending work on the communicator, and frees the communicator's resources.
   * Pending operations reject with `NCCLTS_ABORTED`, and so does every later one. Launches that
   * wait on the same streams end too. Other ranks continue. Their collective calls that wait for
   * this rank reject with `NCCL_REMOTE_ERROR`. Their kernels that wait for it keep waiting until
   * their own rank aborts too. It does nothing if the communicator is closed or aborted.
   *
   * If this rank has its own process, its world is aborted.
   *
   * @throws NcclError `NCCLTS_NOT_SUPPORTED` if the backend cannot end a pending launch alone. In
   *   this case nothing has changed.
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
   * Waits for this rank's launches and frees the communicator's resources, in reverse order of
   * their creation. A second call does nothing.
   *
   * @throws the errors of launches that were not reported yet; for the last rank, also an error for
   *   unmatched calls that a {@link Companion} reports.
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
