import type { ScalarKind } from '@nccl-ts/core';
import { rankCoordinates } from '@nccl-ts/topology';
import type { RankCoordinates, Topology } from '@nccl-ts/topology';
import type { DevCommPlan } from './plan-dev-comm.ts';

/**
 * The fields of a device communicator that kernels read, with their types in kernels. Of these,
 * `rank`, `nRanks`, `lsaRank`, `lsaSize` and `ginContextCount` are NCCL's stable members. The
 * others are for the device API itself.
 *
 * @see ncclDevComm
 */
export const devCommFields: {
  readonly rank: 'i32';
  readonly nRanks: 'i32';
  readonly lsaRank: 'i32';
  readonly lsaSize: 'i32';
  readonly ginContextCount: 'u32';
  /** The start of the multicast addresses over the LSA team; 0 if there are none. */
  readonly 'lsaMultimem.mcBasePtr': 'addr';
  readonly 'lsaBarrier.bufHandle': 'u32';
  readonly 'lsaBarrier.nBarriers': 'i32';
  readonly 'hybridLsaBarrier.bufHandle': 'u32';
  readonly 'hybridLsaBarrier.nBarriers': 'i32';
  readonly 'worldGinBarrier.signal0': 'u32';
  readonly 'railGinBarrier.signal0': 'u32';
  readonly 'hybridWorldGinBarrier.signal0': 'u32';
  readonly 'hybridRailGinBarrier.signal0': 'u32';
  readonly ginSignalCount: 'i32';
  /** The first signal of list nodes. Those from `worldGinBarrier.signal0` on are of barriers. */
  readonly ginListSignalStart: 'u32';
  readonly ginCounterCount: 'i32';
  /** Byte offset of the signal shadows in the resource window. */
  readonly ginSignalShadowsOffset: 'addr';
  /** True if GIN does not reach all ranks. */
  readonly ginContextsRailed: 'bool';
  /** The stride of the world ranks that GIN reaches; 0 without GIN, -1 for lists of ranks. */
  readonly ginContextStride: 'i32';
  /** True if signals without a stated strength are strong. */
  readonly ginStrongLegacySignals: 'bool';
  /**
   * The position of the calling rank among the ranks with fabric endpoints, and their number; 0
   * without endpoints.
   */
  readonly cftRank: 'i32';
  readonly cftSize: 'i32';
  /** The same for the ranks of one multicast endpoint. */
  readonly cftMultimemRank: 'i32';
  readonly cftMultimemSize: 'i32';
  /** True if each GIN barrier uses two signals. */
  readonly ginSignalEfficientBarriers: 'bool';
  readonly 'cftBarrier.bufHandle': 'u32';
  readonly 'cftBarrier.nBarriers': 'i32';
  readonly 'cftMultimemBarrier.bufHandle': 'u32';
  readonly 'cftMultimemBarrier.nBarriers': 'i32';
} = Object.freeze({
  rank: 'i32',
  nRanks: 'i32',
  lsaRank: 'i32',
  lsaSize: 'i32',
  ginContextCount: 'u32',
  'lsaMultimem.mcBasePtr': 'addr',
  'lsaBarrier.bufHandle': 'u32',
  'lsaBarrier.nBarriers': 'i32',
  'hybridLsaBarrier.bufHandle': 'u32',
  'hybridLsaBarrier.nBarriers': 'i32',
  'worldGinBarrier.signal0': 'u32',
  'railGinBarrier.signal0': 'u32',
  'hybridWorldGinBarrier.signal0': 'u32',
  'hybridRailGinBarrier.signal0': 'u32',
  ginSignalCount: 'i32',
  ginListSignalStart: 'u32',
  ginCounterCount: 'i32',
  ginSignalShadowsOffset: 'addr',
  ginContextsRailed: 'bool',
  ginContextStride: 'i32',
  ginStrongLegacySignals: 'bool',
  cftRank: 'i32',
  cftSize: 'i32',
  cftMultimemRank: 'i32',
  cftMultimemSize: 'i32',
  ginSignalEfficientBarriers: 'bool',
  'cftBarrier.bufHandle': 'u32',
  'cftBarrier.nBarriers': 'i32',
  'cftMultimemBarrier.bufHandle': 'u32',
  'cftMultimemBarrier.nBarriers': 'i32',
} satisfies Readonly<Record<string, ScalarKind>>);

export type DevCommField = keyof typeof devCommFields;

/** A value for every field. Booleans are 0 and 1. */
export type DevCommValues = Readonly<Record<DevCommField, number>>;

/**
 * Returns the values of a device communicator's fields on `rank`. `lsaMultimem` is the start of its
 * multicast addresses over the LSA team, which only the backend knows. It is used if the plan
 * requires them.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the topology has no such rank.
 */
export function devCommValues(plan: DevCommPlan, topology: Topology, rank: number, lsaMultimem = 0): DevCommValues {
  const coordinates = rankCoordinates(topology, rank);
  return Object.freeze({
    rank: coordinates.rank,
    nRanks: coordinates.nRanks,
    lsaRank: coordinates.lsaRank,
    lsaSize: coordinates.lsaSize,
    ginContextCount: plan.ginContextCount,
    'lsaMultimem.mcBasePtr': plan.requirements.lsaMultimem ? lsaMultimem : 0,
    'lsaBarrier.bufHandle': plan.lsaBarrier.bufHandle,
    'lsaBarrier.nBarriers': plan.lsaBarrier.nBarriers,
    'hybridLsaBarrier.bufHandle': plan.hybridLsaBarrier.bufHandle,
    'hybridLsaBarrier.nBarriers': plan.hybridLsaBarrier.nBarriers,
    'worldGinBarrier.signal0': plan.worldGinBarrier.signal0,
    'railGinBarrier.signal0': plan.railGinBarrier.signal0,
    'hybridWorldGinBarrier.signal0': plan.hybridWorldGinBarrier.signal0,
    'hybridRailGinBarrier.signal0': plan.hybridRailGinBarrier.signal0,
    ginSignalCount: plan.ginSignalCount,
    ginListSignalStart: plan.ginListSignalStart,
    ginCounterCount: plan.ginCounterCount,
    ginSignalShadowsOffset: plan.ginSignalShadowsOffset,
    ginContextsRailed: Number(!reachesAll(plan)),
    ginContextStride: plan.ginContextStride,
    ginStrongLegacySignals: Number(plan.requirements.ginStrongSignalsRequired),
    ...cftValues(plan, coordinates),
    ginSignalEfficientBarriers: Number(plan.ginBarriers === 'signalEfficient'),
    'cftBarrier.bufHandle': plan.cftBarrier.bufHandle,
    'cftBarrier.nBarriers': plan.cftBarrier.nBarriers,
    'cftMultimemBarrier.bufHandle': plan.cftMultimemBarrier.bufHandle,
    'cftMultimemBarrier.nBarriers': plan.cftMultimemBarrier.nBarriers,
  });
}

/** True if GIN has no restriction: every rank reaches every rank, or there is no GIN. */
function reachesAll({ ginConnection, ginContextStride }: DevCommPlan): boolean {
  return ginConnection !== 'rail' && ginConnection !== 'customArray' && ginContextStride <= 1;
}

type CftField = Extract<DevCommField, `cft${string}Rank` | `cft${string}Size` | 'cftRank' | 'cftSize'>;

/**
 * All ranks have endpoints, and those of one load-store domain share a multicast endpoint. NCCL
 * itself determines which ranks these are.
 */
function cftValues({ requirements }: DevCommPlan, coordinates: RankCoordinates): Readonly<Record<CftField, number>> {
  const { cftCaps } = requirements;
  const has = cftCaps !== 'none';
  const multicasts = cftCaps === 'cftMultimem';
  return {
    cftRank: has ? coordinates.rank : 0,
    cftSize: has ? coordinates.nRanks : 0,
    cftMultimemRank: multicasts ? coordinates.lsaRank : 0,
    cftMultimemSize: multicasts ? coordinates.lsaSize : 0,
  };
}
