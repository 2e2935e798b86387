/**
 * The peers that GIN reaches: none, all, those of the rail, or those in steps of `ginCustomStride`
 * ranks. NCCL 2.32.6 also has a list of world ranks for each rank
 * (`NCCL_GIN_CONNECTION_CUSTOM_ARRAY`, `ginCustomArray`), which nccl-ts does not support.
 *
 * @see ncclGinConnectionType_t
 */
export type GinConnectionType = 'none' | 'full' | 'rail' | 'customStride';

/** NCCL's integers for the connection types. */
export const ginConnectionCodes: Readonly<Record<GinConnectionType, 0 | 1 | 2 | 3>> = Object.freeze({
  none: 0,
  full: 1,
  rail: 2,
  customStride: 3,
});

/** True if `value` is a connection type. */
export function isGinConnectionType(value: unknown): value is GinConnectionType {
  return typeof value === 'string' && Object.hasOwn(ginConnectionCodes, value);
}

/**
 * The densest connection that ranks can have. Connections with a stride are among those of `full`.
 */
export type GinReach = Exclude<GinConnectionType, 'customStride'>;

/** All reaches of GIN. */
export const ginReaches: readonly GinReach[] = Object.freeze(['none', 'full', 'rail'] as const);

/** True if `value` is a reach. */
export function isGinReach(value: unknown): value is GinReach {
  return ginReaches.some((reach) => reach === value);
}
