import { decorateBackend } from '@nccl-ts/conformance';
import type {
  Backend,
  BackendWorld,
  DevCommHandle,
  DeviceBuffer,
  OpenWorldOptions,
  StreamHandle,
  WindowHandle,
} from '@nccl-ts/transport';

/** A backend whose worlds are opened once and lent repeatedly. */
export interface PooledBackend {
  readonly backend: Backend;
  /** Closes the open worlds. */
  dispose(): Promise<void>;
}

/**
 * Lends one world to its callers in sequence, because connecting eight GPUs takes more than a
 * second and a suite opens hundreds of worlds. It frees resources that a borrower leaves. A world
 * that was aborted or failed is not lent again.
 */
export function poolBackend(backend: Backend): PooledBackend {
  let idle: BackendWorld | undefined;
  let onStall: OpenWorldOptions['onStall'] = () => undefined;
  const lending = decorateBackend(
    {
      name: backend.name,
      capabilities: backend.capabilities,
      open: async (options) => {
        onStall = options.onStall;
        const world = idle ?? (await backend.open({ onStall: (error) => onStall(error) }));
        idle = undefined;
        return world;
      },
    },
    (world) =>
      borrowed(world, (isHealthy) => {
        if (!isHealthy) return world[Symbol.asyncDispose]();
        idle = world;
        return undefined;
      }),
  );
  return {
    backend: lending,
    dispose: async () => {
      await idle?.[Symbol.asyncDispose]();
      idle = undefined;
    },
  };
}

function borrowed(
  world: BackendWorld,
  giveBack: (isHealthy: boolean) => Promise<void> | PromiseLike<void> | undefined,
): Partial<BackendWorld> {
  const buffers = new Set<DeviceBuffer>();
  const windows = new Set<WindowHandle>();
  const devComms = new Set<DevCommHandle>();
  const streams = new Set<StreamHandle>();
  let isHealthy = true;
  const watched = async <T>(action: () => Promise<T>): Promise<T> => {
    try {
      return await action();
    } catch (error) {
      isHealthy = false;
      throw error;
    }
  };
  return {
    alloc: async (rank, bytes) => added(buffers, await world.alloc(rank, bytes)),
    free: async (buffer) => {
      buffers.delete(buffer);
      await world.free(buffer);
    },
    registerWindow: async (parts, bytes, flags) => added(windows, await world.registerWindow(parts, bytes, flags)),
    deregisterWindow: async (window) => {
      windows.delete(window);
      await world.deregisterWindow(window);
    },
    createDevComm: async (plan) => added(devComms, await world.createDevComm(plan)),
    destroyDevComm: async (devComm) => {
      devComms.delete(devComm);
      await world.destroyDevComm(devComm);
    },
    createStream: async (rank, options) => added(streams, await world.createStream(rank, options)),
    destroyStream: async (stream) => {
      streams.delete(stream);
      await world.destroyStream(stream);
    },
    synchronize: async (stream) => watched(async () => world.synchronize(stream)),
    abort: (reason) => {
      isHealthy = false;
      world.abort(reason);
    },
    [Symbol.asyncDispose]: async () => {
      if (isHealthy) {
        await watched(async () => {
          for (const stream of streams) await world.synchronize(stream);
          for (const devComm of devComms) await world.destroyDevComm(devComm);
          for (const window of windows) await world.deregisterWindow(window);
          for (const buffer of buffers) await world.free(buffer);
          for (const stream of streams) await world.destroyStream(stream);
        }).catch(() => undefined);
      }
      await giveBack(isHealthy);
    },
  };
}

function added<T>(set: Set<T>, value: T): T {
  set.add(value);
  return value;
}
