import { hostname } from 'node:os';
import { cuda, probe, type CudaWorld } from '@nccl-ts/backend-cuda';
import { sim } from '@nccl-ts/backend-sim';
import { webgpu, type WebgpuWorld } from '@nccl-ts/backend-webgpu';
import type { OpenOptions, World } from '@nccl-ts/communicator';
import type { BenchDevice } from './report/bench-report.ts';

export const benchBackendNames = ['sim', 'webgpu', 'cuda'] as const;
export type BenchBackendName = (typeof benchBackendNames)[number];

/** The backend of a world, and the devices of its ranks. */
export interface BenchBackend {
  readonly backend: OpenOptions['backend'];
  readonly devices: (world: World) => Promise<readonly BenchDevice[]>;
  /** The backend's own view of the world on GPUs, once it is open. */
  readonly cudaWorld?: () => CudaWorld;
}

export interface BenchBackendOptions {
  readonly backend: BenchBackendName;
  readonly ranks: number | undefined;
  readonly lsaSize: number | undefined;
  /** Options of the simulator. */
  readonly engine: 'js' | 'wasm' | undefined;
  readonly workers: number | undefined;
  /** The first GPU that CUDA is to use. */
  readonly firstDevice: number | undefined;
}

const DEFAULT_RANKS = 4;
/** The bus address of a device that is not on a bus, or whose address is unknown. */
const NO_PCI = '0000:00:00';

const makers: Readonly<Record<BenchBackendName, (options: BenchBackendOptions) => BenchBackend>> = {
  sim: ({ ranks = DEFAULT_RANKS, lsaSize = ranks, engine = 'wasm', workers = 1 }) => ({
    backend: sim({ ranks, lsaSize, engine, workers }),
    devices: async (world) =>
      devicesOf(
        world,
        (rank) => rank,
        () => 'simulated GPU',
      ),
  }),
  webgpu: ({ ranks = DEFAULT_RANKS, lsaSize = ranks }) => {
    const made = webgpu({ ranks, lsaSize });
    let opened: WebgpuWorld | undefined;
    const open: typeof made.open = async (options) => {
      opened = await made.open(options);
      return opened;
    };
    const name = (): string => adapterName(opened);
    // All ranks share one GPU.
    return { backend: { ...made, open }, devices: async (world) => devicesOf(world, () => 0, name) };
  },
  cuda: ({ ranks, firstDevice }) => {
    const made = cuda({
      ...(ranks !== undefined && { ranks }),
      ...(firstDevice !== undefined && { devices: Array.from({ length: ranks ?? 1 }, (_, i) => firstDevice + i) }),
    });
    let opened: CudaWorld | undefined;
    const open: typeof made.open = async (options) => {
      opened = await made.open(options);
      return opened;
    };
    const deviceOf = (rank: number): number => opened?.deviceOf(rank) ?? rank;
    const devices = async (world: World): Promise<readonly BenchDevice[]> => {
      const { gpus } = await probe();
      const names = new Map(gpus.map(({ ordinal, name }) => [ordinal, name]));
      return devicesOf(world, deviceOf, (device) => names.get(device) ?? 'an unnamed GPU');
    };
    const cudaWorld = (): CudaWorld => {
      if (opened === undefined) throw new RangeError('The world is not open.');
      return opened;
    };
    return { backend: { ...made, open }, devices, cudaWorld };
  },
};

export function benchBackend(options: BenchBackendOptions): BenchBackend {
  return makers[options.backend](options);
}

function devicesOf(
  world: World,
  deviceOf: (rank: number) => number,
  nameOf: (device: number) => string,
): readonly BenchDevice[] {
  const host = hostname().split('.')[0] ?? '';
  return world.localRanks.map((rank) => ({
    rank,
    group: 0,
    pid: process.pid,
    hostname: host,
    device: deviceOf(rank),
    pci: NO_PCI,
    name: nameOf(deviceOf(rank)),
  }));
}

function adapterName(world: WebgpuWorld | undefined): string {
  const { vendor = '', architecture = '', description = '' } = world?.adapterInfo ?? {};
  const named = [vendor, architecture].filter((part) => part !== '').join(' ');
  return named || description || 'an unnamed GPU';
}
