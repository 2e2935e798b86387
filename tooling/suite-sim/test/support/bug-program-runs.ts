import type { SimBackend, SimOptions } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import type { BugProgram } from '@nccl-ts/conformance';

/** Returns the machine that a program asks for. */
export function machineOf({ ranks, lsaSize, residentCtas, gin }: BugProgram): SimOptions {
  return {
    ranks,
    lsaSize,
    ...(residentCtas === undefined ? {} : { residentCtas }),
    ...(gin === undefined ? {} : { gin: { connection: gin } }),
  };
}

/** Returns a whole run on a backend. It rejects as the program does. */
export function runOn(program: BugProgram): (backend: SimBackend) => Promise<void> {
  return async (backend) => {
    const world = await World.open({ backend });
    try {
      await program.run(world);
    } finally {
      await world.close();
    }
  };
}
