import type { Command } from 'commander';
import type { WebgpuWorld } from '@nccl-ts/backend-webgpu';
import type { OpenOptions } from '@nccl-ts/communicator';
import type { Timeline } from '@nccl-ts/core';
import { createTimelineRecorder } from '@nccl-ts/timeline';
import type { BackendName } from '../backend-names.ts';
import { machineNamed } from '../profile/machine-named.ts';
import { UsageError } from '../usage-error.ts';

type Backend = OpenOptions['backend'];
type BackendWorld = Awaited<ReturnType<Backend['open']>>;

/** The backend and machine of a run, for the report. */
export type RanOn =
  | { readonly backend: 'sim'; readonly seed: number }
  | { readonly backend: 'webgpu'; readonly adapter: string; readonly software: boolean }
  /** The GPUs by CUDA's numbers, one for each rank. */
  | { readonly backend: 'cuda'; readonly devices: readonly number[] };

export interface RunBackendOptions {
  readonly backend: BackendName;
  readonly ranks: number;
  /** @default all ranks */
  readonly lsaSize?: number;
  /** @default the backend's own */
  readonly fuel?: number;
  /** Only for the simulator. */
  readonly seed: number;
  readonly residentCtas: number;
  /** The file for the timeline, if one is requested. */
  readonly trace?: string;
  /** The machine of the timeline's times. @default the simulator's own costs */
  readonly machine?: string;
}

/** A backend, and its description once a world is open. */
export interface RunBackend {
  readonly backend: Backend;
  readonly ranOn: () => RanOn;
  /** Returns the timeline so far, if one was requested. */
  readonly timeline: () => Timeline | undefined;
}

/**
 * Options that some backends lack: their names on the command line, and the backends that support
 * them.
 */
const limited = {
  seed: { flag: '--seed', is: 'for the simulator', of: ['sim'] },
  residentCtas: { flag: '--resident-ctas', is: 'for the simulator', of: ['sim'] },
  trace: { flag: '--trace', is: 'for the simulator', of: ['sim'] },
  machine: { flag: '--machine', is: 'for the simulator', of: ['sim'] },
  fuel: { flag: '--fuel', is: 'for sim and webgpu', of: ['sim', 'webgpu'] },
  lsaSize: { flag: '--lsa-size', is: 'for sim and webgpu; GPUs are as they are connected', of: ['sim', 'webgpu'] },
} as const satisfies Readonly<
  Record<string, { readonly flag: string; readonly is: string; readonly of: readonly BackendName[] }>
>;

/** The limit on WebGPU, which counts in 32 bits. */
const MOST_FUEL = 2 ** 31 - 1;

/** @throws UsageError if the backend does not support an option on the command line. */
export function checkBackendOptions(
  { backend, fuel = 0 }: Pick<RunBackendOptions, 'backend' | 'fuel'>,
  command: Command,
): void {
  for (const [name, { flag, is, of }] of Object.entries(limited)) {
    if (of.some((one) => one === backend) || command.getOptionValueSource(name) !== 'cli') continue;
    throw new UsageError(`${flag} is ${is}, but this runs on ${backend}`);
  }
  if (backend === 'webgpu' && fuel > MOST_FUEL) {
    throw new UsageError(`--fuel ${fuel}: it must be at most ${MOST_FUEL} on webgpu`);
  }
}

/**
 * Loads and creates the backend of the command line. On CUDA the default number of ranks is the
 * number of GPUs.
 */
export async function runBackend(options: RunBackendOptions, areRanksGiven: boolean): Promise<RunBackend> {
  const { backend, ranks, lsaSize = ranks, fuel, seed, residentCtas, trace } = options;
  const common = { ranks, lsaSize, ...(fuel === undefined ? {} : { fuel }) };
  switch (backend) {
    case 'sim': {
      const { sim } = await import('@nccl-ts/backend-sim');
      const costs = options.machine === undefined ? undefined : await machineNamed(options.machine);
      const made = sim({ ...common, seed, residentCtas, trace: trace !== undefined && (costs ?? true) });
      return {
        backend: made,
        ranOn: () => ({ backend, seed }),
        timeline: () => (trace === undefined || !made.isOpened ? undefined : made.timeline(createTimelineRecorder())),
      };
    }
    case 'webgpu': {
      const { webgpu } = await import('@nccl-ts/backend-webgpu');
      const { made, opened } = remembering<WebgpuWorld>(webgpu(common));
      return {
        backend: made,
        ranOn: () => ({ backend, adapter: nameOf(opened()), software: opened()?.software === true }),
        timeline: () => undefined,
      };
    }
    case 'cuda': {
      const { cuda } = await import('@nccl-ts/backend-cuda');
      const { made, opened } = remembering(cuda(areRanksGiven ? { ranks } : {}));
      const devices = (): readonly number[] => {
        const world = opened();
        return world?.localRanks.map((rank) => world.deviceOf(rank)) ?? [];
      };
      return { backend: made, ranOn: () => ({ backend, devices: devices() }), timeline: () => undefined };
    }
  }
}

/** Remembers the world that was opened on the backend, which has methods of its own. */
function remembering<W extends BackendWorld>(
  backend: Omit<Backend, 'open'> & { open(options: Parameters<Backend['open']>[0]): Promise<W> },
): { readonly made: Backend; readonly opened: () => W | undefined } {
  let opened: W | undefined;
  const open = async (options: Parameters<Backend['open']>[0]): Promise<W> => {
    const world = await backend.open(options);
    opened = world;
    return world;
  };
  return { made: { ...backend, open }, opened: () => opened };
}

function nameOf(world: WebgpuWorld | undefined): string {
  if (world === undefined) return 'none';
  const { vendor, architecture, description } = world.adapterInfo;
  const name = [vendor, architecture].filter((part) => part !== '').join(' ');
  return name === '' ? description || 'an unnamed GPU' : name;
}
