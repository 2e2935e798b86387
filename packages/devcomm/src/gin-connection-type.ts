/**
 * The peers that GIN reaches: none, all, or those of the rail.
 *
 * @see ncclGinConnectionType_t
 */
export type GinConnectionType = 'none' | 'full' | 'rail';

/** NCCL's integers for the connection types. */
export const ginConnectionCodes: Readonly<Record<GinConnectionType, 0 | 1 | 2>> = Object.freeze({
  none: 0,
  full: 1,
  rail: 2,
});

/** True if `value` names a connection type. */
export function isGinConnectionType(value: unknown): value is GinConnectionType {
  return typeof value === 'string' && Object.hasOwn(ginConnectionCodes, value);
}
