import type { AcquiredDevice } from '../gpu/acquired-device.ts';
import type { HeapCopy } from './heap-copy.ts';
import type { HostCopies } from './host-copies.ts';

/** The memory of all ranks on one device. */
export interface Replica {
  readonly device: AcquiredDevice;
  readonly hostCopies: HostCopies;
  readonly heap: HeapCopy;
  readonly resources: HeapCopy;
  /**
   * The content on which all devices have agreed; absent if they need not agree. Any difference
   * from it was written here since then.
   */
  readonly agreed: { readonly heap: HeapCopy; readonly resources: HeapCopy } | undefined;
}
