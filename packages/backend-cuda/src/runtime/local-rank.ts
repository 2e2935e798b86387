import type { CudaDevice } from './cuda-device.ts';

/** One rank of this process, with its GPU and its communicator. */
export interface LocalRank {
  readonly rank: number;
  readonly device: CudaDevice;
  /** `ncclComm_t` */
  readonly comm: number;
}
