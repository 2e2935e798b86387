/**
 * The peers that GIN reaches: none, all, those of the rail, those in steps of `ginCustomStride`
 * ranks, or the ranks in `ginCustomArray`.
 *
 * @see ncclGinConnectionType_t
 */
export type GinConnectionType = 'none' | 'full' | 'rail' | 'customStride' | 'customArray';

/** All connection types. */
export const ginConnectionTypes: readonly GinConnectionType[] = Object.freeze([
  'none',
  'full',
  'rail',
  'customStride',
  'customArray',
] as const);

/**
 * NCCL's integers for the connection types. That of `customArray` is missing: it is in no header
 * that comes with a package.
 */
export const ginConnectionCodes: Readonly<Record<Exclude<GinConnectionType, 'customArray'>, 0 | 1 | 2 | 3>> =
  Object.freeze({
    none: 0,
    full: 1,
    rail: 2,
    customStride: 3,
  });

/** True if `value` is a connection type. */
export function isGinConnectionType(value: unknown): value is GinConnectionType {
  return ginConnectionTypes.some((type) => type === value);
}

/**
 * The densest connection that ranks can have. Custom connections are among those of `full`.
 */
export type GinReach = Exclude<GinConnectionType, 'customStride' | 'customArray'>;

/** All reaches of GIN. */
export const ginReaches: readonly GinReach[] = Object.freeze(['none', 'full', 'rail'] as const);

/** True if `value` is a reach. */
export function isGinReach(value: unknown): value is GinReach {
  return ginReaches.some((reach) => reach === value);
}
