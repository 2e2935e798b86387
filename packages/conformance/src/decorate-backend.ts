import type { Backend, BackendWorld } from '@nccl-ts/transport';

/** Takes the place of some of a world's operations; `world` is the one behind it. */
export type WorldDecorator = (world: BackendWorld) => Partial<BackendWorld>;

/** A backend that passes everything on to `backend`, but for what `decorator` replaces. */
export function decorateBackend(backend: Backend, decorator: WorldDecorator): Backend {
  return Object.freeze<Backend>({
    name: backend.name,
    capabilities: backend.capabilities,
    open: async (options) => {
      const world = await backend.open(options);
      return { ...forward(world), ...decorator(world) };
    },
  });
}

/** Optional operations stay absent: their absence means something. */
function forward(world: BackendWorld): BackendWorld {
  return {
    topology: world.topology,
    localRanks: world.localRanks,
    ...(world.support === undefined ? {} : { support: world.support }),
    alloc: async (rank, bytes) => world.alloc(rank, bytes),
    free: async (buffer) => world.free(buffer),
    write: async (buffer, data, offset) => world.write(buffer, data, offset),
    read: async (buffer, into, offset) => world.read(buffer, into, offset),
    registerWindow: async (parts, bytes, flags) => world.registerWindow(parts, bytes, flags),
    deregisterWindow: async (window) => world.deregisterWindow(window),
    devicePointer: (window, rank, peer, offset) => world.devicePointer(window, rank, peer, offset),
    ...(world.multimemPointer === undefined
      ? {}
      : { multimemPointer: (window, rank, offset) => world.multimemPointer?.(window, rank, offset) }),
    createDevComm: async (plan) => world.createDevComm(plan),
    destroyDevComm: async (devComm) => world.destroyDevComm(devComm),
    createStream: async (rank) => world.createStream(rank),
    destroyStream: async (stream) => world.destroyStream(stream),
    compile: async (module) => world.compile(module),
    launch: (executable, config, args) => world.launch(executable, config, args),
    synchronize: async (stream) => world.synchronize(stream),
    setHostState: (rank, state) => world.setHostState(rank, state),
    abort: (reason) => world.abort(reason),
    [Symbol.asyncDispose]: async () => world[Symbol.asyncDispose](),
  };
}
