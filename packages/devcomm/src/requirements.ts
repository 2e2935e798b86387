import type { Team } from '@nccl-ts/topology';
import type { CftCaps } from './cft-caps.ts';
import type { GinType } from './comm-properties.ts';
import type { GinConnectionType } from './gin-connection-type.ts';

/**
 * An additional requirement of memory, signals and counters. Its resources are in
 * `DevCommPlan.resources` at the same index.
 *
 * NCCL 2.30.7 loses the signals and counters of these nodes when it copies the list. This package
 * allocates them.
 *
 * @see ncclDevResourceRequirements
 */
export interface DevResourceRequirements {
  /** Bytes in the resource window of every rank. @default 0 */
  readonly bufferSize?: number;
  /** A power of two, or 0 for 128. @default 0 */
  readonly bufferAlign?: number;
  /** GIN signals in every context. @default 0 */
  readonly ginSignalCount?: number;
  /** GIN counters in every context. @default 0 */
  readonly ginCounterCount?: number;
}

/**
 * An additional team, as the requesting rank sees it.
 *
 * @see ncclTeamRequirements
 */
export interface TeamRequirements {
  readonly team: Team;
  /** True if kernels need multicast addresses over the team. @default false */
  readonly multimem?: boolean;
}

/**
 * The requirements of kernels on a device communicator. All ranks must pass equal requirements;
 * only the `rank` of teams and the list `ginCustomArray` may differ. Missing fields have NCCL's
 * defaults. It is not checked if a kernel uses an index past a count.
 *
 * @see ncclDevCommRequirements
 */
export interface DevCommRequirements {
  /**
   * The NCCL version for which the requirements are written, in the form of `ncclVersionCode`.
   * Fields of later versions are refused, and the kernels that use the device communicator must
   * have the same version. null means the running version.
   *
   * @default null
   */
  readonly apiVersion?: number | null;
  readonly resourceRequirementsList?: readonly DevResourceRequirements[];
  readonly teamRequirementsList?: readonly TeamRequirements[];
  /** Requests multicast addresses over the LSA team. @default false */
  readonly lsaMultimem?: boolean;
  /**
   * The number of hybrid barriers. Each uses an LSA barrier, a rail GIN barrier and, unless the
   * connection is `rail`, a world GIN barrier. So it counts as a requirement for GIN even if
   * sessions use only LSA.
   *
   * @default 0
   */
  readonly barrierCount?: number;
  /**
   * The number of LSA barriers: one for each group of threads that uses one at the same
   * time.
   *
   * @default 0
   */
  readonly lsaBarrierCount?: number;
  /** The number of barriers over the rail, through the network. @default 0 */
  readonly railGinBarrierCount?: number;
  /**
   * The number of barriers over all ranks, through the network. Not allowed with a `rail`
   * connection.
   *
   * @default 0
   */
  readonly worldGinBarrierCount?: number;
  /** Has no effect, as in NCCL. Use `llA2ACreateRequirement` for all-to-all slots. @default 0 */
  readonly lsaLLA2ABlockCount?: number;
  /** Has no effect, as in NCCL. @default 0 */
  readonly lsaLLA2ASlotCount?: number;
  /**
   * The old form of `ginConnectionType: 'full'`, from before 2.29.7, which overrides that
   * field.
   *
   * @default false
   */
  readonly ginForceEnable?: boolean;
  /** The peers that the network reaches. @default `none` */
  readonly ginConnectionType?: GinConnectionType;
  /** A hint. `KernelDevComm.ginContextCount` is the actual number. @default 4 */
  readonly ginContextCount?: number;
  /** The number of signals in every context, numbered from 0. @default 0 */
  readonly ginSignalCount?: number;
  /** The number of counters in every context, numbered from 0. @default 0 */
  readonly ginCounterCount?: number;
  /** A hint that requests contexts that no other device communicator uses. @default false */
  readonly ginExclusiveContexts?: boolean;
  /** The requests that a context may hold; 0 leaves it to the backend. A hint. @default 0 */
  readonly ginQueueDepth?: number;
  /** The quality-of-service class; null for the communicator's. A hint. @default null */
  readonly ginTrafficClass?: number | null;
  /**
   * True if kernels use strong signals. If it is false and they do, behaviour is
   * undefined.
   *
   * @default true
   */
  readonly ginStrongSignalsRequired?: boolean;
  /**
   * True if kernels use signals at window addresses. If it is false and they do, behaviour is
   * undefined.
   *
   * @default true
   */
  readonly ginVaSignalsRequired?: boolean;
  /**
   * For the connection `customStride`: a rank reaches those whose distance in world ranks is a
   * multiple of this number. It must divide the size of the load-store domain, so that the rail is
   * reached. Other connections ignore it. Since NCCL 2.31.
   *
   * @default 1
   *
   * Unless the number is 1, hybrid barriers and GIN barriers of the world are refused. Hybrid
   * barriers are also allowed if it is the size of the domain.
   */
  readonly ginCustomStride?: number;
  /**
   * The type of network that GIN uses; `none` accepts any. The ranks must have it, see
   * `CommProperties.ginSupport`. Ignored without a connection. Since NCCL 2.31.
   *
   * @default `none`
   */
  readonly ginType?: GinType;
  /**
   * For the connection `customArray`: the ranks that the calling rank reaches, each once. Each rank
   * passes its own list, which may be empty. Other connections ignore it. Since NCCL
   * 2.32.6.
   *
   * @default null
   *
   * A request needs both lists: that of the calling rank has the peer, and that of the peer has the
   * calling rank. A rank reaches itself only if it lists itself. NCCL's documents do not say if one
   * list suffices, and its own lists always have both directions. GIN barriers and hybrid barriers
   * are refused, because no document names the lists that they need.
   *
   * @see ginCustomArray, ginCustomArrayCount
   */
  readonly ginCustomArray?: readonly number[] | null;
  /**
   * The logical endpoints of the compute fabric that kernels use. All ranks must have the fabric.
   * Since NCCL 2.31.
   *
   * @default `none`
   */
  readonly cftCaps?: CftCaps;
  /**
   * CFT barriers over all ranks with endpoints, and as many over the ranks of each multicast
   * endpoint. They are there only with `cftCaps`. Since NCCL 2.31. Default 0.
   */
  readonly cftBarrierCount?: number;
}

/**
 * Requirements with every default filled in. They are deeply frozen, and can be serialized as JSON.
 */
export interface NormalDevCommRequirements extends Required<DevCommRequirements> {
  readonly resourceRequirementsList: readonly Required<DevResourceRequirements>[];
  readonly teamRequirementsList: readonly Required<TeamRequirements>[];
}
