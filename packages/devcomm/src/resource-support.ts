import type { GinType } from './comm-properties.ts';
import type { GinConnectionType } from './gin-connection-type.ts';

/** What a communicator's ranks can do together. */
export interface ResourceSupport {
  /** Symmetric memory, without which there is no device communicator. */
  readonly symmetric: boolean;
  /** Multicast addresses. */
  readonly multimem: boolean;
  /** How far GIN reaches on every rank. */
  readonly gin: GinConnectionType;
  /** What carries it, where there is any. Default `proxy`. */
  readonly ginType?: GinType;
  /** True if GIN has strong signals. Default true. */
  readonly ginStrongSignals?: boolean;
  /** True if GIN has signals at window addresses. Default true. */
  readonly ginVaSignals?: boolean;
  /**
   * The version of the NCCL that runs, as `ncclVersionCode` gives it. Default: that which these
   * packages follow.
   */
  readonly ncclVersion?: number;
}
