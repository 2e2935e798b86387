import type { MemoryImage } from './memory-image.ts';

/** An action of the host of one rank between two launches: it writes bytes of an allocation. */
export interface HostStep {
  readonly kind: 'step';
  /** The allocation's name. */
  readonly allocation: string;
  /** First byte. */
  readonly offset: number;
  readonly image: MemoryImage;
}
