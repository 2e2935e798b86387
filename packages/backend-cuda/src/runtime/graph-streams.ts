import { CU_EVENT_DISABLE_TIMING, cuResult } from '../ffi/cu-constants.ts';
import type { NativeFunction } from '../ffi/koffi.ts';
import type { CudaStream } from './cuda-stream.ts';
import { GraphEnd } from './graph-end.ts';

/**
 * The streams of a graph. It is launched on the first one, the origin, and the others follow it.
 */
export class GraphStreams {
  readonly streams: readonly CudaStream[];
  readonly origin: CudaStream;
  readonly end: GraphEnd;
  /** One event for each stream, on the stream's GPU. The first is that of the end. */
  readonly events: readonly number[];
  readonly #launch: NativeFunction;
  readonly #record: NativeFunction;
  readonly #wait: NativeFunction;

  constructor(streams: readonly CudaStream[]) {
    const [origin] = streams;
    if (origin === undefined) throw new RangeError('A graph needs at least one stream.');
    const { driver } = origin.device;
    this.streams = streams;
    this.origin = origin;
    this.events = streams.map(({ device }) => {
      device.makeCurrent();
      return driver.createEvent(CU_EVENT_DISABLE_TIMING);
    });
    this.end = new GraphEnd(origin, this.eventOf(0));
    this.#launch = driver.native('cuGraphLaunch');
    this.#record = driver.native('cuEventRecord');
    this.#wait = driver.native('cuStreamWaitEvent');
  }

  eventOf(index: number): number {
    const event = this.events[index];
    if (event === undefined) throw new RangeError('A stream has no event.');
    return event;
  }

  /**
   * Launches a graph after the pending work of all streams.
   *
   * @throws NcclError with the driver's immediate error
   */
  launch(graph: number): void {
    const { streams, origin, end } = this;
    for (let i = 1; i < streams.length; i++) {
      const other = streams[i];
      if (other === undefined || other.isQuietBehind(origin)) continue;
      other.keepFollowing();
      const event = this.eventOf(i);
      other.device.makeCurrent();
      this.#check('cuEventRecord', this.#record(event, other.handle));
      this.#check('cuStreamWaitEvent', this.#wait(origin.handle, event, 0));
    }
    if (streams.length === 1) origin.beforeLaunch();
    else origin.beforeGraph(end);
    origin.device.makeCurrent();
    this.#check('cuGraphLaunch', this.#launch(graph, origin.handle));
    end.moveOn();
    origin.afterGraph();
    for (const stream of streams) if (stream !== origin) stream.follow(end);
  }

  /** Frees the events. */
  destroy(): void {
    for (const stream of this.streams) stream.partFrom(this.end);
    for (const event of this.events) this.origin.device.driver.check('cuEventDestroy_v2', event);
  }

  #check(call: string, result: unknown): void {
    if (result !== cuResult.success) throw this.origin.device.driver.failure(call, Number(result));
  }
}
