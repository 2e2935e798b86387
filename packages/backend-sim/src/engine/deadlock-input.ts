import { at } from '@nccl-ts/core';
import {
  describeWord,
  type DeadlockInput,
  type ParkedCta,
  type UnstartedCtas,
  type WordHistory,
} from '@nccl-ts/findings';
import { lsaTeamIndex, type Topology } from '@nccl-ts/topology';
import type { HostState } from '@nccl-ts/transport';
import type { SimWorldMemory } from '../memory/world-memory.ts';
import type { Device } from './device.ts';
import type { Engine } from './engine.ts';
import type { SimLaunch } from './launch.ts';
import type { SimStream } from './stream.ts';

export interface StuckWorld {
  /** True if the CTAs that can run are in endless loops. */
  readonly livelock?: boolean;
  readonly engine: Engine;
  /** The waits on other host threads. */
  readonly elsewhere: readonly ParkedCta[];
  readonly streams: Iterable<SimStream>;
  readonly hosts: readonly HostState[];
  readonly topology: Topology;
  readonly memory: SimWorldMemory;
  /**
   * How a word of the heap came to its value, for a CTA that waits for it; absent without a check.
   */
  readonly historyOf: ((address: number, waiter: ParkedCta) => WordHistory) | undefined;
}

/** Returns the input for the report of a deadlock, from a world in which nothing can run. */
export function deadlockInput({
  livelock = false,
  engine,
  elsewhere,
  streams,
  hosts,
  topology,
  memory,
  historyOf,
}: StuckWorld): DeadlockInput {
  const all = [...streams];
  return {
    livelock,
    parked: [
      ...elsewhere,
      ...[...(livelock ? engine.running : []), ...engine.parked].map(({ owner, cta, state }) => ({
        kernel: owner.kernel,
        label: owner.label,
        launch: owner.id,
        rank: owner.rank,
        cta,
        sites: owner.code.sites,
        waiting: () => owner.program.waiting(state),
      })),
    ],
    unstarted: all.flatMap(({ running, early }) =>
      [...(running === undefined ? [] : [running]), ...early].flatMap((launch) => unstartedOf(launch, engine.devices)),
    ),
    queued: all.flatMap((stream) =>
      stream.queued.map(({ kernel, id, rank }) => ({ kernel: kernel.name, launch: id, rank })),
    ),
    ranks: engine.devices.map(({ rank, last }) => ({ host: hosts[rank] ?? 'running', last })),
    lsaTeam: (rank) => lsaTeamIndex(topology, rank),
    describe: (word) => describeWord(word, (pointer) => memory.locate(pointer)),
    historyOf: (word, waiter) => (word.space === 'global' ? historyOf?.(word.address, waiter) : undefined),
  };
}

function unstartedOf(launch: SimLaunch, devices: readonly Device[]): UnstartedCtas[] {
  if (launch.started === launch.ctas) return [];
  return [
    {
      kernel: launch.kernel.name,
      launch: launch.id,
      rank: launch.rank,
      ctas: launch.ctas - launch.started,
      grid: launch.ctas,
      residentCtas: at(devices, launch.rank).residentCtas,
    },
  ];
}
