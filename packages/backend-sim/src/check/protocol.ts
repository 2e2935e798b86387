import type { Finding, FindingLabel, LocatedWord, ScheduleId, WaitedWord } from '@nccl-ts/findings';
import type { GroupClocks, HappensBefore, Race, SeenAccess } from '@nccl-ts/memory-model';
import type { SimDevComm } from '../sim-dev-comm.ts';
import type { Request } from '../network/request.ts';
import type { ProtocolWatch } from './cta-watch.ts';
import { misuseFinding } from './misuse-finding.ts';
import { arrivalLeft, arrivalWords, operationLeft, signalLeft, windowEnds, type Told } from './leftovers.ts';
import type { Outstanding } from './outstanding.ts';
import type { Participants } from './participants.ts';
import { sessionFinding, Sessions } from './sessions.ts';

export interface ProtocolOptions {
  readonly order: HappensBefore;
  readonly participants: Participants;
  readonly outstanding: Outstanding;
  /** The u32 at a heap address. */
  wordAt(address: number): number;
  labelOf(request: Request): FindingLabel | undefined;
  add(key: string, make: (schedule: ScheduleId) => Finding): void;
  locate(address: number): LocatedWord | undefined;
}

/** Rules that are not about the order of accesses: who uses barriers and signals how, and what is left of them at the end. */
export class Protocol implements ProtocolWatch {
  readonly #options: ProtocolOptions;
  readonly #sessions = new Sessions();
  /** The words of VA signals. */
  readonly #vaSignals = new Set<number>();

  constructor(options: ProtocolOptions) {
    this.#options = options;
  }

  get keepsWords(): boolean {
    return this.#vaSignals.size > 0;
  }

  /** The word at `address` is a VA signal's from now on. */
  keeps(address: number): void {
    this.#vaSignals.add(address);
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
        message: 'the word of a VA signal is changed by something other than GIN',
        labels: [participants.label(access)],
        schedule,
        word: { address, locate },
      }),
    );
  }

  reads(address: number): void {
    this.#options.outstanding.reads(address);
  }

  waited(words: readonly WaitedWord[], excess: bigint): void {
    this.#options.outstanding.waited(words, excess);
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

  /** A CTA has ended. */
  closed(group: GroupClocks): void {
    this.#sessions.closed(group);
  }

  /** Whether a race is two sessions of one barrier, and reported as that. */
  takes(race: Race): boolean {
    const pair = this.#sessions.pairOf(race);
    if (pair !== undefined) this.#twoSessions(pair.now, pair.before);
    return pair !== undefined;
  }

  #twoSessions(now: SeenAccess, before: SeenAccess): void {
    const { participants, add } = this.#options;
    const key = ['sessions', ...[now.site, before.site].toSorted((a, b) => a - b)].join();
    add(key, (schedule) => sessionFinding({ now, before }, participants, schedule));
  }

  /** The bytes in `[low, high)` are in a window no more, though kernels go on. */
  windowEnds(low: number, high: number): readonly Told[] {
    const { outstanding } = this.#options;
    const requests = outstanding.touching(low, high);
    for (const request of requests) outstanding.drop(request);
    return this.#told(requests, windowEnds);
  }

  /** What nobody has waited for of a device communicator. */
  leftOf({ plan, resources, state }: SimDevComm): readonly Told[] {
    const { outstanding } = this.#options;
    const words = arrivalWords(plan);
    const arrivals = resources.addresses.flatMap((base) => words.flatMap((offset) => this.#arrivalAt(base + offset)));
    const network = state.addresses.flatMap((low) => {
      const high = low + state.bytes;
      return [...this.#told(outstanding.requests(low, high), operationLeft), ...this.signalsIn(low, high)];
    });
    return [...arrivals, ...network];
  }

  /** Signals in `[low, high)` that nobody has waited for. */
  signalsIn(low: number, high: number): readonly Told[] {
    return this.#told(
      this.#options.outstanding.signals(low, high).map(({ request }) => request),
      signalLeft,
    );
  }

  forget(low: number, high: number): void {
    this.#options.outstanding.forget(low, high);
    this.#sessions.forget(low, high);
    for (const address of this.#vaSignals) if (address >= low && address < high) this.#vaSignals.delete(address);
  }

  #arrivalAt(address: number): readonly Told[] {
    const { order, outstanding, participants, wordAt } = this.#options;
    // Epochs go round.
    if (((wordAt(address) - outstanding.epoch(address)) | 0) <= 0) return [];
    const [last] = order.lastWrites(address);
    const label = last === undefined ? undefined : participants.label(last);
    return label?.kernel === undefined ? [] : [arrivalLeft(label)];
  }

  #told(requests: readonly Request[], make: (label: FindingLabel) => Told): readonly Told[] {
    const { labelOf } = this.#options;
    return requests.flatMap((request) => {
      const label = labelOf(request);
      return label === undefined ? [] : [make(label)];
    });
  }
}
