import type { Executable, GraphHandle, KernelArg, LaunchConfig, StreamHandle } from '@nccl-ts/transport';
import { closed } from '../errors.ts';
import type { CollectiveContext } from '../rendezvous/collective.ts';

/**
 * Recorded launches, of one rank or of all, that can be launched again together. They have the
 * arguments of the recording, which must stay open while the graph is used.
 *
 * @see cudaGraphExec_t
 */
export interface Graph extends AsyncDisposable {
  readonly kind: 'graph';
  /** The number of recorded launches, of all ranks. */
  readonly launches: number;
  readonly isOpen: boolean;
  /**
   * Launches the graph. It runs after earlier launches on the recorded streams, and before later
   * ones. The promise resolves when the graph is enqueued. Each rank's `synchronize` waits for its
   * end.
   *
   * @throws NcclError `NCCLTS_CLOSED` after `close`; `NCCLTS_ABORTED` if the world was aborted.
   * @see cudaGraphLaunch
   */
  launch(): Promise<void>;
  /** Frees the graph after its launches have ended. A second call does nothing. */
  close(): Promise<void>;
}

/** A launch as it would have been passed to the backend. */
export interface RecordedLaunch {
  readonly executable: Executable;
  readonly config: LaunchConfig;
  readonly args: readonly KernelArg[];
}

/** Receives the launches of streams that are being captured. */
export interface Recording {
  add(launch: RecordedLaunch): void;
}

/** The part of the world that a graph needs: the backend, and whether it still works. */
type CaptureContext = Pick<CollectiveContext, 'device' | 'lifecycle'>;

/** The part of a stream that a graph needs. */
export interface CapturedStream {
  readonly handle: StreamHandle;
  readonly isOpen: boolean;
  /** True if every launch so far was passed to the backend. */
  readonly isHandedOver: boolean;
  check(what: string): void;
  handedOver(): Promise<void>;
  handInOrder(hand: (earlier: Promise<unknown>) => Promise<void>): Promise<void>;
  beginRecording(recording: Recording): void;
  endRecording(): void;
  noteLaunch(): void;
  settle(what: string): Promise<void>;
}

/**
 * Records the work that `body` launches on the streams. `onClose` is called when the graph is
 * closed.
 */
export async function captureOn(
  world: CaptureContext,
  streams: readonly CapturedStream[],
  body: () => Promise<void> | void,
  onClose: (graph: Graph) => void = () => undefined,
): Promise<Graph> {
  // Earlier launches come before the graph, and are not part of it.
  await Promise.all(streams.map(async (stream) => stream.handedOver()));
  world.lifecycle.check('capture');
  const recording = new LaunchList();
  const begun: CapturedStream[] = [];
  try {
    for (const stream of streams) {
      stream.beginRecording(recording);
      begun.push(stream);
    }
    await body();
    await Promise.all(streams.map(async (stream) => stream.handedOver()));
  } finally {
    for (const stream of begun) stream.endRecording();
  }
  world.lifecycle.check('capture');
  return new RecordedGraph(world, streams, await replayOf(world, streams, recording.launches), onClose);
}

class LaunchList implements Recording {
  readonly launches: RecordedLaunch[] = [];

  add(launch: RecordedLaunch): void {
    this.launches.push(launch);
  }
}

/** The result of a recording. */
interface Replay {
  readonly launches: number;
  run(): void;
  destroy(): Promise<void>;
}

/**
 * Runs the recorded launches, as a graph of the backend or one after another. The backend records
 * all of them in one pass, after every kernel has been compiled, because a GPU cannot load a kernel
 * while it records.
 */
async function replayOf(
  world: CaptureContext,
  streams: readonly CapturedStream[],
  launches: readonly RecordedLaunch[],
): Promise<Replay> {
  const { device } = world;
  const launchAll = (): void => {
    for (const { executable, config, args } of launches) device.launch(executable, config, args);
  };
  if (device.beginCapture === undefined) {
    return { launches: launches.length, run: launchAll, destroy: async () => undefined };
  }
  const handles = streams.map(({ handle }) => handle);
  device.beginCapture(handles);
  let refused: { readonly error: unknown } | undefined;
  let graph: GraphHandle | undefined;
  try {
    launchAll();
  } catch (error) {
    refused = { error };
  }
  try {
    graph = device.endCapture?.(handles);
  } catch (error) {
    // A rejected launch breaks the recording, and the backend then reports that too. The launch is
    // the cause.
    refused ??= { error };
  }
  if (refused !== undefined) {
    if (graph !== undefined) await device.destroyGraph?.(graph);
    throw refused.error;
  }
  if (graph === undefined) throw new RangeError('A backend with beginCapture has endCapture too.');
  const recorded = graph;
  return {
    launches: recorded.launches,
    run: () => device.launchGraph?.(recorded),
    destroy: async () => device.destroyGraph?.(recorded),
  };
}

class RecordedGraph implements Graph {
  readonly kind = 'graph' as const;
  readonly launches: number;
  readonly #world: CaptureContext;
  readonly #streams: readonly CapturedStream[];
  readonly #replay: Replay;
  readonly #onClose: (graph: Graph) => void;
  #isOpen = true;

  constructor(
    world: CaptureContext,
    streams: readonly CapturedStream[],
    replay: Replay,
    onClose: (graph: Graph) => void,
  ) {
    this.#onClose = onClose;
    this.#world = world;
    this.#streams = streams;
    this.#replay = replay;
    this.launches = replay.launches;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  async launch(): Promise<void> {
    const what = 'launch of a graph';
    this.#check(what);
    for (const stream of this.#streams) stream.check(what);
    if (this.#streams.every((stream) => stream.isHandedOver)) {
      this.#run();
      return;
    }
    // The graph starts when all of its streams have reached it, and no stream continues before
    // that.
    const waiting: Promise<void>[] = [];
    let begin = (): void => undefined;
    let fail = (_error: unknown): void => undefined;
    const begun = new Promise<void>((resolve, reject) => {
      begin = resolve;
      fail = reject;
    });
    const handed = this.#streams.map(async (stream) =>
      stream.handInOrder(async (earlier) => {
        waiting.push(earlier.then(() => undefined));
        await begun;
      }),
    );
    await Promise.all(waiting);
    try {
      this.#check(what);
      this.#run();
      begin();
    } catch (error) {
      fail(error);
    }
    await Promise.all(handed);
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#onClose(this);
    if (!this.#world.lifecycle.isAlive) return;
    for (const stream of this.#streams) if (stream.isOpen) await stream.settle('close of a graph');
    await this.#replay.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #run(): void {
    this.#replay.run();
    for (const stream of this.#streams) stream.noteLaunch();
  }

  #check(what: string): void {
    this.#world.lifecycle.check(what);
    if (!this.#isOpen) throw closed(`${what}: the graph is closed.`);
  }
}
