import type { CftCaps } from './cft-caps.ts';
import type { GinType } from './comm-properties.ts';
import type { GinBarrierForm } from './gin-barrier-requirement.ts';
import type { GinReach } from './gin-connection-type.ts';

/** The capabilities that a communicator's ranks have in common. */
export interface ResourceSupport {
  /** True if there is symmetric memory, which device communicators require. */
  readonly symmetric: boolean;
  /** True if there are multicast addresses. */
  readonly multimem: boolean;
  /** The GIN connection that every rank supports. */
  readonly gin: GinReach;
  /** The type of GIN, if there is one. @default `proxy` */
  readonly ginType?: GinType;
  /** All types of GIN that the ranks have. @default `ginType` alone */
  readonly ginTypes?: readonly GinType[];
  /** True if GIN has strong signals. @default true */
  readonly ginStrongSignals?: boolean;
  /** True if GIN has signals at window addresses. @default true */
  readonly ginVaSignals?: boolean;
  /** The logical endpoints that every rank can have. @default `none` */
  readonly cft?: CftCaps;
  /** True if windows can have counted endpoints. @default true if there are endpoints */
  readonly cftCounted?: boolean;
  /** The form of its barriers. @default `perPeer` */
  readonly ginBarriers?: GinBarrierForm;
  /**
   * The version of the running NCCL, in the form of `ncclVersionCode`.
   *
   * @default the version that these packages follow
   */
  readonly ncclVersion?: number;
}

/** Returns the types of GIN that the ranks have. */
export function ginTypesOf({ gin, ginType = 'proxy', ginTypes = [ginType] }: ResourceSupport): readonly GinType[] {
  return gin === 'none' ? [] : ginTypes;
}
