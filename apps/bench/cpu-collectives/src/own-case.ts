/** A collective to time; `bytes` is the whole buffer of a rank, as nccl-tests counts. */
export interface CollectiveTiming {
  readonly ranks: number;
  readonly bytes: number;
  readonly inPlace: boolean;
  /** The number of times to return. */
  readonly rounds: number;
}
