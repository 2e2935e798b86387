import type { CudaDevice } from './cuda-device.ts';

/** The stream on which a graph is launched. */
interface GraphOrigin {
  readonly device: CudaDevice;
  readonly handle: number;
}

/**
 * The end of the latest launch of a graph, for which streams of other GPUs wait. It is recorded
 * only if one of them needs it, or if other work is enqueued on the graph's stream.
 */
export class GraphEnd {
  readonly origin: GraphOrigin;
  /** `CUevent` */
  readonly event: number;
  #isRecorded = true;

  constructor(origin: GraphOrigin, event: number) {
    this.origin = origin;
    this.event = event;
  }

  /** Called when the graph was launched again. */
  moveOn(): void {
    this.#isRecorded = false;
  }

  record(): void {
    if (this.#isRecorded) return;
    this.#isRecorded = true;
    const { device, handle } = this.origin;
    device.makeCurrent();
    device.driver.check('cuEventRecord', this.event, handle);
  }
}
