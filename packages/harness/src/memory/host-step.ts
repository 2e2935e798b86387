import type { MemoryImage } from './memory-image.ts';

/** An action of one rank's host between two launches, which writes bytes of an allocation. */
export interface HostStep {
  readonly kind: 'step';
  /** The allocation's name. */
  readonly allocation: string;
  /** The first byte. */
  readonly offset: number;
  readonly image: MemoryImage;
}
