import type { NcclError } from '@nccl-ts/core';
import type { HostState, KernelText } from '@nccl-ts/transport';
import type { DeadlockReport, MissingRank, QueuedLaunch, UnstartedCtas, WaitingThreads } from './deadlock-report.ts';
import { quotedLocation, type QuotedLocation } from './quoted-location.ts';
import type { Site } from './site.ts';
import type { WaitedWord, Waiting } from './waiting.ts';
import type { WordHistory } from './word-history.ts';
import type { WordMeaning } from './word-meaning.ts';

/**
 * The waiting and missing parts of a deadlock. The order of its lists matters only for launches of
 * one rank.
 */
export interface DeadlockInput {
  /** True if some of the waiting threads loop without end. @default false */
  readonly livelock?: boolean;
  /** The CTAs that have started and wait. */
  readonly parked: readonly ParkedCta[];
  /** The running launches with CTAs for which the device never had room. */
  readonly unstarted: readonly UnstartedCtas[];
  /** The launches that wait for others on their streams. */
  readonly queued: readonly QueuedLaunch[];
  /** The ranks' states, by rank. */
  readonly ranks: readonly RankOutcome[];
  /** The LSA team of a rank. Kernels of different teams do not wait for each other. */
  readonly lsaTeam: (rank: number) => number;
  /** Describes a word: usually `describeWord`. */
  readonly describe: (word: WaitedWord) => WordMeaning;
  /** How a word came to its value, as a CTA that waits for it has seen it. */
  readonly historyOf?: ((word: WaitedWord, waiter: ParkedCta) => WordHistory | undefined) | undefined;
}

/** A CTA that has started and cannot continue. */
export interface ParkedCta {
  readonly kernel: KernelText;
  /** The purpose of the launch, if its program states one. */
  readonly label?: string | undefined;
  /** The number of the launch in the world, from 0. */
  readonly launch: number;
  readonly rank: number;
  /** The CTA's linear index. */
  readonly cta: number;
  /**
   * The source locations of the kernel, which `Waiting.site` indexes. The same array for all CTAs
   * of a kernel saves much work.
   */
  readonly sites: readonly Site[];
  /** The reasons why it cannot continue. An error that it throws is reported as the reason. */
  waiting(): readonly Waiting[];
}

/** The last launch of a rank that is over, and its outcome. */
export interface RankOutcome {
  readonly host: HostState;
  /** The rank's last launch that is over. */
  readonly last: LaunchOutcome | undefined;
}

/** The outcome of a launch. */
export interface LaunchOutcome {
  readonly kernel: string;
  /** The failure. Absent if the launch ran to its end. */
  readonly failure?: NcclError;
}

/** Reports the wait of everything that is stuck, and the ranks that are missing. */
export function buildDeadlock(input: DeadlockInput): DeadlockReport {
  const cache: LocationCache = new Map();
  const waiting = input.parked
    .toSorted((a, b) => a.rank - b.rank || a.launch - b.launch || a.cta - b.cta)
    .flatMap((parked) => waitingOf(parked, input, cache));
  return {
    ...(input.livelock === true ? { livelock: true as const } : {}),
    waiting,
    unstarted: input.unstarted.toSorted(byRank),
    queued: input.queued.toSorted(byRank),
    missing: missingOf(waiting, input),
  };
}

function byRank(a: { readonly rank: number }, b: { readonly rank: number }): number {
  return a.rank - b.rank;
}

/** A cache of locations. Finding one may take long, and most CTAs wait at the same one. */
type LocationCache = Map<Site, QuotedLocation | undefined>;

function waitingOf(parked: ParkedCta, { describe, historyOf }: DeadlockInput, cache: LocationCache): WaitingThreads[] {
  const { kernel, label, launch, rank, cta, sites } = parked;
  return groupsOf(parked).map((group) => {
    const site = sites[group.site];
    if (site !== undefined && !cache.has(site)) cache.set(site, quotedLocation(kernel, site.span));
    return {
      kernel: kernel.name,
      ...(label === undefined ? {} : { label }),
      launch,
      rank,
      cta,
      threads: group.threads,
      kind: group.kind,
      place: site === undefined ? undefined : cache.get(site),
      words: group.words.map((word) => {
        const history = historyOf?.(word, parked);
        const awaited = { place: describe(word), type: word.type, value: word.value };
        return history === undefined ? awaited : { ...awaited, history };
      }),
      ...(group.indices === undefined ? {} : { indices: group.indices }),
      needed: group.needed,
    };
  });
}

/** A report that lacks one CTA's reasons is better than none. */
function groupsOf(parked: ParkedCta): readonly Waiting[] {
  try {
    return parked.waiting();
  } catch (thrown) {
    const needed = `unknown: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    return [{ site: -1, kind: 'wait', threads: [], words: [], needed }];
  }
}

/**
 * Returns every rank whose word another rank waits for. In teams with waiting ranks, adds every
 * rank that does not wait.
 */
function missingOf(waiting: readonly WaitingThreads[], { ranks, lsaTeam }: DeadlockInput): MissingRank[] {
  const awaitedBy = new Map<number, Set<number>>();
  const stuckKernel = new Map<number, string>();
  for (const group of waiting) {
    if (!stuckKernel.has(group.rank)) stuckKernel.set(group.rank, group.kernel);
    for (const { place: meaning } of group.words) {
      if (meaning.kind !== 'lsaInbox') continue;
      const awaiting = awaitedBy.get(meaning.peerRank) ?? new Set();
      awaitedBy.set(meaning.peerRank, awaiting.add(group.rank));
    }
  }
  const teams = new Set([...stuckKernel.keys()].map((rank) => lsaTeam(rank)));
  return ranks.flatMap(({ host, last }, rank) => {
    const kernel = stuckKernel.get(rank);
    const awaiting = awaitedBy.get(rank);
    const aside = kernel !== undefined || !teams.has(lsaTeam(rank));
    if (aside && awaiting === undefined) return [];
    const common = { rank, host, awaitedBy: [...(awaiting ?? [])].toSorted((a, b) => a - b) };
    return [{ ...common, ...whereabouts(last, kernel) }];
  });
}

function whereabouts(
  last: LaunchOutcome | undefined,
  stuckKernel: string | undefined,
): Pick<MissingRank, 'reason' | 'kernel' | 'failure'> {
  if (stuckKernel !== undefined) return { reason: 'elsewhere', kernel: stuckKernel };
  if (last === undefined) return { reason: 'neverLaunched' };
  const { kernel, failure } = last;
  return failure === undefined ? { reason: 'ended', kernel } : { reason: 'failed', kernel, failure };
}
