import { MeasuringProcess, type MeasurementResponse } from './measuring-process.ts';
import { peersOf } from './peer-option.ts';

/** A measurement by a peer's process. `native/peers/request.h` reads it. */
export interface PeerRequest {
  readonly contender: string;
  /** `rms_norm` is AllReduce with a residual and RMSNorm, of `rows` of `hidden` elements. */
  readonly program: string;
  /** The element type, by nccl-tests' name. */
  readonly type: string;
  /** The bytes of a call's input. */
  readonly bytes: number;
  readonly rows?: number;
  readonly hidden?: number;
  /** True to check every element of a graph's calls. */
  readonly check: boolean;
  /**
   * The number of launches whose results are compared, one by one. Only recorded launches have it.
   */
  readonly repeats?: number;
  /** The bytes of each buffer. The calls of a graph rotate through them. */
  readonly room: number;
  /** The calls of a graph. */
  readonly calls: number;
  /** The graph is launched until this time has passed, and not more often than `launches`. */
  readonly milliseconds: number;
  readonly launches: number;
}

/** An answer takes half a second. A kernel that hangs would take all of the time on the machine. */
const SECONDS = 60;

/** The peers of a command line, in a process for each command. */
export class PeerContenders {
  readonly names: readonly string[];
  readonly #commands: ReadonlyMap<string, string>;
  readonly #processes = new Map<string, MeasuringProcess>();
  readonly #gpus: number;
  readonly #seconds: number;

  /** @throws UsageError as `peersOf` does */
  constructor(args: readonly string[], gpus: number, seconds: number = SECONDS) {
    const peers = peersOf(args);
    this.names = peers.map(({ name }) => name);
    this.#commands = new Map(peers.map(({ name, command }) => [name, command]));
    this.#gpus = gpus;
    this.#seconds = seconds;
  }

  has(name: string): boolean {
    return this.#commands.has(name);
  }

  /** The answer of the peer's process, which begins with the first request to it. */
  async request(request: PeerRequest): Promise<MeasurementResponse> {
    const command = this.#commands.get(request.contender);
    if (command === undefined) return { error: `there is no peer ${request.contender}` };
    let process = this.#processes.get(command);
    if (process === undefined) {
      const words = [...command.trim().split(/\s+/), '--gpus', String(this.#gpus)];
      process = new MeasuringProcess(words, { seconds: this.#seconds });
      this.#processes.set(command, process);
    }
    return process.request(request);
  }

  end(): void {
    for (const process of this.#processes.values()) process.end();
  }
}
