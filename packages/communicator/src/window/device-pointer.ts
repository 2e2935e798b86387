import type { RegisteredWindow } from './window.ts';

/**
 * An address on a rank's device, for launches of that rank. It is valid until its window is
 * deregistered or its communicator ends.
 */
export interface DevicePointer {
  readonly kind: 'devicePointer';
  /** The address for kernels of `rank`. */
  readonly address: number;
  /** The rank whose kernels may use it. */
  readonly rank: number;
}

/** The pointer behind {@link DevicePointer}. */
export class ResolvedPointer implements DevicePointer {
  readonly kind = 'devicePointer' as const;
  readonly address: number;
  readonly window: RegisteredWindow;

  constructor(window: RegisteredWindow, address: number) {
    this.window = window;
    this.address = address;
  }

  get rank(): number {
    return this.window.rank;
  }
}
