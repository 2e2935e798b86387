import type { SimWorld } from '@nccl-ts/backend-sim';
import type { WebgpuWorld } from '@nccl-ts/backend-webgpu';
import type { OpenOptions } from '@nccl-ts/communicator';
import type { Timeline } from '@nccl-ts/timeline';

type Backend = OpenOptions['backend'];

export const runBackendNames = ['sim', 'webgpu'] as const;

export type RunBackendName = (typeof runBackendNames)[number];

/** What ran the kernels, as the report has it. */
export type RanOn =
  | { readonly backend: 'sim'; readonly seed: number }
  | { readonly backend: 'webgpu'; readonly adapter: string; readonly software: boolean };

export interface RunBackendOptions {
  readonly backend: RunBackendName;
  readonly ranks: number;
  readonly lsaSize: number;
  /** Each backend's own where it is left out. */
  readonly fuel?: number;
  /** Of the simulator alone. */
  readonly seed: number;
  readonly residentCtas: number;
  /** The file for the time line, where there is to be one. */
  readonly trace?: string;
}

/** A backend to open a world on, and what there is to say of it once the world is open. */
export interface RunBackend {
  readonly backend: Backend;
  readonly ranOn: () => RanOn;
  /** What has happened so far, where that was asked for. */
  readonly timeline: () => Timeline | undefined;
}

/** The options of `run` that WebGPU has no use for, by their names on the command line. */
export const simulatorOptions: Readonly<Record<'seed' | 'residentCtas' | 'trace', string>> = {
  seed: '--seed',
  residentCtas: '--resident-ctas',
  trace: '--trace',
};

/** Loads and makes the backend that the command line names. */
export async function runBackend({
  backend,
  ranks,
  lsaSize,
  fuel,
  seed,
  residentCtas,
  trace,
}: RunBackendOptions): Promise<RunBackend> {
  const common = { ranks, lsaSize, ...(fuel === undefined ? {} : { fuel }) };
  if (backend === 'sim') {
    const { sim } = await import('@nccl-ts/backend-sim');
    const made = sim({ ...common, seed, residentCtas, trace: trace !== undefined });
    let opened: SimWorld | undefined;
    return {
      backend: {
        ...made,
        open: async (options) => {
          opened = await made.open(options);
          return opened;
        },
      },
      ranOn: () => ({ backend: 'sim', seed }),
      timeline: () => (trace === undefined ? undefined : opened?.timeline()),
    };
  }
  const { webgpu } = await import('@nccl-ts/backend-webgpu');
  const made = webgpu(common);
  let opened: WebgpuWorld | undefined;
  return {
    backend: {
      ...made,
      open: async (options) => {
        opened = await made.open(options);
        return opened;
      },
    },
    ranOn: () => ({ backend: 'webgpu', adapter: nameOf(opened), software: opened?.software === true }),
    timeline: () => undefined,
  };
}

function nameOf(world: WebgpuWorld | undefined): string {
  if (world === undefined) return 'none';
  const { vendor, architecture, description } = world.adapterInfo;
  const name = [vendor, architecture].filter((part) => part !== '').join(' ');
  return name === '' ? description || 'a GPU without a name' : name;
}
