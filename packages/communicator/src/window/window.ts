import { decodeArray, expectInteger } from '@nccl-ts/core';
import type { ScalarKind, ValueArrays } from '@nccl-ts/core';
import type { ExposedMemory, WindowHandle } from '@nccl-ts/transport';
import { symPtr } from '@nccl-ts/window';
import type { SymPtr, WindowFlags } from '@nccl-ts/window';
import { elementOf, type ElementType } from './element-type.ts';
import { closed } from '../errors.ts';
import { encoded, type HostData } from './host-data.ts';
import { copyFromDevice, copyToDevice, exposed, type HostPart } from './host-copy.ts';
import type { AllocatedMemory } from './memory.ts';
import type { RankState } from '../rank/rank-state.ts';
import type { Shared } from '../rank/shared.ts';

/**
 * One rank's view of a window: memory of all ranks that kernels access through one handle. The
 * communicator owns it.
 *
 * `K` is its element type, which the host reads and writes. Kernels choose their own types.
 *
 * @see ncclWindow_t
 */
export interface HostWindow<K extends ScalarKind = ScalarKind> extends AsyncDisposable {
  readonly kind: 'window';
  /** The rank of this view. Reads and writes access this rank's memory. */
  readonly rank: number;
  /** The number of bytes on each rank. */
  readonly bytes: number;
  readonly flags: WindowFlags;
  readonly type: K;
  readonly isOpen: boolean;
  /**
   * Copies `data` to this rank's memory, starting at byte `offset` (default 0), after earlier
   * launches on the rank's default stream have ended. `data` must not change until then. The copy
   * is not ordered with launches on other streams and other ranks.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if the memory does not accept data of this type or
   *   size; the errors of the launches for which it waited.
   */
  write(data: HostData, offset?: number): Promise<void>;
  /**
   * Reads this rank's memory after earlier launches on the rank's default stream have ended.
   * Without arguments it returns all elements (f16, bf16 and 8-bit floats as a `Float32Array` of
   * their values). With `into` it fills that array, starting at byte `offset` (default 0). The read
   * is not ordered with launches on other streams and other ranks.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if the range is not inside the window; the errors of
   *   the launches for which it waited.
   */
  read(): Promise<ValueArrays[K]>;
  read<T extends ArrayBufferView>(into: T, offset?: number): Promise<T>;
  /**
   * Returns the memory itself, in the backend's own form, after earlier launches on the rank's
   * default stream have ended. It makes no copy. The simulator returns bytes of this process
   * (`kind: 'bytes'`), WebGPU a range of a GPUBuffer (`'gpuBuffer'`). CUDA returns a pointer in
   * DLPack's terms (`'deviceTensor'`), which `adoptMemory` also takes.
   *
   * It is this rank's own memory. It is valid until more memory is allocated or the window is
   * closed; after that, call this method again. Your accesses are not ordered with launches on
   * other streams and other ranks. Writes do not wake a waiting kernel.
   *
   * @throws NcclError `NCCLTS_NOT_SUPPORTED` if the backend cannot expose memory, for example a
   *   simulator that checks the host's accesses; the errors of the launches for which it waited.
   */
  expose(): Promise<ExposedMemory>;
  /**
   * Returns the symmetric pointer to byte `offset` (default 0), for launches of this rank, with
   * elements of `type` or of the window's own type.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if the offset is not inside the window;
   *   `NCCLTS_CLOSED` after its deregistration.
   * @see ncclSymPtr
   */
  symPtr(offset?: number): SymPtr<K, HostWindow<K>>;
  symPtr<L extends ScalarKind>(offset: number, type: ElementType<L>): SymPtr<L, HostWindow<K>>;
  /**
   * Ends this rank's use of the window after its launches have ended. A window of `allocWindow`
   * frees its memory when all ranks have called this. A second call does nothing. The caller must
   * make sure that no kernel of another rank still uses it.
   *
   * @see ncclCommWindowDeregister
   */
  deregister(): Promise<void>;
  /** Does the same as {@link HostWindow.deregister}. */
  close(): Promise<void>;
}

/**
 * The same as {@link HostWindow}.
 *
 * @deprecated Without the import, a program gets the `Window` of browsers: write `HostWindow`.
 */
export type Window<K extends ScalarKind = ScalarKind> = HostWindow<K>;

/** The window behind {@link HostWindow}. */
export class RegisteredWindow<K extends ScalarKind = ScalarKind> implements HostWindow<K> {
  readonly kind = 'window' as const;
  readonly owner: RankState;
  readonly type: K;
  readonly memory: AllocatedMemory;
  readonly #shared: Shared<WindowHandle>;
  /** The start of the window in the memory. */
  readonly #offset: number;
  /** True if the memory was allocated for this window alone and is freed with it. */
  readonly #ownsMemory: boolean;
  #isOpen = true;

  constructor(init: {
    readonly owner: RankState;
    readonly type: K;
    readonly memory: AllocatedMemory;
    readonly shared: Shared<WindowHandle>;
    readonly offset: number;
    readonly ownsMemory: boolean;
  }) {
    this.owner = init.owner;
    this.type = init.type;
    this.memory = init.memory;
    this.#shared = init.shared;
    this.#offset = init.offset;
    this.#ownsMemory = init.ownsMemory;
  }

  get handle(): WindowHandle {
    return this.#shared.value;
  }

  get rank(): number {
    return this.owner.rank;
  }

  get bytes(): number {
    return this.handle.bytes;
  }

  get flags(): WindowFlags {
    return this.handle.flags;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get #part(): HostPart {
    return { buffer: this.memory.buffer, offset: this.#offset, bytes: this.bytes };
  }

  check(what: string): void {
    this.owner.check(what);
    if (!this.#isOpen) throw closed(`${what}: the window was deregistered.`);
  }

  async write(data: HostData, offset = 0): Promise<void> {
    this.check('write');
    await copyToDevice(this.owner, this.#part, encoded(this.type, data, 'write'), offset, 'write');
  }

  async read(): Promise<ValueArrays[K]>;
  async read<T extends ArrayBufferView>(into: T, offset?: number): Promise<T>;
  async read(into?: ArrayBufferView, offset = 0): Promise<ArrayBufferView> {
    this.check('read');
    if (into !== undefined) return copyFromDevice(this.owner, this.#part, into, offset, 'read');
    const bytes = new Uint8Array(this.bytes);
    await copyFromDevice(this.owner, this.#part, bytes, 0, 'read');
    return decodeArray(this.type, bytes);
  }

  async expose(): Promise<ExposedMemory> {
    this.check('expose');
    return exposed(this.owner, this.#part, 'expose');
  }

  symPtr(offset?: number): SymPtr<K, HostWindow<K>>;
  symPtr<L extends ScalarKind>(offset: number, type: ElementType<L>): SymPtr<L, HostWindow<K>>;
  symPtr(offset = 0, type: ElementType = this.type): SymPtr<ScalarKind, HostWindow<K>> {
    const what = 'symPtr';
    this.check(what);
    expectInteger(`${what}: offset`, offset, 0, this.bytes - 1);
    return symPtr(this, elementOf(type, what).scalar, offset);
  }

  async deregister(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.owner.resources.remove(this);
    await this.owner.settle('deregister');
    try {
      await this.#shared.release();
    } finally {
      if (this.#ownsMemory) await this.memory.close();
    }
  }

  async close(): Promise<void> {
    await this.deregister();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.deregister();
  }
}

export function isRegisteredWindow(value: unknown): value is RegisteredWindow {
  return value instanceof RegisteredWindow;
}
