/** A number of signals from one rank. @see ncclWaitSignalDesc_t */
export interface WaitSignalDesc {
  readonly peer: number;
  /** @default 1 */
  readonly opCount?: number;
}
