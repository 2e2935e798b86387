import { NcclError } from '@nccl-ts/core';
import {
  CU_EVENT_DISABLE_TIMING,
  CU_MEMHOSTALLOC_PORTABLE,
  CU_STREAM_NON_BLOCKING,
  cuDeviceAttribute,
  cuP2PAttribute,
  cuResult,
} from '../ffi/cu-constants.ts';
import type { CudaDriver } from '../ffi/cuda-driver.ts';
import type { NativeFunction } from '../ffi/koffi.ts';
import { nativeView } from '../ffi/native-memory.ts';
import type { Poller } from './poller.ts';
import { PrintRing } from './print-ring.ts';

/** The number of bytes that one copy between host and GPU moves at a time. */
const stagingBytes = 4 << 20;

interface Staging {
  readonly address: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface CudaDeviceInit {
  readonly ordinal: number;
  readonly rank: number;
  readonly poller: Poller;
  readonly sharing: number;
}

/** The GPU of a rank and its primary context, which NCCL and other ranks on the GPU share. */
export class CudaDevice {
  readonly rank: number;
  readonly ordinal: number;
  /** The largest number of ranks that share a GPU. It is the same for all GPUs of a world. */
  readonly sharing: number;
  readonly driver: CudaDriver;
  readonly context: number;
  /** An architecture such as `sm_90`. */
  readonly arch: string;
  readonly memSyncDomains: number;
  /**
   * True if a kernel may be set up while the previous one still runs, provided that it waits for
   * that one itself.
   */
  readonly canOverlap: boolean;
  readonly #setCurrent: NativeFunction;
  readonly #poller: Poller;
  readonly #copyStream: number;
  readonly #copyEvent: number;
  #printRing: PrintRing | undefined;
  #openingPrintRing: Promise<PrintRing> | undefined;
  #staging: Staging | undefined;
  /** Copies run one after the other, because they share the staging memory. */
  #copies: Promise<unknown> = Promise.resolve();

  constructor(driver: CudaDriver, { ordinal, rank, poller, sharing }: CudaDeviceInit) {
    this.driver = driver;
    this.ordinal = ordinal;
    this.rank = rank;
    this.sharing = sharing;
    this.#poller = poller;
    this.#setCurrent = driver.native('cuCtxSetCurrent');
    this.arch = archOf(driver, ordinal);
    // A kernel that waits to begin would occupy the room of one that another rank waits for.
    this.canOverlap = sharing === 1 && driver.attribute(cuDeviceAttribute.computeCapabilityMajor, ordinal) >= 9;
    this.memSyncDomains = driver.attribute(cuDeviceAttribute.memSyncDomainCount, ordinal);
    this.context = driver.handle('cuDevicePrimaryCtxRetain', ordinal);
    this.makeCurrent();
    this.#copyStream = driver.createStream(CU_STREAM_NON_BLOCKING);
    this.#copyEvent = driver.createEvent(CU_EVENT_DISABLE_TIMING);
  }

  /** Makes the GPU's context current for driver calls of this thread. */
  makeCurrent(): void {
    const result = this.#setCurrent(this.context);
    if (result !== cuResult.success) throw this.driver.failure('cuCtxSetCurrent', Number(result));
  }

  /** Returns the ring for printed lines; undefined until a kernel that prints is loaded. */
  get printRing(): PrintRing | undefined {
    return this.#printRing;
  }

  /** Returns the ring for printed lines. The first call creates it. */
  async openPrintRing(bytes: number): Promise<PrintRing> {
    this.#openingPrintRing ??= PrintRing.create(this, bytes);
    try {
      this.#printRing = await this.#openingPrintRing;
    } catch (error) {
      this.#openingPrintRing = undefined;
      throw error;
    }
    return this.#printRing;
  }

  /** Fills memory with zeros. */
  async clear(address: number, bytes: number): Promise<void> {
    await this.#inTurn(async () => {
      this.makeCurrent();
      this.driver.check('cuMemsetD8Async', address, 0, bytes, this.#copyStream);
      await this.#copied();
    });
  }

  /** Copies bytes from the host to the GPU. The promise resolves after they have been read. */
  async upload(address: number, bytes: Uint8Array): Promise<void> {
    await this.#inTurn(async () => {
      const staging = this.#stage();
      for (let at = 0; at < bytes.length; at += stagingBytes) {
        const part = bytes.subarray(at, at + stagingBytes);
        staging.bytes.set(part);
        this.makeCurrent();
        this.driver.check('cuMemcpyHtoDAsync_v2', address + at, staging.address, part.length, this.#copyStream);
        await this.#copied();
      }
    });
  }

  async download(address: number, into: Uint8Array): Promise<void> {
    await this.#inTurn(async () => {
      const staging = this.#stage();
      for (let at = 0; at < into.length; at += stagingBytes) {
        const part = into.subarray(at, at + stagingBytes);
        this.makeCurrent();
        this.driver.check('cuMemcpyDtoHAsync_v2', staging.address, address + at, part.length, this.#copyStream);
        await this.#copied();
        part.set(staging.bytes.subarray(0, part.length));
      }
    });
  }

  /** Frees the device's own resources. Its memory, streams and modules must be freed first. */
  dispose(): void {
    this.makeCurrent();
    this.#printRing?.dispose();
    if (this.#staging !== undefined) this.driver.check('cuMemFreeHost', this.#staging.address);
    this.#staging = undefined;
    this.driver.check('cuEventDestroy_v2', this.#copyEvent);
    this.driver.check('cuStreamDestroy_v2', this.#copyStream);
    this.driver.check('cuCtxSetCurrent', 0);
    this.driver.check('cuDevicePrimaryCtxRelease_v2', this.ordinal);
  }

  async #inTurn(copy: () => Promise<void>): Promise<void> {
    const turn = this.#copies.then(copy);
    this.#copies = turn.catch(() => undefined);
    await turn;
  }

  #stage(): Staging {
    if (this.#staging === undefined) {
      this.makeCurrent();
      const address = this.driver.handle('cuMemHostAlloc', stagingBytes, CU_MEMHOSTALLOC_PORTABLE);
      this.#staging = { address, bytes: nativeView(this.driver.koffi, address, stagingBytes) };
    }
    return this.#staging;
  }

  async #copied(): Promise<void> {
    this.driver.check('cuEventRecord', this.#copyEvent, this.#copyStream);
    const query = this.driver.native('cuEventQuery');
    await this.#poller.wait({
      poll: () => {
        const result = Number(query(this.#copyEvent));
        if (result === cuResult.notReady) return false;
        if (result !== cuResult.success) throw this.driver.failure('a copy between host and GPU', result);
        return true;
      },
    });
  }
}

/** The architecture of a GPU, such as `sm_90`. */
export function archOf(driver: CudaDriver, ordinal: number): string {
  const major = driver.attribute(cuDeviceAttribute.computeCapabilityMajor, ordinal);
  const minor = driver.attribute(cuDeviceAttribute.computeCapabilityMinor, ordinal);
  return `sm_${major}${minor}`;
}

/**
 * The requested GPUs, by CUDA's numbers.
 *
 * @throws NcclError `NCCLTS_CUDA_NO_DEVICE`.
 */
export function deviceOrdinals(driver: CudaDriver, devices: 'all' | readonly number[]): readonly number[] {
  const count = driver.deviceCount();
  const visible = process.env['CUDA_VISIBLE_DEVICES'];
  const hint = visible === undefined ? '' : ` (CUDA_VISIBLE_DEVICES is ${visible})`;
  if (count === 0) throw new NcclError('NCCLTS_CUDA_NO_DEVICE', `The driver sees no GPU${hint}.`);
  if (devices === 'all') return Array.from({ length: count }, (_, ordinal) => ordinal);
  const missing = devices.filter((ordinal) => ordinal >= count);
  if (missing.length === 0) return devices;
  throw new NcclError(
    'NCCLTS_CUDA_NO_DEVICE',
    `There is no GPU ${missing.join(', ')}: the driver sees ${count}, from 0 to ${count - 1}${hint}.`,
    { details: { asked: devices, count } },
  );
}

/**
 * Checks that every GPU can access the memory of every other. Otherwise NCCL has no symmetric
 * memory.
 *
 * @throws NcclError `NCCLTS_CUDA_NO_P2P` with the pairs of GPUs that cannot.
 */
export function checkPeerAccess(driver: CudaDriver, ordinals: readonly number[]): void {
  const pairs: string[] = [];
  for (const from of ordinals) {
    for (const to of ordinals) {
      if (from !== to && driver.number('cuDeviceCanAccessPeer', from, to) === 0) pairs.push(`${from} to ${to}`);
    }
  }
  if (pairs.length === 0) return;
  throw new NcclError(
    'NCCLTS_CUDA_NO_P2P',
    `Kernels access the memory of other GPUs by loads and stores, but these GPUs cannot: ${pairs.join(', ')}. ` +
      'nvidia-smi topo -p2p r shows what is connected; choose GPUs with the option devices or CUDA_VISIBLE_DEVICES.',
    { details: { pairs } },
  );
}

/** The first compute capability for which NCCL relies on lines of 128 bytes that arrive whole. */
const LINES_SINCE = 7;

/**
 * True if there are several GPUs, NVLink connects every two, and none is there twice. Of the links
 * between GPUs, only NVLink carries atomics.
 */
export function hasNvlink(driver: CudaDriver, ordinals: readonly number[]): boolean {
  if (ordinals.length < 2 || new Set(ordinals).size < ordinals.length) return false;
  const { nativeAtomicSupported } = cuP2PAttribute;
  return ordinals.every(
    (from) =>
      driver.attribute(cuDeviceAttribute.computeCapabilityMajor, from) >= LINES_SINCE &&
      ordinals.every(
        (to) => from === to || driver.number('cuDeviceGetP2PAttribute', nativeAtomicSupported, from, to) === 1,
      ),
  );
}
