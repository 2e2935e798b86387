import { CU_EVENT_DEFAULT } from '../ffi/cu-constants.ts';
import type { CudaDevice } from './cuda-device.ts';
import type { CudaStream } from './cuda-stream.ts';

/** A point on a stream whose time can be measured. */
export class CudaEvent {
  readonly device: CudaDevice;
  readonly handle: number;
  #isOpen = true;

  constructor(device: CudaDevice) {
    this.device = device;
    device.makeCurrent();
    this.handle = device.driver.createEvent(CU_EVENT_DEFAULT);
  }

  get rank(): number {
    return this.device.rank;
  }

  record(stream: CudaStream): void {
    stream.keepFollowing();
    this.device.makeCurrent();
    this.device.driver.check('cuEventRecord', this.handle, stream.handle);
  }

  /** Returns the milliseconds from `start` to this event. Both must have completed. */
  since(start: CudaEvent): number {
    return this.device.driver.elapsed(start.handle, this.handle);
  }

  destroy(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.device.driver.check('cuEventDestroy_v2', this.handle);
  }
}
