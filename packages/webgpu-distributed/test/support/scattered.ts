import type { Backend, BackendWorld, DevCommHandle, Executable, KernelArg, WindowHandle } from '@nccl-ts/transport';
import { distributedWebgpu, type DistributedWebgpuOptions } from '@nccl-ts/webgpu-distributed';

/**
 * Creates a backend whose ranks join one by one, each with a device, all of them in this thread. To
 * its callers it looks like a backend with all ranks in one process.
 */
export function scattered(options: DistributedWebgpuOptions, devices: readonly GPUDevice[]): Backend {
  const backends = devices.map((device) => distributedWebgpu({ ...options, device }));
  const [first] = backends;
  if (first?.getUniqueId === undefined) throw new Error('no devices');
  const getUniqueId = first.getUniqueId.bind(first);
  return {
    name: first.name,
    capabilities: first.capabilities,
    open: async ({ onStall }) => {
      const uniqueId = await getUniqueId();
      const nRanks = options.ranks;
      const open = async (backend: Backend, rank: number): Promise<BackendWorld> =>
        // A deadlock concerns all ranks, and one reports it.
        backend.open({ onStall: rank === 0 ? onStall : () => undefined, process: { rank, nRanks, uniqueId } });
      return together(await Promise.all(backends.map(open)));
    },
  };
}

/** The objects of all ranks that belong together. */
class Each<T> {
  readonly each: readonly T[];

  constructor(each: readonly T[]) {
    this.each = each;
  }

  at(rank: number): T {
    const one = this.each[rank];
    if (one === undefined) throw new Error(`no rank ${rank}`);
    return one;
  }
}

class EachWindow extends Each<WindowHandle> implements WindowHandle {
  readonly bytes: number = this.at(0).bytes;
  readonly flags: WindowHandle['flags'] = this.at(0).flags;
}

class EachDevComm extends Each<DevCommHandle> implements DevCommHandle {
  readonly plan: DevCommHandle['plan'] = this.at(0).plan;
}

class EachExecutable extends Each<Executable> implements Executable {
  readonly name: string = this.at(0).name;

  get artifacts(): Executable['artifacts'] {
    return this.at(0).artifacts;
  }
}

function expectEach<T extends object>(value: object, kind: new (each: readonly never[]) => T): T {
  if (value instanceof kind) return value;
  throw new Error('of another world');
}

function together(worlds: readonly BackendWorld[]): BackendWorld {
  const ranks = new Each(worlds);
  const all = async <T>(act: (world: BackendWorld, rank: number) => Promise<T>): Promise<T[]> =>
    Promise.all(worlds.map(act));
  const argument = (arg: KernelArg, rank: number): KernelArg => {
    if (arg.kind === 'window') return { kind: 'window', window: expectEach(arg.window, EachWindow).at(rank) };
    return arg.kind === 'devComm' ? { kind: 'devComm', devComm: expectEach(arg.devComm, EachDevComm).at(rank) } : arg;
  };
  return {
    topology: ranks.at(0).topology,
    localRanks: worlds.flatMap(({ localRanks }) => localRanks),
    support: { symmetric: true, multimem: false, gin: 'none' },
    alloc: async (rank, bytes) => ranks.at(rank).alloc(rank, bytes),
    free: async (buffer) => ranks.at(buffer.rank).free(buffer),
    write: async (buffer, data, offset) => ranks.at(buffer.rank).write(buffer, data, offset),
    read: async (buffer, into, offset) => ranks.at(buffer.rank).read(buffer, into, offset),
    registerWindow: async (parts, bytes, flags) =>
      new EachWindow(await all(async (world, rank) => world.registerWindow(parts.slice(rank, rank + 1), bytes, flags))),
    deregisterWindow: async (window) =>
      void (await all(async (world, rank) => world.deregisterWindow(expectEach(window, EachWindow).at(rank)))),
    devicePointer: (window, rank, peer, offset) =>
      ranks.at(rank).devicePointer(expectEach(window, EachWindow).at(rank), rank, peer, offset),
    createDevComm: async (plan) => new EachDevComm(await all(async (world) => world.createDevComm(plan))),
    destroyDevComm: async (devComm) =>
      void (await all(async (world, rank) => world.destroyDevComm(expectEach(devComm, EachDevComm).at(rank)))),
    createStream: async (rank) => ranks.at(rank).createStream(rank),
    destroyStream: async (stream) => ranks.at(stream.rank).destroyStream(stream),
    compile: async (module) => new EachExecutable(await all(async (world) => world.compile(module))),
    launch: (executable, config, args) => {
      const { rank } = config.stream;
      const own = args.map((arg) => argument(arg, rank));
      ranks.at(rank).launch(expectEach(executable, EachExecutable).at(rank), config, own);
    },
    synchronize: async (stream) => ranks.at(stream.rank).synchronize(stream),
    setHostState: (rank, state) => ranks.at(rank).setHostState(rank, state),
    abort: (reason) => ranks.at(0).abort(reason),
    [Symbol.asyncDispose]: async () => void (await all(async (world) => world[Symbol.asyncDispose]())),
  };
}
