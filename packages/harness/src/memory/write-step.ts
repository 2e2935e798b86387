import type { MemoryImage } from './memory-image.ts';

/**
 * An action of one rank's host, which writes bytes of an allocation. It first waits for the rank's
 * earlier steps.
 */
export interface WriteStep {
  readonly kind: 'write';
  /** The allocation's name. */
  readonly allocation: string;
  /** The first byte. */
  readonly offset: number;
  readonly image: MemoryImage;
}
