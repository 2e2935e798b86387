import { Communicator, World } from '@nccl-ts/communicator';
import type { SimBackend } from '@nccl-ts/backend-sim';
import type { WorldProgram } from './run-once.ts';

/** The launch shape that a host program may use. */
export interface HostLaunch {
  /** The number of CTAs of each rank. */
  readonly grid: number;
  /** The number of threads of each CTA. */
  readonly block: number;
  /**
   * A factor for the sizes of the program, so that `nccl-ts relax` can check it with larger
   * ones. Absent otherwise, which means 1.
   */
  readonly scale?: number;
}

/** A program that is called once for each rank: `host` of a module. */
export type HostProgram = (comm: Communicator, launch: HostLaunch) => unknown;

/** Those of `nccl-ts check`. */
const DEFAULT_LAUNCH: HostLaunch = Object.freeze({ grid: 2, block: 32 });

/**
 * Returns a program of a whole world for a program of either kind. Both are functions of one
 * argument, so the first call tells them apart: until it opens a world, `program` is called with a
 * backend that has the members of a communicator too, and reading one of them ends the call. From
 * then on `program` is called with the communicator of each rank.
 */
export function worldProgram(program: WorldProgram | HostProgram): WorldProgram {
  let isOfRanks: boolean | undefined;
  const onRanks: WorldProgram = async (backend) => {
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      await call(program, comm);
    });
  };
  return async (backend) => {
    if (isOfRanks === true) return onRanks(backend);
    if (isOfRanks === false) return call(program, backend);
    const { asked, wasRead } = withCommunicator(backend, () => (isOfRanks = false));
    try {
      await call(program, asked);
    } catch (error) {
      if (!wasRead()) throw error;
    }
    if (!wasRead()) return;
    isOfRanks = true;
    await onRanks(backend);
  };
}

/** Calls a program of either kind. */
async function call(program: unknown, argument: SimBackend | Communicator): Promise<void> {
  if (typeof program === 'function') await Reflect.apply(program, undefined, [argument, DEFAULT_LAUNCH]);
}

interface AskedBackend {
  readonly asked: SimBackend;
  /** True if a member of a communicator was read before a world was opened. */
  readonly wasRead: () => boolean;
}

function withCommunicator(backend: SimBackend, onOpen: () => void): AskedBackend {
  let isOpened = false;
  let wasRead = false;
  const asked: SimBackend = {
    ...backend,
    open: async (request) => {
      isOpened = true;
      onOpen();
      return backend.open(request);
    },
  };
  for (const name of Object.getOwnPropertyNames(Communicator.prototype)) {
    if (name === 'constructor' || name in asked) continue;
    Object.defineProperty(asked, name, {
      get: () => {
        if (isOpened) return undefined;
        wasRead = true;
        throw new TypeError(`${name} is a member of a communicator, and this is a backend`);
      },
    });
  }
  return { asked, wasRead: () => wasRead };
}
