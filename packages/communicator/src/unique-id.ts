import type { Backend } from '@nccl-ts/transport';
import { notSupported } from './errors.ts';

/** What the processes of one world share to find each other. @see ncclUniqueId */
export type UniqueId = Uint8Array<ArrayBuffer>;

/**
 * What `Communicator.init` and `getUniqueId` say of a backend that keeps all ranks in one process.
 */
export function onePerProcess(backend: Backend, what: string): Error {
  return notSupported(
    `${what}: backend ${backend.name} keeps all ranks of a world in one process; open it with World.open({ backend }) ` +
      'and give each rank its part in world.run(callback).',
  );
}
