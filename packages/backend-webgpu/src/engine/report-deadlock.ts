import {
  buildDeadlock,
  DeadlockError,
  describeWord,
  type ParkedCta,
  type RankOutcome,
  type WaitedWord,
} from '@nccl-ts/findings';
import type { WebgpuWorldMemory } from '../memory/world-memory.ts';
import type { LaunchGroup } from './group.ts';
import type { WebgpuStream } from './stream.ts';
import { stuckCtas } from './stuck-ctas.ts';

export interface StandstillInput {
  readonly memory: WebgpuWorldMemory;
  readonly groups: readonly LaunchGroup[];
  readonly streams: Iterable<WebgpuStream>;
  readonly ranks: readonly RankOutcome[];
  readonly lsaTeam: (rank: number) => number;
}

/** Returns the error with the waits of everything that is stuck. */
export async function reportDeadlock(input: StandstillInput): Promise<DeadlockError> {
  const { memory } = input;
  const parked: ParkedCta[] = [];
  for (const group of input.groups) {
    const running = new Set(group.running);
    for (const { member, cta, waiting } of await stuckCtas(group, memory.space)) {
      if (!running.has(member)) continue;
      const { kernel, label, id, rank } = member.launch;
      parked.push({ kernel, label, launch: id, rank, cta, sites: group.code.source.sites, waiting: () => [waiting] });
    }
  }
  const streams = [...input.streams].toSorted((a, b) => a.rank - b.rank);
  const report = buildDeadlock({
    parked,
    unstarted: [],
    queued: streams.flatMap((stream) =>
      stream.queued.map((launch) => ({ kernel: launch.kernel.name, launch: launch.id, rank: launch.rank })),
    ),
    ranks: input.ranks,
    lsaTeam: input.lsaTeam,
    describe: (word) => describeWord(word, (located) => locate(located, memory)),
  });
  const stuck = streams.filter(({ running }) => running !== undefined);
  return new DeadlockError(
    report,
    stuck.flatMap((stream) => stream.takePrinted()),
  );
}

function locate(word: WaitedWord, memory: WebgpuWorldMemory): ReturnType<Parameters<typeof describeWord>[1]> {
  const at = memory.space.locate(word);
  return at === undefined ? undefined : { ...at, plan: at.window.plan, members: at.window.group.members };
}
