import { addr, bool, handleParam, i32, structParam, u32, type HandleParam, type StructParam } from '@nccl-ts/kernel';
import type { GinBarrierHandle } from './gin-barrier-requirement.ts';
import type { LLA2AHandle } from './ll-a2a-requirement.ts';
import type { LsaBarrierHandle } from './lsa-barrier-requirement.ts';
import { cftBarrierHandle, type CftBarrierHandle } from './cft-barrier-handle.ts';
import { multimemHandle, type MultimemHandle } from './multimem-handle.ts';
import { windowParam, type KernelWindow } from './window.ts';

/** The parameter type for a handle of your own LSA barriers. @see ncclLsaBarrierHandle */
export const lsaBarrierHandle: StructParam<LsaBarrierHandle, LsaBarrierHandle> = structParam({
  struct: 'LsaBarrierHandle',
  fields: { bufHandle: u32, nBarriers: i32 },
});

/** The parameter type for a handle of your own GIN barriers. @see ncclGinBarrierHandle */
export const ginBarrierHandle: StructParam<GinBarrierHandle, GinBarrierHandle> = structParam({
  struct: 'GinBarrierHandle',
  fields: { signal0: u32 },
});

/** The parameter type for a handle of all-to-all slots. @see ncclLLA2AHandle */
export const llA2AHandle: StructParam<LLA2AHandle, LLA2AHandle> = structParam({
  struct: 'LLA2AHandle',
  fields: { bufHandle: u32, nSlots: u32, nBlocks: u32 },
});

/**
 * A device communicator in a kernel. `rank`, `nRanks`, `lsaRank`, `lsaSize` and `ginContextCount`
 * are NCCL's stable members. The others are for device packages.
 *
 * @see ncclDevComm
 */
export interface KernelDevComm {
  readonly kind: 'devComm';
  /** The rank in the communicator, from 0. @see ncclDevComm::rank */
  readonly rank: number;
  /** The number of ranks of the communicator. @see ncclDevComm::nRanks */
  readonly nRanks: number;
  /** The rank in its load/store domain, from 0: the peers of `lsa.pointer`. @see ncclDevComm */
  readonly lsaRank: number;
  /**
   * The number of ranks that loads and stores reach: peers of `lsa.pointer` are 0 to `lsaSize` - 1.
   *
   * ```ts
   * const right = (comm.lsaRank + 1) % comm.lsaSize;
   * ```
   *
   * @see ncclDevComm::lsaSize
   */
  readonly lsaSize: number;
  /** The number of network contexts, which `gin.context` numbers from 0. */
  readonly ginContextCount: number;
  /** The multicast addresses over the LSA team; null if the requirements had no `lsaMultimem`. */
  readonly lsaMultimem: MultimemHandle;
  readonly lsaBarrier: LsaBarrierHandle;
  readonly hybridLsaBarrier: LsaBarrierHandle;
  readonly worldGinBarrier: GinBarrierHandle;
  readonly railGinBarrier: GinBarrierHandle;
  readonly hybridWorldGinBarrier: GinBarrierHandle;
  readonly hybridRailGinBarrier: GinBarrierHandle;
  readonly ginSignalCount: number;
  /** The first signal of `resourceRequirementsList`. Those of barriers end here. */
  readonly ginListSignalStart: number;
  readonly ginCounterCount: number;
  readonly ginSignalShadowsOffset: number;
  /** True if GIN does not reach all ranks. */
  readonly ginContextsRailed: boolean;
  /**
   * GIN reaches the ranks whose distance in world ranks is a multiple of this: 1 for all, `lsaSize`
   * for the rail, 0 without GIN, -1 if every rank has a list (`customArray`).
   */
  readonly ginContextStride: number;
  /** True if signals without a stated strength are strong. */
  readonly ginStrongLegacySignals: boolean;
  /**
   * The position of the calling rank among the ranks with fabric endpoints, and their number; 0
   * without endpoints.
   */
  readonly cftRank: number;
  readonly cftSize: number;
  /** The position among the ranks of one multicast endpoint, and their number. */
  readonly cftMultimemRank: number;
  readonly cftMultimemSize: number;
  readonly cftBarrier: CftBarrierHandle;
  readonly cftMultimemBarrier: CftBarrierHandle;
  /**
   * True if GIN barriers count arrivals in two alternating signals, instead of one signal for each
   * rank. The network chooses.
   */
  readonly ginSignalEfficientBarriers: boolean;
  /** Holds the state of barriers and the buffers of `resourceRequirementsList`. */
  readonly resourceWindow: KernelWindow;
  /**
   * The words that the network writes, in the layout of `ginState`. Present only if a kernel's
   * portable body runs GIN.
   */
  readonly ginStateWindow: KernelWindow;
}

/** A device communicator as an argument of a launch: the result of `createDevComm`. */
export interface DevCommArg {
  readonly kind: 'devComm';
}

/** The parameter type for a device communicator. */
export const devCommParam: HandleParam<KernelDevComm, DevCommArg> = handleParam({
  handle: 'DevComm',
  fields: {
    rank: i32,
    nRanks: i32,
    lsaRank: i32,
    lsaSize: i32,
    ginContextCount: u32,
    lsaMultimem: multimemHandle,
    lsaBarrier: lsaBarrierHandle,
    hybridLsaBarrier: lsaBarrierHandle,
    worldGinBarrier: ginBarrierHandle,
    railGinBarrier: ginBarrierHandle,
    hybridWorldGinBarrier: ginBarrierHandle,
    hybridRailGinBarrier: ginBarrierHandle,
    ginSignalCount: i32,
    ginListSignalStart: u32,
    ginCounterCount: i32,
    ginSignalShadowsOffset: addr,
    ginContextsRailed: bool,
    ginContextStride: i32,
    ginStrongLegacySignals: bool,
    cftRank: i32,
    cftSize: i32,
    cftMultimemRank: i32,
    cftMultimemSize: i32,
    cftBarrier: cftBarrierHandle,
    cftMultimemBarrier: cftBarrierHandle,
    ginSignalEfficientBarriers: bool,
    resourceWindow: windowParam,
    ginStateWindow: windowParam,
  },
});

/**
 * The same as {@link devCommParam}.
 *
 * @deprecated A variable for the result of `createDevComm` has this name too: write `devCommParam`.
 * @alias
 */
export const devComm: HandleParam<KernelDevComm, DevCommArg> = devCommParam;

/**
 * The same as {@link KernelDevComm}.
 *
 * @deprecated The type on the host had this name too: write `KernelDevComm`.
 */
export type DevComm = KernelDevComm;
