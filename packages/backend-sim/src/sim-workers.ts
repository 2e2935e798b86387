/** The threads on which kernels of a world run. */
export interface SimWorkers {
  /** 1: on that of the world. */
  readonly threads: number;
  /** The reason why there are fewer than requested. */
  readonly note: string | undefined;
}
