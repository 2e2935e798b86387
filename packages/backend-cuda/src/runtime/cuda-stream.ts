import { debugLog, NcclError } from '@nccl-ts/core';
import type { LaunchReport, StreamHandle } from '@nccl-ts/transport';
import { CU_EVENT_DISABLE_TIMING, CU_STREAM_NON_BLOCKING, cuResult } from '../ffi/cu-constants.ts';
import type { NativeFunction } from '../ffi/koffi.ts';
import { aborted } from './errors.ts';
import type { AbortWord } from './abort-words.ts';
import type { CudaDevice } from './cuda-device.ts';
import type { GraphEnd } from './graph-end.ts';
import type { Poller } from './poller.ts';

/** The largest number of kernels that an error names. */
const namedKernels = 8;

/** A launched kernel. */
export interface Launched {
  readonly name: string;
  readonly abortable: boolean;
  readonly prints: boolean;
}

export interface StreamOptions {
  readonly device: CudaDevice;
  /** Identifies the stream in its world. */
  readonly number: number;
  readonly poller: Poller;
  readonly abortWord: AbortWord;
  /** The time limit in milliseconds; infinity for none. */
  readonly timeout: number;
  /** Called when the context was lost. Callers receive its result. */
  readonly onFault: (error: NcclError) => NcclError;
}

/** A stream of one GPU, with its launches. */
export class CudaStream implements StreamHandle {
  readonly device: CudaDevice;
  readonly handle: number;
  readonly number: number;
  readonly abortWord: AbortWord;
  readonly #options: StreamOptions;
  readonly #query: NativeFunction;
  readonly #record: NativeFunction;
  /** Events that no synchronization is using. */
  readonly #events: number[] = [];
  #isOpen = true;
  #launches = 0;
  /** The kernels launched since the stream was last known to be idle, latest last. */
  #names: string[] = [];
  #busySince = 0;
  /**
   * The first flag is set if a launch since then reads the abort word, and the second if one does
   * not.
   */
  #hasAbortable = false;
  #hasOthers = false;
  /** True if a failure was reported while kernels were still running. */
  #isAbandoned = false;
  /** True if a kernel that prints was launched, and some of its lines may not have been read. */
  #prints = false;
  /** The end of a graph, for which later work on the stream must wait. */
  #follows: GraphEnd | undefined;
  /** The end of a graph on this stream. It must be recorded before other work is enqueued here. */
  #owes: GraphEnd | undefined;
  /** The work that may be pending: none, some of its own, or only graphs with that end. */
  #pending: 'none' | 'own' | GraphEnd = 'none';
  /** True if the program has the handle, and may enqueue work of its own. */
  #isLent = false;
  readonly #signals = new Map<AbortSignal, () => void>();
  #failure: NcclError | undefined;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.device = options.device;
    this.number = options.number;
    this.abortWord = options.abortWord;
    const { driver } = options.device;
    this.device.makeCurrent();
    this.handle = driver.createStream(CU_STREAM_NON_BLOCKING);
    this.#query = driver.native('cuEventQuery');
    this.#record = driver.native('cuEventRecord');
  }

  get rank(): number {
    return this.device.rank;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /**
   * Set by a cancellation or failure until a `synchronize` has reported it. Later launches do not
   * run until then.
   */
  get failure(): NcclError | undefined {
    return this.#failure;
  }

  /** True if no work is pending here, except graphs that were launched on `origin`. */
  isQuietBehind(origin: CudaStream): boolean {
    if (this.#isLent) return false;
    return this.#pending === 'none' || (this.#pending !== 'own' && this.#pending.origin === origin);
  }

  /**
   * Gives the handle to the program. From then on, all work of the stream is enqueued immediately.
   */
  lend(): number {
    this.#isLent = true;
    this.recordEnd();
    this.keepFollowing();
    return this.handle;
  }

  /** Makes later work on the stream wait for `end`, the end of a graph on any GPU. */
  follow(end: GraphEnd): void {
    this.#follows = end;
    this.#pending = end;
    if (this.#isLent) this.keepFollowing();
  }

  /** Enqueues the wait that `follow` requested, if that is still pending. */
  keepFollowing(): void {
    const end = this.#follows;
    if (end === undefined) return;
    end.record();
    this.device.makeCurrent();
    this.device.driver.check('cuStreamWaitEvent', this.handle, end.event, 0);
    this.#follows = undefined;
  }

  /** Records the end of the latest graph, if that is still pending. */
  recordEnd(): void {
    this.#owes?.record();
    this.#owes = undefined;
  }

  /** Called when the stream no longer needs that end. */
  partFrom(end: GraphEnd): void {
    if (!this.#isOpen) return;
    if (this.#follows === end) this.keepFollowing();
    if (this.#owes === end) this.recordEnd();
  }

  /** Must be called before a kernel is launched on the stream itself. */
  beforeLaunch(): void {
    if (this.#owes !== undefined) this.recordEnd();
    if (this.#follows !== undefined) this.keepFollowing();
    this.#pending = 'own';
  }

  /** Must be called before a graph with that end is launched on this stream. */
  beforeGraph(end: GraphEnd): void {
    if (this.#owes !== end) this.recordEnd();
    if (this.#follows !== undefined) this.keepFollowing();
    this.#pending = this.#pending === 'none' || this.#pending === end ? end : 'own';
    this.#owes = end;
  }

  /** Must be called after a graph was launched on this stream. */
  afterGraph(): void {
    if (this.#isLent) this.recordEnd();
  }

  /** Records that a kernel was passed to the driver. */
  launched({ name, abortable, prints }: Launched): void {
    if (this.#launches === 0) this.#busySince = performance.now();
    this.#launches++;
    if (abortable) this.#hasAbortable = true;
    else this.#hasOthers = true;
    if (prints) this.#prints = true;
    if (this.#names.at(-1) === name) return;
    this.#names.push(name);
    if (this.#names.length > namedKernels) this.#names.shift();
  }

  /** Cancels pending work if the signal is aborted before the stream is idle. */
  watch(signal: AbortSignal, what: string): void {
    if (this.#signals.has(signal)) return;
    const onAbort = (): void => this.cancel(aborted(what, signal.reason));
    signal.addEventListener('abort', onAbort, { once: true });
    this.#signals.set(signal, onAbort);
  }

  /** Records that a launch never ran. The next `synchronize` rejects with `error`. */
  fail(error: NcclError): void {
    this.#failure ??= error;
  }

  /** Ends abortable work. The pending `synchronize` and the next one reject with `error`. */
  cancel(error: NcclError): void {
    if (this.#failure !== undefined || this.#launches === 0) return;
    const still = ` The ${this.kernelsText()} may still run: only launches made with abortable: true can be ended.`;
    const message = this.#hasOthers ? `${error.message.replace(/[.]?$/, '.')}${still}` : error.message;
    this.#failure = new NcclError(error.code, message, { cause: error.cause, details: error.details });
    if (this.#hasAbortable) this.abortWord.set(1);
  }

  /** True if all launches have ended. It never throws. */
  isIdle(): boolean {
    if (this.#launches === 0) return true;
    this.keepFollowing();
    const result = Number(this.device.driver.native('cuStreamQuery')(this.handle));
    return result !== cuResult.notReady;
  }

  /** True if abandoned kernels are still running, so that their arguments must stay allocated. */
  get isAbandoned(): boolean {
    return this.#isAbandoned && !this.isIdle();
  }

  /** Returns the kernels that may be running, for messages. */
  kernelsText(): string {
    const names = [...new Set(this.#names)].map((name) => `'${name}'`);
    const what = names.length === 1 ? 'kernel' : 'kernels';
    return `${what} ${names.join(', ')} on rank ${this.rank} (GPU ${this.device.ordinal})`;
  }

  async synchronize(): Promise<LaunchReport> {
    const covered = this.#launches;
    if (covered > 0 && this.#failure === undefined) await this.#wait();
    if (this.#failure !== undefined) throw await this.#acknowledge(this.#failure);
    const printed = await this.#takePrinted(covered);
    this.#launches -= covered;
    if (this.#launches === 0) this.#forget();
    return { launches: covered, printed };
  }

  /** Frees the stream. Its work must have ended. */
  destroy(): void {
    if (!this.#isOpen) return;
    this.recordEnd();
    this.#isOpen = false;
    this.device.printRing?.take(this.number);
    this.device.makeCurrent();
    for (const event of this.#events.splice(0)) this.device.driver.check('cuEventDestroy_v2', event);
    this.device.driver.check('cuStreamDestroy_v2', this.handle);
  }

  /** Waits until all current launches have ended, or one fails. */
  async #wait(): Promise<void> {
    const { driver } = this.device;
    this.keepFollowing();
    this.device.makeCurrent();
    const event = this.#events.pop() ?? driver.createEvent(CU_EVENT_DISABLE_TIMING);
    this.#checkResult('cuEventRecord', Number(this.#record(event, this.handle)));
    try {
      await this.#options.poller.wait({
        poll: () => {
          if (this.#failure !== undefined && this.#hasOthers) return true;
          if (this.#prints) this.device.printRing?.drain();
          const result = Number(this.#query(event));
          if (result === cuResult.notReady) {
            this.#checkTime();
            return false;
          }
          this.#checkResult('a kernel', result);
          return true;
        },
      });
    } finally {
      this.#events.push(event);
    }
  }

  #checkTime(): void {
    const { timeout } = this.#options;
    if (this.#failure !== undefined || performance.now() - this.#busySince < timeout) return;
    this.cancel(
      new NcclError('NCCL_TIMEOUT', `${this.kernelsText()} did not end within ${timeout} ms.`, {
        details: { kernels: [...this.#names], rank: this.rank, timeout },
      }),
    );
  }

  /** Returns the lines of the launches so far, of which `covered` have ended. */
  async #takePrinted(covered: number): Promise<readonly string[]> {
    const { printRing } = this.device;
    if (printRing === undefined || !this.#prints) return [];
    if (this.#launches === covered) this.#prints = false;
    await printRing.settle(this.number);
    return printRing.take(this.number);
  }

  #checkResult(call: string, result: number): void {
    if (result === cuResult.success) return;
    // With the context, all launches on this GPU are lost. This is the only report of their printed
    // lines.
    const { printRing } = this.device;
    printRing?.drain();
    const { lines = [], failedAssertions = [] } = printRing?.takeAll() ?? {};
    const [assertion, ...others] = failedAssertions;
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    const said = assertion === undefined ? '' : ` ${assertion}${more}.`;
    const failure = this.device.driver.failure(call, result, ` Under way: ${this.kernelsText()}.${said}`);
    throw this.#options.onFault(
      new NcclError(failure.code, failure.message, {
        details: { ...failure.details, kernels: [...this.#names], rank: this.rank, printed: lines },
      }),
    );
  }

  /**
   * Waits until abortable work has ended. Then it returns the error, once, with the lines that were
   * printed until then.
   */
  async #acknowledge(failure: NcclError): Promise<NcclError> {
    // After a failure nothing more is launched, so the stream's own end is the one to wait for.
    if (!this.#hasOthers) await this.#options.poller.wait({ poll: () => this.isIdle() });
    if (this.#failure === failure) {
      const isIdle = this.isIdle();
      this.#failure = undefined;
      this.#isAbandoned = !isIdle;
      if (isIdle) {
        this.abortWord.set(0);
        this.#forget();
      }
    }
    let printed: readonly string[] = [];
    try {
      printed = await this.#takePrinted(0);
    } catch (error) {
      debugLog('cuda', () => `the lines printed before a failure are lost: ${String(error)}`);
    }
    if (printed.length === 0) return failure;
    const { code, message, cause, details } = failure;
    return new NcclError(code, message, { cause, details: { ...details, printed } });
  }

  #forget(): void {
    for (const [signal, onAbort] of this.#signals) signal.removeEventListener('abort', onAbort);
    this.#signals.clear();
    this.#pending = 'none';
    this.#isAbandoned = false;
    this.#launches = 0;
    this.#names = [];
    this.#hasAbortable = false;
    this.#hasOthers = false;
  }
}
