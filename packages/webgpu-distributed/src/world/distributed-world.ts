import type { WebgpuWorld } from '@nccl-ts/backend-webgpu';
import type { ExchangeCosts } from '@nccl-ts/backend-webgpu/devices';

/**
 * A world whose ranks share one GPU, or several with equal shares of consecutive ranks. If each
 * rank has its own worker or tab, the properties of the whole world have their values at the last
 * `synchronize`.
 */
export interface DistributedWebgpuWorld extends WebgpuWorld {
  /**
   * The devices of this worker or tab. The first `nRanks / devices.length` ranks run on the first,
   * and so on. `device` and `adapterInfo` are the first one's.
   */
  readonly devices: readonly GPUDevice[];
  /** The cost of exchanges between devices so far; zero if there are none. */
  readonly exchanged: ExchangeCosts;
}
