import type { CftCaps } from './cft-caps.ts';
import type { GinType } from './comm-properties.ts';
import type { GinBarrierForm } from './gin-barrier-requirement.ts';
import type { GinReach } from './gin-connection-type.ts';

/** The common capabilities of a communicator's ranks. */
export interface ResourceSupport {
  /** True if there is symmetric memory; device communicators require it. */
  readonly symmetric: boolean;
  /** Multicast addresses. */
  readonly multimem: boolean;
  /** The GIN connection that every rank supports. */
  readonly gin: GinReach;
  /** The type of GIN, if there is one. Default `proxy`. */
  readonly ginType?: GinType;
  /** True if GIN has strong signals. Default true. */
  readonly ginStrongSignals?: boolean;
  /** True if GIN has signals at window addresses. Default true. */
  readonly ginVaSignals?: boolean;
  /** The logical endpoints that every rank can have. Default `none`. */
  readonly cft?: CftCaps;
  /** True if windows can have counted endpoints. Default: if there are any. */
  readonly cftCounted?: boolean;
  /** The form of its barriers. Default `perPeer`. */
  readonly ginBarriers?: GinBarrierForm;
  /**
   * The version of the running NCCL, as `ncclVersionCode` returns it. Default: the version that
   * these packages follow.
   */
  readonly ncclVersion?: number;
}
