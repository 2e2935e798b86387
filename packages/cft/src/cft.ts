import { deviceModule, type AuthorOf, type DeviceModule } from '@nccl-ts/kernel';
import { memFence } from './mem-fence.ts';

/** The members of `cft` in a kernel. */
export interface Cft {
  readonly memFence: AuthorOf<typeof memFence>;
}

/** The compute fabric transport, as far as it is here: `use: { cft }`. */
export const cft: DeviceModule<Cft> = deviceModule('cft', { memFence });
