import type { Communicator } from '@nccl-ts/communicator';

/** Calls `make` once for each communicator and keeps the result. A call that failed is repeated. */
export function oncePerCommunicator<Made>(
  make: (comm: Communicator) => Promise<Made>,
): (comm: Communicator) => Promise<Made> {
  const made = new WeakMap<Communicator, Promise<Made>>();
  return async (comm) => {
    let one = made.get(comm);
    if (one === undefined) {
      one = make(comm);
      made.set(comm, one);
      one.catch(() => made.delete(comm));
    }
    return one;
  };
}
