/**
 * The logical endpoints of the compute fabric that kernels use: none, one of each rank, or also
 * one of several ranks together.
 *
 * @see ncclCftCap_t
 */
export type CftCaps = 'none' | 'cft' | 'cftMultimem';

/** NCCL's bits for them. Multicast endpoints come together with those of single ranks. */
export const cftCapsCodes: Readonly<Record<CftCaps, 0 | 1 | 3>> = Object.freeze({ none: 0, cft: 1, cftMultimem: 3 });

/** True if `value` names a choice of endpoints. */
export function isCftCaps(value: unknown): value is CftCaps {
  return typeof value === 'string' && Object.hasOwn(cftCapsCodes, value);
}
