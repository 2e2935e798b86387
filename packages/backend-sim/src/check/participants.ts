import { quotedLocation, quotedCallSite, type FindingLabel, type Participant, type Site } from '@nccl-ts/findings';
import {
  earlyFence,
  fencesBeside,
  type Body,
  type FenceStatement,
  type FencesBeside,
  type SourceLocation,
  type Span,
} from '@nccl-ts/ir';
import type { KernelText } from '@nccl-ts/transport';
import { agentOf, threadOf, type SeenAccess } from '@nccl-ts/memory-model';
import { hostSiteName, siteName } from './earlier-run.ts';
import { Episodes, type Episode } from './episodes.ts';
import { StreamPlaces, type EnqueuedLaunch } from './stream-places.ts';

/** One kernel's source locations among all. `base` is the number of the first. */
interface SiteRange {
  readonly base: number;
  readonly sites: readonly Site[];
  readonly kernel: KernelText;
  /** The statements of which the sites are. */
  readonly body: Body | undefined;
}

/** The sites of one call of a host program. */
interface HostSites {
  readonly reads: number;
  readonly writes: number;
  readonly call: SourceLocation | undefined;
}

/** The prefix of a fabric operation's action. */
export const FABRIC = 'fabric ';

/** Converts the checker's numbers to labels of participants. */
export class Participants {
  readonly #ranges: SiteRange[] = [];
  readonly #episodes = new Map<number, Episodes>();
  readonly #hosts = new Map<number, number>();
  /** By the number of a launch: how many its rank had enqueued with it. */
  readonly #ordinals = new Map<number, number>();
  readonly streams: StreamPlaces = new StreamPlaces();
  /** By the numbers of their reads and of their writes. */
  readonly #hostSites = new Map<number, HostSites>();

  addSites(range: SiteRange): void {
    this.#ranges.push(range);
  }

  /** The name of a site of a kernel or a host in all worlds of a program. */
  siteName(site: number): string {
    const ofHost = this.#hostSites.get(site);
    if (ofHost !== undefined) return hostSiteName(ofHost.call);
    const range = this.#ranges.findLast(({ base }) => base <= site);
    if (range === undefined) throw new RangeError(`no kernel with site ${site}`);
    return siteName(range.kernel.name, site - range.base);
  }

  /** Adds the source locations for actions of hosts. */
  addHostSites(sites: HostSites): void {
    this.#hostSites.set(sites.reads, sites).set(sites.writes, sites);
  }

  addHost(agent: number, rank: number): void {
    this.#hosts.set(agent, rank);
  }

  addLaunch(launch: EnqueuedLaunch & { readonly ordinal: number }): void {
    this.#ordinals.set(launch.id, launch.ordinal);
    this.streams.add(launch);
  }

  begins(agent: number, episode: Episode): void {
    const known = this.#episodes.get(agent) ?? new Episodes();
    this.#episodes.set(agent, known);
    known.add(episode);
  }

  /** Returns the participant, without the source location. */
  who({ who, stamp }: SeenAccess): Participant {
    const agent = agentOf(who);
    const rank = this.#hosts.get(agent);
    if (rank !== undefined) return { rank };
    const episode = this.#episodeOf(agent, stamp);
    if (episode === undefined) return { rank: -1 };
    const { cta, thread = threadOf(who) } = episode;
    return { rank: cta.rank, blockIdx: cta.blockIdx, thread };
  }

  /**
   * Returns the number of launches of a CTA's agent that had begun by `stamp`; infinity for other
   * agents.
   */
  launchesOf(agent: number, stamp: number): number {
    const episodes = this.#episodes.get(agent);
    return episodes?.areLaunches === true ? episodes.countAt(stamp) : Number.POSITIVE_INFINITY;
  }

  /**
   * Returns which of its rank's launches an agent was in, from 1, on whichever stream; infinity for
   * agents that are no CTA.
   */
  launchAt(agent: number, stamp: number): number {
    const episodes = this.#episodes.get(agent);
    const launch = episodes?.areLaunches === true ? episodes.at(stamp)?.launch : undefined;
    return (launch === undefined ? undefined : this.#ordinals.get(launch)) ?? Number.POSITIVE_INFINITY;
  }

  #episodeOf(agent: number, stamp: number): Episode | undefined {
    return this.#episodes.get(agent)?.at(stamp);
  }

  /** The fence nearest to an access in the text of its kernel, on one side. */
  fenceBeside(access: SeenAccess, side: keyof FencesBeside): FindingLabel | undefined {
    const { range, span } = this.#statementOf(access);
    if (range?.body === undefined || span === undefined) return undefined;
    return this.#fenceLabel(access, range, fencesBeside(range.body, span)[side]);
  }

  /** The fence before a write in the text of its kernel, if it also precedes an earlier access. */
  earlyFence(write: SeenAccess, earlier: SeenAccess): FindingLabel | undefined {
    const [flag, data] = [this.#statementOf(write), this.#statementOf(earlier)];
    const { range } = flag;
    if (range?.body === undefined || data.range !== range || flag.span === undefined || data.span === undefined)
      return undefined;
    return this.#fenceLabel(write, range, earlyFence(range.body, flag.span, data.span));
  }

  #statementOf({ site }: SeenAccess): { readonly range?: SiteRange | undefined; readonly span?: Span | undefined } {
    const range = this.#ranges.findLast(({ base }) => base <= site);
    return { range, span: range?.sites[(site - range.base) % range.sites.length]?.span };
  }

  #fenceLabel(access: SeenAccess, { kernel }: SiteRange, fence: FenceStatement | undefined): FindingLabel | undefined {
    const location = fence?.span === undefined ? undefined : quotedLocation(kernel, fence.span);
    if (fence === undefined || location === undefined) return undefined;
    const { access: _access, polls: _polls, ...by } = this.label(access);
    const { order, scope } = fence.access;
    return Object.freeze({ ...by, does: 'fence', place: location, access: Object.freeze({ order, scope }) });
  }

  label({ who, stamp, site }: SeenAccess): FindingLabel {
    const agent = agentOf(who);
    const rank = this.#hosts.get(agent);
    if (rank !== undefined) {
      const { reads, call } = this.#hostSites.get(site) ?? {};
      return hostLabel(rank, site === reads ? 'host read' : 'host write', call);
    }
    const episode = this.#episodeOf(agent, stamp);
    const range = this.#ranges.findLast(({ base }) => base <= site);
    const at = range?.sites[(site - range.base) % range.sites.length];
    const location =
      range === undefined || at === undefined || site < 0 ? undefined : quotedLocation(range.kernel, at.span);
    const { order, scope, unscoped } = at?.access ?? {};
    return Object.freeze({
      agent: episode?.does === undefined ? 'thread' : 'network',
      does: episode?.does ?? `${at?.what ?? 'access'}${episode?.by ?? ''}`,
      rank: episode?.cta.rank ?? -1,
      ...(range === undefined ? {} : { kernel: range.kernel.name }),
      ...(episode === undefined
        ? {}
        : { launch: episode.launch, purpose: episode.purpose, blockIdx: episode.cta.blockIdx }),
      thread: episode?.thread ?? threadOf(who),
      ...(location === undefined ? {} : { place: location }),
      ...(at?.polls === undefined ? {} : { polls: at.polls }),
      ...(order === undefined || scope === undefined
        ? {}
        : { access: Object.freeze({ order, scope, ...(unscoped === undefined ? {} : { unscoped }) }) }),
    } satisfies FindingLabel);
  }
}

/** The label of a call of a host program. */
export function hostLabel(rank: number, does: string, call: SourceLocation | undefined): FindingLabel {
  const location = call === undefined ? {} : { place: quotedCallSite(call) };
  return Object.freeze({ agent: 'host', does, rank, ...location });
}
