/** The threads that run the kernels of a world. */
export interface SimWorkers {
  /** 1 if only the world's own thread does. */
  readonly threads: number;
  /** The reason why there are fewer than requested. */
  readonly note: string | undefined;
}
