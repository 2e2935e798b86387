import type { DeviceBuffer, Executable, KernelArg, WindowHandle } from '@nccl-ts/transport';
import { decorateBackend, type WorldDecorator } from '../decorate-backend.ts';
import type { BackendMutant } from './mutant.ts';

function hostMutant(
  id: string,
  does: string,
  caughtBy: BackendMutant['caughtBy'],
  decorator: WorldDecorator,
): BackendMutant {
  return Object.freeze({
    id,
    does,
    caughtBy,
    mutate: (backend) => decorateBackend(backend, decorator),
  } satisfies BackendMutant);
}

function bytesOf(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

/** Mutants at the level of the host, like a bug in a runtime. */
export const hostMutants: readonly BackendMutant[] = Object.freeze([
  hostMutant(
    'writes-fall-short',
    'loses the last byte of each write by the host',
    ['windows/host-copies', 'generic/copy/u8'],
    (world) => ({
      write: async (buffer, data, offset) => world.write(buffer, bytesOf(data).subarray(0, -1), offset),
    }),
  ),
  hostMutant(
    'reads-are-stale',
    'returns stale data to the host',
    ['windows/host-copies', 'barriers/epochs/across-launches'],
    (world) => {
      const seen = new Map<DeviceBuffer, Uint8Array>();
      return {
        read: async (buffer, into, offset) => {
          let all = seen.get(buffer);
          if (all === undefined) {
            all = new Uint8Array(buffer.bytes);
            await world.read(buffer, all, 0);
            seen.set(buffer, all);
          }
          bytesOf(into).set(all.subarray(offset, offset + into.byteLength));
        },
      };
    },
  ),
  hostMutant(
    'one-window',
    'uses the first window for every window',
    ['windows/several', 'windows/isolation'],
    (world) => {
      let first: WindowHandle | undefined;
      const own = (arg: KernelArg): KernelArg =>
        arg.kind === 'window' && first !== undefined ? { kind: 'window', window: first } : arg;
      return {
        registerWindow: async (...args) => {
          const window = await world.registerWindow(...args);
          first ??= window;
          return window;
        },
        launch: (executable, config, args) => world.launch(executable, config, args.map(own)),
      };
    },
  ),
  hostMutant(
    'launches-once',
    'runs each kernel only once on each rank',
    ['barriers/epochs/across-launches', 'windows/stream-order'],
    (world) => {
      const launched = new Map<Executable, Set<number>>();
      return {
        launch: (executable, config, args) => {
          const ranks = launched.get(executable) ?? new Set<number>();
          launched.set(executable, ranks);
          if (ranks.has(config.stream.rank)) return;
          ranks.add(config.stream.rank);
          world.launch(executable, config, args);
        },
      };
    },
  ),
  hostMutant('short-arguments', 'passes only 32 bits of 64-bit arguments', ['scalars/addr'], (world) => ({
    launch: (executable, config, args) => {
      const cut = (arg: KernelArg): KernelArg =>
        arg.kind === 'scalar' && typeof arg.value === 'bigint'
          ? { kind: 'scalar', value: BigInt.asUintN(32, arg.value) }
          : arg;
      world.launch(executable, config, args.map(cut));
    },
  })),
  hostMutant(
    'dirty-memory',
    'allocates memory that is not zero',
    ['windows/host-copies', 'windows/alloc-and-free'],
    (world) => ({
      alloc: async (rank, bytes) => {
        const buffer = await world.alloc(rank, bytes);
        await world.write(buffer, new Uint8Array(bytes).fill(0xcd), 0);
        return buffer;
      },
    }),
  ),
  hostMutant('prints-nothing', 'loses what kernels print', ['checks/print'], (world) => ({
    synchronize: async (stream) => ({ ...(await world.synchronize(stream)), printed: [] }),
  })),
  hostMutant(
    'reaches-everybody',
    'returns device pointers across domains',
    ['windows/device-pointer-parameters'],
    (world) => ({
      devicePointer: (window, rank, peer, offset) =>
        world.devicePointer(window, rank, peer, offset) ?? world.devicePointer(window, rank, rank, offset),
    }),
  ),
]);
