/**
 * What drives GIN: nothing, a host thread (`proxy`), the GPU (`gdaki`), or NCCL's GPI.
 *
 * @see ncclGinType_t
 */
export type GinType = 'none' | 'proxy' | 'gdaki' | 'gpi';

/** NCCL's integers for the GIN types. */
export const ginTypeCodes: Readonly<Record<GinType, 0 | 2 | 3 | 4>> = Object.freeze({
  none: 0,
  proxy: 2,
  gdaki: 3,
  gpi: 4,
});

/**
 * What a communicator is and can do.
 *
 * @see ncclCommProperties
 */
export interface CommProperties {
  readonly rank: number;
  readonly nRanks: number;
  /** Index of the CUDA device; absent where there is none. */
  readonly cudaDev?: number;
  /** Index of the device as NVML counts; absent where there is none. */
  readonly nvmlDev?: number;
  /** True if device communicators can be created. */
  readonly deviceApiSupport: boolean;
  readonly multimemSupport: boolean;
  /** How a `full` GIN connection would be driven. */
  readonly ginType: GinType;
  readonly nLsaTeams: number;
  /** True if the host may put to and signal peers. */
  readonly hostRmaSupport: boolean;
  /** How a `rail` GIN connection would be driven. */
  readonly railedGinType: GinType;
}
