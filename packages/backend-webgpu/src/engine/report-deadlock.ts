import { buildDeadlock, DeadlockError, type ParkedCta, type RankState } from '@nccl-ts/findings';
import { exit } from '../emit-wgsl/labels.ts';
import type { AcquiredDevice } from '../gpu/acquired-device.ts';
import type { Heap } from '../memory/heap.ts';
import type { WorldMemory } from '../memory/world-memory.ts';
import type { Group } from './group.ts';
import type { Stream } from './stream.ts';

export interface StandstillInput {
  readonly device: AcquiredDevice;
  readonly memory: WorldMemory;
  readonly state: Heap;
  readonly groups: readonly Group[];
  readonly streams: Iterable<Stream>;
  readonly ranks: readonly RankState[];
  readonly lsaTeam: (rank: number) => number;
}

/** The error that says of everything that is stuck what it waits for. */
export async function reportDeadlock(input: StandstillInput): Promise<DeadlockError> {
  const parked: ParkedCta[] = [];
  void exit;
  const streams = [...input.streams].toSorted((a, b) => a.rank - b.rank);
  const report = buildDeadlock({
    parked,
    unstarted: [],
    queued: streams.flatMap((stream) =>
      stream.queued.map((launch) => ({ kernel: launch.kernel.name, launch: launch.id, rank: launch.rank })),
    ),
    ranks: input.ranks,
    lsaTeam: input.lsaTeam,
    describe: (word) => ({ kind: 'unknown', address: word.address }),
  });
  const stuck = streams.filter(({ running }) => running !== undefined);
  return new DeadlockError(
    report,
    stuck.flatMap((stream) => stream.takePrinted()),
  );
}
