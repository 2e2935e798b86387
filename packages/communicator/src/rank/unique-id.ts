import type { Backend } from '@nccl-ts/transport';
import { notSupported } from '../errors.ts';

/** The identifier by which the processes of one world find each other. @see ncclUniqueId */
export type UniqueId = Uint8Array<ArrayBuffer>;

/**
 * The error of `Communicator.init` and `getUniqueId` for a backend that keeps all ranks in one
 * process.
 */
export function onePerProcess(backend: Backend, what: string): Error {
  return notSupported(
    `${what}: backend ${backend.name} keeps all ranks of a world in one process; open it with World.open({ backend }) ` +
      "and run each rank's part in world.run(callback).",
  );
}
