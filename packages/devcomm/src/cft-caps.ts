/**
 * The logical endpoints of the compute fabric that kernels use: none, one for each rank, or also
 * endpoints for several ranks together.
 *
 * @see ncclCftCap_t
 */
export type CftCaps = 'none' | 'cft' | 'cftMultimem';

/** NCCL's bits for them. Multicast endpoints include those of single ranks. */
export const cftCapsCodes: Readonly<Record<CftCaps, 0 | 1 | 3>> = Object.freeze({ none: 0, cft: 1, cftMultimem: 3 });

/** True if `value` is a valid choice of endpoints. */
export function isCftCaps(value: unknown): value is CftCaps {
  return typeof value === 'string' && Object.hasOwn(cftCapsCodes, value);
}
