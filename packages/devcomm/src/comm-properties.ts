import type { GinReach } from './gin-connection-type.ts';

/**
 * The engine that drives GIN: none, a host thread (`proxy`), the GPU (`gdaki`), NCCL's GPI, or the
 * GPU over AWS's EFA (`efaGda`, since NCCL 2.31).
 *
 * @see ncclGinType_t
 */
export type GinType = 'none' | 'proxy' | 'gdaki' | 'gpi' | 'efaGda';

/** NCCL's integers for the GIN types. */
export const ginTypeCodes: Readonly<Record<GinType, 0 | 2 | 3 | 4 | 5>> = Object.freeze({
  none: 0,
  proxy: 2,
  gdaki: 3,
  gpi: 4,
  efaGda: 5,
});

/** True if `value` is a GIN type. */
export function isGinType(value: unknown): value is GinType {
  return typeof value === 'string' && Object.hasOwn(ginTypeCodes, value);
}

/**
 * The properties of a communicator.
 *
 * @see ncclCommProperties
 */
export interface CommProperties {
  readonly rank: number;
  readonly nRanks: number;
  /** The index of the CUDA device; absent if there is none. */
  readonly cudaDev?: number;
  /** NVML's index of the device; absent if there is none. */
  readonly nvmlDev?: number;
  /** True if device communicators can be created. */
  readonly deviceApiSupport: boolean;
  readonly multimemSupport: boolean;
  /** The type of a `full` GIN connection. */
  readonly ginType: GinType;
  readonly nLsaTeams: number;
  /** True if the host may put to and signal peers. */
  readonly hostRmaSupport: boolean;
  /** The type of a `rail` GIN connection. */
  readonly railedGinType: GinType;
  /** The GIN types that the ranks have. It is a separate property since NCCL 2.31. */
  readonly ginSupport: readonly GinType[];
  /** The densest connection that the ranks can have. Since NCCL 2.31. */
  readonly ginConnectionType: GinReach;
  /**
   * The smallest `ginCustomStride` that the ranks can have; 0 without GIN. Since NCCL 2.31, whose
   * documentation only lists the name.
   */
  readonly ginMinStride: number;
  /** True if all ranks have logical endpoints of the compute fabric. Since NCCL 2.31. */
  readonly cftSupport: boolean;
  /** True if they have multicast endpoints. Since NCCL 2.31. */
  readonly cftMulticastSupport: boolean;
  /** True if they have counted endpoints. Since NCCL 2.32. */
  readonly cftCountedSupport: boolean;
}
