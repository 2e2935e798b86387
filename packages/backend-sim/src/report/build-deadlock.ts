import type { HostState } from '@nccl-ts/transport';
import type { Device } from '../engine/device.ts';
import type { CtaTask, Launch } from '../engine/launch.ts';
import type { Stream } from '../engine/stream.ts';
import type { Site, WaitedWord, Waiting } from '../program.ts';
import type { DeadlockReport, MissingRank, UnstartedCtas, WaitingThreads } from './deadlock-report.ts';
import { placeOf, type SourcePlace } from './kernel-text.ts';
import type { WordPlace } from './word-place.ts';

export interface DeadlockInput {
  readonly parked: readonly CtaTask[];
  readonly streams: Iterable<Stream>;
  readonly devices: readonly Device[];
  readonly hosts: readonly HostState[];
  /** Which LSA team a rank is in. Kernels of different teams do not wait for each other. */
  readonly lsaTeam: (rank: number) => number;
  readonly describe: (word: WaitedWord) => WordPlace;
}

/** Says of everything that is stuck what it waits for, and who is not there. */
export function buildDeadlock(input: DeadlockInput): DeadlockReport {
  const places: Places = new Map();
  const waiting = input.parked
    .toSorted((a, b) => a.rank - b.rank || a.launch - b.launch || a.cta - b.cta)
    .flatMap((task) => waitingOf(task, input, places));
  const streams = [...input.streams].toSorted((a, b) => a.rank - b.rank);
  const stuck = streams.flatMap((stream) => stream.running ?? []);
  return {
    waiting,
    unstarted: stuck.flatMap((launch) => unstartedOf(launch, input.devices)),
    queued: streams.flatMap((stream) =>
      stream.queued.map((launch) => ({ kernel: launch.kernel.name, launch: launch.id, rank: launch.rank })),
    ),
    missing: missingOf(waiting, input),
  };
}

/** Places that were found already: finding one may take long, and CTAs mostly wait at the same. */
type Places = Map<Site, SourcePlace | undefined>;

function waitingOf(task: CtaTask, { describe }: DeadlockInput, places: Places): WaitingThreads[] {
  const launch = task.owner;
  return groupsOf(task).map((group) => {
    const site = launch.code.sites[group.site];
    if (site !== undefined && !places.has(site)) places.set(site, placeOf(launch.kernel, site.span));
    return {
      kernel: launch.kernel.name,
      launch: launch.id,
      rank: launch.rank,
      cta: task.cta,
      threads: group.threads,
      kind: group.kind,
      place: site === undefined ? undefined : places.get(site),
      words: group.words.map((word) => ({ place: describe(word), type: word.type, value: word.value })),
      ...(group.indices === undefined ? {} : { indices: group.indices }),
      needed: group.needed,
    };
  });
}

/** A report that lacks one CTA's reasons is better than none. */
function groupsOf(task: CtaTask): readonly Waiting[] {
  try {
    return task.owner.program.waiting(task.state);
  } catch (thrown) {
    const needed = `unknown: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    return [{ site: -1, kind: 'wait', threads: [], words: [], needed }];
  }
}

function unstartedOf(launch: Launch, devices: readonly Device[]): UnstartedCtas[] {
  if (launch.started === launch.ctas) return [];
  return [
    {
      kernel: launch.kernel.name,
      launch: launch.id,
      rank: launch.rank,
      ctas: launch.ctas - launch.started,
      grid: launch.ctas,
      residentCtas: devices[launch.rank]?.residentCtas ?? 0,
    },
  ];
}

/** Every rank whose word another one waits for, and every rank of the teams that wait which does not wait itself. */
function missingOf(waiting: readonly WaitingThreads[], input: DeadlockInput): MissingRank[] {
  const awaitedBy = new Map<number, Set<number>>();
  const stuckKernel = new Map<number, string>();
  for (const group of waiting) {
    if (!stuckKernel.has(group.rank)) stuckKernel.set(group.rank, group.kernel);
    for (const { place } of group.words) {
      if (place.kind !== 'lsaInbox') continue;
      const awaiting = awaitedBy.get(place.peerRank) ?? new Set();
      awaitedBy.set(place.peerRank, awaiting.add(group.rank));
    }
  }
  const teams = new Set([...stuckKernel.keys()].map((rank) => input.lsaTeam(rank)));
  return input.devices.flatMap((device) => {
    const kernel = stuckKernel.get(device.rank);
    const awaiting = awaitedBy.get(device.rank);
    const aside = kernel !== undefined || !teams.has(input.lsaTeam(device.rank));
    if (aside && awaiting === undefined) return [];
    const host = input.hosts[device.rank] ?? 'running';
    const common = { rank: device.rank, host, awaitedBy: [...(awaiting ?? [])].toSorted((a, b) => a - b) };
    return [{ ...common, ...whereabouts(device, kernel) }];
  });
}

function whereabouts(
  device: Device,
  stuckKernel: string | undefined,
): Pick<MissingRank, 'reason' | 'kernel' | 'failure'> {
  if (stuckKernel !== undefined) return { reason: 'elsewhere', kernel: stuckKernel };
  if (device.last === undefined) return { reason: 'neverLaunched' };
  const { kernel, failure } = device.last;
  return failure === undefined ? { reason: 'ended', kernel } : { reason: 'failed', kernel, failure };
}
