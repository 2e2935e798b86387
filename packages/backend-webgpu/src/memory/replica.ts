import type { AcquiredDevice } from '../gpu/acquired-device.ts';
import type { HeapCopy } from './heap-copy.ts';
import type { HostCopies } from './host-copies.ts';

/** The memory of all ranks as one device has it. */
export interface Replica {
  readonly device: AcquiredDevice;
  readonly hostCopies: HostCopies;
  readonly heap: HeapCopy;
  readonly resources: HeapCopy;
  /**
   * The content that all devices have agreed on; absent if they need not agree. Differences from it
   * were written here since.
   */
  readonly agreed: { readonly heap: HeapCopy; readonly resources: HeapCopy } | undefined;
}
