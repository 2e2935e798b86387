import type { Team } from '@nccl-ts/topology';
import type { CftCaps } from './cft-caps.ts';
import type { GinConnectionType } from './gin-connection-type.ts';

/**
 * An additional requirement of memory, signals and counters. Its resources are in
 * `DevCommPlan.resources` at the same index.
 *
 * NCCL 2.30.7 loses the signals and counters of these nodes when it copies the list; this package
 * honours them.
 *
 * @see ncclDevResourceRequirements
 */
export interface DevResourceRequirements {
  /** Bytes in the resource window of every rank. Default 0. */
  readonly bufferSize?: number;
  /** A power of two, or 0 for 128. Default 0. */
  readonly bufferAlign?: number;
  /** GIN signals in every context. Default 0. */
  readonly ginSignalCount?: number;
  /** GIN counters in every context. Default 0. */
  readonly ginCounterCount?: number;
}

/**
 * One extra team, as the asking rank sees it.
 *
 * @see ncclTeamRequirements
 */
export interface TeamRequirements {
  readonly team: Team;
  /** True if kernels need multicast addresses over the team. Default false. */
  readonly multimem?: boolean;
}

/**
 * The requirements of kernels on a device communicator. All ranks must pass the same (teams apart
 * from their `rank`). Absent fields have NCCL's defaults. A kernel that uses an index past a count
 * is not checked.
 *
 * @see ncclDevCommRequirements
 */
export interface DevCommRequirements {
  /**
   * The NCCL version that the requirements are written for, as `ncclVersionCode` returns it. Later
   * fields are refused, and the kernels that use the device communicator must be of the same
   * version. null: the running version. Default null.
   */
  readonly apiVersion?: number | null;
  readonly resourceRequirementsList?: readonly DevResourceRequirements[];
  readonly teamRequirementsList?: readonly TeamRequirements[];
  /** Multicast addresses over the LSA team. Default false. */
  readonly lsaMultimem?: boolean;
  /**
   * The number of hybrid barriers. Each uses an LSA barrier, a rail GIN barrier and, unless the
   * connection is `rail`, a world GIN barrier. So it counts as a requirement of GIN even if
   * sessions use only LSA. Default 0.
   */
  readonly barrierCount?: number;
  /** LSA barriers: one for each group of threads that uses one at the same time. Default 0. */
  readonly lsaBarrierCount?: number;
  /** Barriers over the rail, through the network. Default 0. */
  readonly railGinBarrierCount?: number;
  /**
   * Barriers over all ranks, through the network. Not allowed with a `rail` connection. Default 0.
   */
  readonly worldGinBarrierCount?: number;
  /** Has no effect, as in NCCL; use `llA2ACreateRequirement` for all-to-all slots. Default 0. */
  readonly lsaLLA2ABlockCount?: number;
  /** Has no effect, as in NCCL. Default 0. */
  readonly lsaLLA2ASlotCount?: number;
  /**
   * Old spelling of `ginConnectionType: 'full'`, from before 2.29.7, and stronger than that field.
   * Default false.
   */
  readonly ginForceEnable?: boolean;
  /** The peers that the network reaches. Default `none`. */
  readonly ginConnectionType?: GinConnectionType;
  /** A hint; `DevComm.ginContextCount` is the actual number. Default 4. */
  readonly ginContextCount?: number;
  /** Signals 0, 1, ... of every context. Default 0. */
  readonly ginSignalCount?: number;
  /** Counters 0, 1, ... of every context. Default 0. */
  readonly ginCounterCount?: number;
  /** Requests contexts that no other device communicator uses. A hint. Default false. */
  readonly ginExclusiveContexts?: boolean;
  /** Requests a context may hold; 0 leaves it to the backend. A hint. Default 0. */
  readonly ginQueueDepth?: number;
  /** Quality-of-service class; null: the communicator's. A hint. Default null. */
  readonly ginTrafficClass?: number | null;
  /**
   * True if kernels use strong signals; if false and they do, behaviour is undefined. Default true.
   */
  readonly ginStrongSignalsRequired?: boolean;
  /**
   * True if kernels use signals at window addresses; if false and they do, behaviour is undefined.
   * Default true.
   */
  readonly ginVaSignalsRequired?: boolean;
  /**
   * With the connection `customStride`: a rank reaches those whose world rank is a multiple of this
   * number away. It must divide the size of the load-store domain, so that the rail is reached.
   * Ignored with another connection. Since NCCL 2.31. Default 1.
   *
   * Hybrid barriers, and GIN barriers of the world, are refused unless the number is 1. Hybrid
   * barriers are also there if it is the size of the domain.
   */
  readonly ginCustomStride?: number;
  /**
   * The logical endpoints of the compute fabric that kernels use. All ranks must have the fabric.
   * Since NCCL 2.31. Default `none`.
   */
  readonly cftCaps?: CftCaps;
  /**
   * CFT barriers over all ranks with endpoints, and as many over the ranks of each multicast
   * endpoint. They are there only with `cftCaps`. Since NCCL 2.31. Default 0.
   */
  readonly cftBarrierCount?: number;
}

/** Requirements with every default filled in. Frozen all through, JSON-serialisable. */
export interface NormalDevCommRequirements extends Required<DevCommRequirements> {
  readonly resourceRequirementsList: readonly Required<DevResourceRequirements>[];
  readonly teamRequirementsList: readonly Required<TeamRequirements>[];
}
