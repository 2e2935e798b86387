import type { Finding, LocatedWord, ScheduleId, WaitedWord } from '@nccl-ts/findings';
import type { GroupClocks, HappensBefore, Race, SeenAccess, SyncWord, WaitRead } from '@nccl-ts/memory-model';
import type { ProtocolWatch } from './cta-watch.ts';
import { broadcastFinding, misuseFinding } from './misuse-finding.ts';
import type { Outstanding } from './outstanding.ts';
import type { Participants } from './participants.ts';
import { sessionFinding, Sessions } from './sessions.ts';
import { staleFlagFinding, StaleFlags } from './stale-flags.ts';

export interface ProtocolOptions {
  readonly participants: Participants;
  readonly outstanding: Outstanding;
  readonly order: HappensBefore;
  readonly add: (key: string, make: (schedule: ScheduleId) => Finding) => void;
  readonly locate: (address: number) => LocatedWord | undefined;
}

/** Checks rules that are not about the order of accesses: how kernels use barriers and signals. */
export class Protocol implements ProtocolWatch {
  readonly #options: ProtocolOptions;
  readonly #sessions = new Sessions();
  readonly #flags: StaleFlags;
  /** The words of VA signals. */
  readonly #vaSignals = new Set<number>();
  keepsWords = false;

  constructor(options: ProtocolOptions) {
    this.#options = options;
    this.#flags = new StaleFlags(options.participants);
  }

  /** Marks the word at `address` as that of a VA signal. */
  keeps(address: number): void {
    this.#vaSignals.add(address);
    this.keepsWords = true;
  }

  stores(group: GroupClocks, thread: number, address: number, bytes: number, site: number): void {
    for (let word = address - (address % 8); word < address + bytes; word += 8) {
      if (this.#vaSignals.has(word)) this.#storesToSignal(group, thread, word, site);
    }
  }

  #storesToSignal(group: GroupClocks, thread: number, address: number, site: number): void {
    const { participants, add, locate } = this.#options;
    const access = { who: group.whoBase + thread, stamp: group.stamp, site: group.siteBase + site };
    add(['store to a VA signal', access.site].join(), (schedule) =>
      misuseFinding({
        message:
          'a store changes the word of a VA signal, which only GIN may change: signal it, or reset it through GIN',
        labels: [participants.label(access)],
        schedule,
        word: { address, locate },
      }),
    );
  }

  reads(address: number): void {
    this.#options.outstanding.reads(address);
  }

  waited(words: readonly WaitedWord[], reached: boolean, excess: bigint): void {
    const { outstanding } = this.#options;
    if (reached) outstanding.waited(words, excess);
    else outstanding.gaveUp(words);
  }

  passed(group: GroupClocks, { thread, address, site }: WaitRead, { id, seen }: SyncWord, least?: bigint): void {
    const last = seen?.last;
    const wrote = this.#options.order.epochs.site[id];
    if (last === undefined || wrote === undefined) return;
    const wait = { who: group.whoBase + thread, stamp: group.stamp, site: group.siteBase + site };
    const write = { ...last, site: wrote };
    if (!this.#flags.isStale({ wait, address, write, least })) return;
    const { participants, add } = this.#options;
    add(['stale flag', wait.site, write.site].join(), (schedule) =>
      staleFlagFinding([participants.label(wait), participants.label(write)], schedule),
    );
  }

  broadcasts(group: GroupClocks, thread: number, site: number): void {
    const { participants, add } = this.#options;
    const access = { who: group.whoBase + thread, stamp: group.stamp, site: group.siteBase + site };
    add(['broadcast', access.site].join(), (schedule) => broadcastFinding(participants.label(access), schedule));
  }

  resets(address: number): void {
    this.#options.outstanding.reset(address);
  }

  beginsSession(group: GroupClocks, thread: number, address: number, site: number, session: number): void {
    const pair = this.#sessions.begins(group, thread, address, site, session);
    if (pair !== undefined) this.#twoSessions(pair.now, pair.before);
  }

  endsSession(group: GroupClocks, address: number, site: number): void {
    this.#sessions.ends(group, address, site);
  }

  /** Called when a CTA has ended. */
  closed(group: GroupClocks): void {
    this.#sessions.closed(group);
  }

  /** True if a race is about two sessions of one barrier, and is reported as such. */
  takes(race: Race): boolean {
    const pair = this.#sessions.pairOf(race);
    if (pair !== undefined) this.#twoSessions(pair.now, pair.before);
    return pair !== undefined;
  }

  /** True if a race of these two source locations may be about sessions. */
  mayTake(now: number, before: number): boolean {
    return this.#sessions.areSites(now, before);
  }

  #twoSessions(now: SeenAccess, before: SeenAccess): void {
    const { participants, add } = this.#options;
    const key = ['sessions', ...[now.site, before.site].toSorted((a, b) => a - b)].join();
    add(key, (schedule) => sessionFinding({ now, before }, participants, schedule));
  }

  /** Ignores the words in `[low, high)` from now on. */
  forget(low: number, high: number): void {
    this.#options.outstanding.forget(low, high);
    this.#sessions.forget(low, high);
    this.#flags.forget(low, high);
    for (const address of this.#vaSignals) if (address >= low && address < high) this.#vaSignals.delete(address);
  }
}
