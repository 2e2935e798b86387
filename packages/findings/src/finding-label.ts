import type { AccessScope, MemoryOrder } from '@nccl-ts/core';
import type { CtaIdentity } from '@nccl-ts/transport';
import type { QuotedLocation } from './quoted-location.ts';

/** A participant of a finding. */
export interface FindingLabel {
  readonly agent: 'thread' | 'network' | 'host';
  /**
   * The action: `store`, `load`, `atomic add`, `put reads its source`, `put writes`, `host read`.
   */
  readonly does: string;
  readonly rank: number;
  /** Absent for the host. */
  readonly kernel?: string;
  /** The number of the launch in the world, from 0. */
  readonly launch?: number;
  /**
   * The purpose of the launch that its program states, such as `launch 2 of 3`. Otherwise the
   * number on its rank: `launch 2`.
   */
  readonly purpose?: string;
  readonly blockIdx?: CtaIdentity['blockIdx'];
  /** The linear index in the CTA. For the network, the thread that posted the operation. */
  readonly thread?: number;
  /** Absent if the kernel's text is not known, and for the host. */
  readonly place?: QuotedLocation;
  /** True if it is a load with which its thread waits. */
  readonly polls?: true;
  /** Absent for plain accesses. */
  readonly access?: {
    readonly order: MemoryOrder;
    readonly scope: AccessScope;
    /** True for an atomic of PTX that names no scope. */
    readonly unscoped?: true;
  };
}
