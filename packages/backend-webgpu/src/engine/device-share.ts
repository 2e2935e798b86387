import type { AcquiredDevice } from '../gpu/acquired-device.ts';
import { Heap } from '../memory/heap.ts';
import type { Replica } from '../memory/replica.ts';
import { LaunchSlots } from './slots.ts';
import { StatusBuffer } from './status.ts';

/**
 * A device with its share of the ranks, and the resources of their launches on it, without the
 * ranks' memory.
 */
export class DeviceShare {
  /** The device's number in the world, from 0. */
  readonly number: number;
  readonly device: AcquiredDevice;
  readonly replica: Replica;
  readonly records: Heap;
  readonly state: Heap;
  readonly status: StatusBuffer;
  readonly slots: LaunchSlots = new LaunchSlots();

  /** @throws NcclError `NCCLTS_OUT_OF_MEMORY` */
  static async create(number: number, replica: Replica): Promise<DeviceShare> {
    const { device } = replica;
    const limit = Number.MAX_SAFE_INTEGER;
    const records = await Heap.create(device, { name: "launches' arguments", base: 0, reserved: 0, limit });
    const state = await Heap.create(device, { name: 'state of waiting kernels', base: 0, reserved: 0, limit });
    return new DeviceShare(number, replica, records, state, await StatusBuffer.create(device));
  }

  private constructor(number: number, replica: Replica, records: Heap, state: Heap, status: StatusBuffer) {
    this.number = number;
    this.device = replica.device;
    this.replica = replica;
    this.records = records;
    this.state = state;
    this.status = status;
  }

  dispose(): void {
    this.records.dispose();
    this.state.dispose();
    this.status.dispose();
  }
}
