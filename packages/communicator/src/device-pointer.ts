import type { RegisteredWindow } from './window.ts';

/**
 * An address on a rank's device, to be passed to that rank's launches. It ends with the window it
 * leads into: with its deregistration or its communicator's end.
 */
export interface DevicePointer {
  readonly kind: 'devicePointer';
  /** As kernels of `rank` use it. */
  readonly address: number;
  /** Whose kernels may use it. */
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
