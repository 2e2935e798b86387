import { at } from '@nccl-ts/core';
import type { ScopeWidth } from '../scope.ts';
import type { Clock } from './clock.ts';
import type { EpochId } from './epochs.ts';
import type { GroupClocks } from './group-clocks.ts';
import type { LoggedChange } from './logged-change.ts';
import type { How, LoggedWord, LoggedWrite, Passing } from './logged-word.ts';
import { partsOf, settledParts } from './least-parts.ts';
import { PassedWaits } from './passed-waits.ts';
import { passesBelow } from './passes-below.ts';
import { settledFlag } from './settled-flag.ts';
import type { Shadow } from './shadow.ts';
import { Sums, type Overtaken } from './sums.ts';
import type { SyncWord } from './sync-words.ts';
import { isMadeAfter, Witnesses, type LoggedLoad } from './witnesses.ts';
import { byQueue, givenVersion, isOrdered, isPostedAfter, nothingBeside } from './versions.ts';
import type { Want } from './want.ts';
import { isBefore, WordLog, type Beside, type PassedRead, type Version } from './word-log.ts';

/*
 * One run can represent all runs that the memory model allows. Threads that share memory only by
 * ordered accesses behave the same in every run, and have the same order. The same is true of
 * threads that wait for each other, if no wait can end in two ways that matter. Examples are a flag
 * that one thread raises, and a sum that needs all of its parts. If this is true for all strong
 * accesses of a run without a race, no other run needs to be examined.
 *
 * A wait that runs late finds more than it needed, and later writes order more before the thread.
 * So a wait counts as having read the smallest value that satisfies it, because that order exists
 * in all runs.
 */

/** The writes that the wait needs, as in `PassedRead`. */
type Taken = Pick<PassedRead, 'taken' | 'needed'> & { readonly start?: bigint | undefined };

/** The number of a word's writes that count after a doubt. There may be very many. */
const MOST_DOUBTED = 256;
const none: Taken = Object.freeze({ taken: [], needed: 0n });

export interface DeterminacyOptions {
  /** The contents of a word in the memory of `shadow`, or `undefined` if they are unknown. */
  readonly valueAt: (shadow: Shadow, address: number, bytes: number) => bigint | undefined;
  /** The omissions (`lacks`) that an earlier run of the same program has found. */
  readonly omits?: ReadonlySet<string> | undefined;
}

/** Decides if the watched run represents all runs. */
export class Determinacy {
  readonly #options: DeterminacyOptions;
  /** Loads by group and thread for which the use of the loaded value is known. */
  readonly #unused = new WeakMap<GroupClocks, LoggedLoad[][]>();
  /** True if there are such loads. Until then `uses` need not be called. */
  needsUses = false;
  readonly #logs = new Map<Shadow, Map<number, WordLog>>();
  readonly #waits = new PassedWaits();
  readonly #witnesses = new Witnesses();
  readonly #sums: Sums;
  /** The waits that may also have read a later value than the one that they count as the last. */
  readonly #later = new Set<string>();
  /** Epochs of writes that a wait may have seen. */
  readonly #seen = new Set<EpochId>();
  #logCount = 0;
  #addAgent: () => number = () => 0;
  #doubt: string | undefined;
  readonly #reasons: (() => string | undefined)[] = [];
  #isPatient = false;
  #isRough = false;
  /** True if so many stores to a word raced that a race with a later access may be missing. */
  hasDroppedStores = false;
  #hasNetwork = false;
  readonly #sequential = new Set<number>();
  #hasGivenUp = false;

  constructor(options: DeterminacyOptions) {
    this.#options = options;
    this.#sums = new Sums(options.omits);
  }

  /**
   * True if waits may time out. Runs in which a wait times out while a thread can continue do not
   * count.
   */
  get isPatient(): boolean {
    return this.#isPatient;
  }

  /** True if the network took part. It follows other rules than the order of accesses. */
  get hasNetwork(): boolean {
    return this.#hasNetwork;
  }

  /** Records that the network takes part. */
  seesNetwork(): void {
    this.#hasNetwork = true;
  }

  /**
   * True if several agents have made sequentially consistent fences. The order of two such fences
   * differs between runs, and may order a reported race.
   */
  get hasSequence(): boolean {
    return this.#sequential.size > 1;
  }

  /**
   * Records a sequentially consistent fence of an agent, or that of a sequentially consistent
   * access.
   */
  sequences(agent: number): void {
    this.#sequential.add(agent);
  }

  /** True if waits count as having read less than they need. A race may then not be real. */
  get isRough(): boolean {
    return this.#isRough;
  }

  /**
   * The facts that waits may not have learned: the parts of sums that other parts, with fewer
   * clocks, may have replaced, and that a flag had no later value. They make no difference in a run
   * that omits them through `omits`. Complete after `settle`, and empty if `doubt` has a reason.
   */
  get lacks(): ReadonlySet<string> {
    return this.#doubt === undefined ? new Set([...this.#sums.lacks, ...this.#later]) : new Set();
  }

  /** The changes of words that these parts consist of, whatever `doubt` returns. */
  get overtaken(): readonly Overtaken[] {
    return this.#sums.overtaken;
  }

  /** `addAgent` makes agents without events. */
  begin(addAgent: () => number): void {
    this.#addAgent = addAgent;
  }

  /** The waits that a thread's next event depends on, whether or not they acquire. */
  waitsBefore(group: GroupClocks, thread: number): Clock {
    return this.#waits.before(group, thread);
  }

  /** Adds a reason. `reason` is evaluated after the run has ended. */
  addReason(reason: () => string | undefined): void {
    this.#reasons.push(reason);
  }

  /**
   * Examines every wait again after the run has ended. Afterwards `doubt`, `lacks` and `overtaken`
   * are complete. Words must still have their last contents. A second call changes nothing.
   */
  settle(): void {
    for (const [shadow, logs] of this.#logs) {
      for (const log of logs.values()) this.#settle(log, this.#options.valueAt(shadow, log.address, log.bytes));
    }
    this.#logs.clear();
    for (const reason of this.#reasons) this.#doubt ??= reason();
  }

  /** True if there already is a reason why other runs may differ. */
  get isDoubtful(): boolean {
    return this.#doubt !== undefined;
  }

  /** The first reason why other runs may differ, if there is one. Complete after `settle`. */
  get doubt(): string | undefined {
    if (this.#doubt !== undefined) return this.#doubt;
    if (this.#sums.lacks.size > 0) return 'a wait may be satisfied by different sums';
    return this.#later.size > 0 ? 'a wait may be satisfied by different values' : undefined;
  }

  /** Records an event that might happen otherwise in another run. */
  doubts(why: string): void {
    this.#doubt ??= why;
  }

  /**
   * Handles a strong read. Returns the writes that it reads in every run, or `undefined` for the
   * current ones.
   */
  loads(
    group: GroupClocks,
    thread: number,
    word: LoggedWord,
    { acquires, usedAt }: How,
  ): readonly SyncWord[] | undefined {
    const log = this.#logOf(word);
    // Only the first reason is reported, and then the run counts for nothing else.
    if (this.#doubt !== undefined) return undefined;
    const places = usedAt?.();
    const load: LoggedLoad = {
      who: group.whoBase + thread,
      stamp: group.stamp,
      acquires: acquires === undefined ? undefined : { width: acquires, coordinates: group.coordinates(thread) },
      usedAt: places,
      isUsed: false,
      isOpen: false,
    };
    log.loads.push(load);
    if (places !== undefined) {
      const own = this.#unused.get(group) ?? [];
      this.#unused.set(group, own);
      this.needsUses = true;
      (own[thread] ??= []).push(load);
    }
    const beside = log.besides(group, thread);
    if (beside.length === 0) return undefined;
    this.#opens(load);
    return log.known(beside);
  }

  /** Records that a thread has reached a source location at which values leave it. */
  uses(group: GroupClocks, thread: number, site: number): void {
    if (this.#doubt !== undefined) return;
    const own = this.#unused.get(group);
    const used = own?.[thread]?.filter(({ usedAt }) => usedAt?.has(site) === true) ?? [];
    if (own === undefined || used.length === 0) return;
    own[thread] = own[thread]?.filter((load) => !used.includes(load)) ?? [];
    for (const load of used) {
      load.isUsed = true;
      if (load.isOpen) this.#opens(load);
    }
  }

  /**
   * Records that a load may read any of several writes, which matters if the loaded value is used.
   */
  #opens(load: LoggedLoad): void {
    load.isOpen = true;
    if (load.usedAt === undefined || load.isUsed) this.doubts('a load may read different writes');
  }

  /** Handles a read with which a wait ends or times out. */
  passes(group: GroupClocks, thread: number, word: LoggedWord, acquires: ScopeWidth | undefined, given: Want): Passing {
    const log = this.#logOf(word);
    const beside = log.besides(group, thread);
    // It waits for nothing, and its value makes no difference.
    if (given.isAny === true && !given.isUsedAfter) return { takes: log.known(beside), sees: false };
    const want = log.withLeast(given);
    const isBeside = new Set(beside);
    const base = log.versions.findLast((one) => !isBeside.has(one));
    const { taken, needed, start } =
      want.reached === false
        ? this.#givesUp(want)
        : beside.some(({ request }) => request !== undefined)
          ? this.#known(log, group, thread, beside, want)
          : (partsOf(log, beside, want) ?? this.#least(log, beside, base, want));
    this.#isPatient ||= want.reached !== undefined;
    if (want.reached === true && this.#hasGivenUp && taken.length > 0)
      this.doubts('a wait may give up before it is satisfied');
    const known = taken.some(({ kind }) => kind === 'add') ? group.peek(thread) : undefined;
    const witnesses = this.#witnesses.pass(group, thread, taken, acquires, this.#addAgent);
    const first = { ...this.#waits.pass(group, thread, this.#addAgent), taken, base, known, beside };
    const read = { ...first, later: [], want, witnesses, needed, start };
    const number = log.passed.push(read) - 1;
    // If later values also satisfy it, it may see another write than this one.
    const isLast = want.least === undefined && (start === undefined || beside.length === 0);
    const sees = isLast && !this.#omits(log, number);
    if (beside.length === 0) return { takes: undefined, sees };
    for (const one of taken) {
      one.readers.push(read);
      this.#seen.add(one.epoch);
    }
    const seen = taken.map((one) => this.#sums.seen(log, number, one));
    return { takes: log.known(beside, seen), sees };
  }

  /**
   * Handles a strong write before it happens. Returns the versions that it may precede in other
   * runs.
   */
  writes(group: GroupClocks, thread: number, word: LoggedWord, change: LoggedChange): Beside {
    const log = this.#logOf(word);
    // Only the first reason is reported. Parts of sums may still be overtaken.
    if (this.#doubt !== undefined && (change.kind !== 'add' || log.versions.length > MOST_DOUBTED))
      return nothingBeside;
    const beside = log.beside(group, thread);
    if (this.#doubt === undefined && !log.commutes(change, beside)) this.doubts('two writes may occur in either order');
    return beside;
  }

  /** Records that the write passed to `writes` was made. */
  wrote(group: GroupClocks, thread: number, word: LoggedWord, write: LoggedWrite, beside: Beside): void {
    const log = this.#logOf(word, false);
    const version = log.add({
      request: undefined,
      posted: undefined,
      ...write,
      readers: [],
      epoch: write.whole.id,
      beside,
      value: undefined,
    });
    for (const load of this.#doubt === undefined ? log.loadsBeside(group, thread) : [])
      if (!this.#witnesses.exclude(load, version)) this.#opens(load);
    for (const read of log.passedBeside(group, thread)) read.later.push(version);
  }

  /**
   * True if the thread is ordered after a wait that may have seen the write `word.epoch` or a later
   * one.
   */
  maySee(group: GroupClocks, thread: number, { shadow, address, bytes, epoch }: LoggedWord): boolean {
    // The check runs for each race, and there may be millions.
    if (!this.#seen.has(epoch)) return false;
    const logs = [...(this.#logs.get(shadow)?.values() ?? [])];
    const isSeen = logs.some((log) => log.overlaps(address, bytes) && log.hasSeen(group, thread, epoch));
    if (isSeen) this.doubts('a wait may or may not have seen a write');
    return isSeen;
  }

  /** Records that the words in `[low, high)` have new contents. */
  forget(shadow: Shadow, low: number, high: number): void {
    const logs = this.#logs.get(shadow);
    if (logs === undefined) return;
    for (const [key, log] of logs) {
      if (log.address < low || log.address >= high) continue;
      this.#settle(log, undefined);
      logs.delete(key);
    }
  }

  /** Returns the log of a word, updated with its current contents. */
  #logOf({ shadow, address, bytes, epoch }: LoggedWord, asks = true): WordLog {
    const logs = this.#logs.get(shadow) ?? new Map<number, WordLog>();
    this.#logs.set(shadow, logs);
    // Accesses of different sizes are either ordered or race.
    const key = 32 * address + bytes;
    const log = logs.get(key) ?? new WordLog(this.#logCount++, address, bytes);
    logs.set(key, log);
    if (!asks) return log;
    const value = this.#options.valueAt(shadow, address, bytes);
    const { latest } = log;
    if (latest?.epoch === epoch) latest.value ??= value;
    else log.add(givenVersion(latest === undefined ? 'initial' : 'plain', epoch, value));
    return log;
  }

  /** The least read of a wait that times out. No value satisfies it. */
  #givesUp({ accepts, least }: Want): Taken {
    this.#hasGivenUp = true;
    if (accepts === undefined && least === undefined) this.doubts('a wait has given up');
    return none;
  }

  /**
   * Checks that the requests that precede a wait are complete, because the wait waits for them in
   * every run.
   */
  #known(log: WordLog, group: GroupClocks, thread: number, beside: readonly Version[], { least }: Want): Taken {
    const known = beside.filter(({ request }) => request !== undefined && isBefore(group, thread, request));
    const last = beside.at(-1)?.value;
    if (least === undefined || last === undefined || beside.some(({ request }) => request === undefined)) {
      this.doubts('a wait may be satisfied before requests are complete');
      return none;
    }
    const spared = Number(log.difference(last, least));
    if (spared <= 0) return { taken: known, needed: 0n };
    // Some need not be complete. If fewer requests than `spared` come after a request in every run,
    // that request may be the last one.
    const followers = known.map((one) => known.filter((other) => other !== one && isPostedAfter(other, one)).length);
    const isSure = known.length === beside.length && followers.every((count, i) => count === known.length - 1 - i);
    if (!isSure) this.#isRough = true;
    return { taken: known.filter((_, i) => at(followers, i) >= spared), needed: 0n };
  }

  /** The first versions, in the order of this run, that satisfy a wait. */
  #least(log: WordLog, beside: readonly Version[], base: Version | undefined, want: Want): Taken {
    if (beside.length === 0) return none;
    const { least } = want;
    if (beside.every((one) => isOrdered(one) && log.holds(want, one.value) !== undefined)) {
      if (log.holds(want, base?.value) === true) return none;
      const first = beside.find(({ value }) => log.holds(want, value));
      return first === undefined ? none : { taken: [first], needed: 0n };
    }
    const latest = log.latest?.value;
    const amounts = new Map(beside.map((one) => [one, one.kind === 'apply' ? undefined : log.amountOf(one)]));
    const known = [...amounts.values()].flatMap((amount) => (amount === undefined ? [] : [amount]));
    if (least === undefined || latest === undefined || known.length < beside.length) {
      this.doubts('a wait may be satisfied by different values');
      return none;
    }
    const all = known.reduce((sum, amount) => sum + amount, 0n);
    const needed = log.difference(least, latest - all);
    const taken: Version[] = [];
    let sum = 0n;
    for (const one of byQueue(beside)) {
      const amount = amounts.get(one);
      if (sum >= needed || amount === undefined) break;
      sum += amount;
      taken.push(one);
    }
    return { taken, needed };
  }

  /**
   * Examines all waits for the word again, with all writes known. `value` is its current contents.
   */
  #settle(log: WordLog, value: bigint | undefined): void {
    const { latest } = log;
    if (latest !== undefined) latest.value ??= value;
    for (const [number, read] of log.passed.entries()) {
      const others = [...read.beside, ...read.later];
      const amounts = (): readonly bigint[] => others.flatMap((one) => log.amountOf(one) ?? []);
      const isSum = read.start === undefined && others.some(({ kind }) => kind === 'add');
      if (isSum && passesBelow(read.want, read.base?.value, amounts, log.bytes))
        this.doubts('a wait may be satisfied by different values');
      if (others.every(({ request }) => request !== undefined)) continue;
      if (others.some((one) => one.value === undefined)) {
        this.doubts('a wait may be satisfied by different values');
      } else if (read.want.reached === false) {
        this.#settleGivenUp(log, read, others);
      } else if (others.every(isOrdered)) {
        this.#settleFlag(log, number, read, others);
      } else if (others.every(({ kind }) => kind === 'add')) {
        if (read.start === undefined) this.#settleSum(log, read, others);
        else this.#settleParts(log, read, others, read.start);
      } else {
        this.doubts('a word that is waited for is stored to and added to');
      }
    }
  }

  /** Settles a wait for a flag. */
  #settleFlag(log: WordLog, number: number, read: PassedRead, others: readonly Version[]): void {
    const { doubt, mayReadLater } = settledFlag(log, read, others);
    if (doubt !== undefined) this.doubts(doubt);
    // It counts as having seen that there was no later value.
    if (mayReadLater && read.want.least === undefined && !this.#omits(log, number))
      this.#later.add(laterThan(log, number));
  }

  /** True if an earlier run has found that a wait may read a later value. */
  #omits(log: WordLog, read: number): boolean {
    return this.#options.omits?.has(laterThan(log, read)) === true;
  }

  /**
   * Settles a wait that timed out. No value may satisfy it, even if all other such waits time out.
   */
  #settleGivenUp(log: WordLog, { want }: PassedRead, others: readonly Version[]): void {
    if (!want.isAlone || others.some(({ value }) => log.holds(want, value) !== false))
      this.doubts('a wait that gave up may also be satisfied');
    if (want.isUsedAfter) this.doubts('a wait may read one value or another');
  }

  /** Settles a wait for a sum of any amounts. */
  #settleParts(log: WordLog, read: PassedRead, others: readonly Version[], start: bigint): void {
    const { isSure, isExact } = settledParts(log, read, others, start);
    this.#isRough ||= !isExact;
    if (!isSure) this.doubts('a wait may be satisfied by different sums');
    if (read.want.isUsedAfter && others.some((one) => !read.taken.includes(one)))
      this.doubts('a wait may read one value or another');
  }

  /**
   * Settles a wait for a sum. Each part read must be needed, unless another part has all its
   * clocks.
   */
  #settleSum(log: WordLog, read: PassedRead, others: readonly Version[]): void {
    const { taken, want, witnesses } = read;
    const mayMiss = others.some(
      ({ value = 0n }) => log.difference(value, want.least ?? value) >= 0n && !log.holds(want, value),
    );
    if (want.least === undefined || mayMiss) this.doubts('a wait may be satisfied by different values');
    if (want.isUsedAfter && others.some((one) => !taken.includes(one)))
      this.doubts('a wait may read one value or another');
    const amounts = new Map<Version, bigint>();
    for (const one of others) {
      const amount = log.amountOf(one);
      if (amount !== undefined && amount > 0n) amounts.set(one, amount);
    }
    if (amounts.size < new Set(others).size) {
      this.doubts('the amount that is added to an awaited word is unknown, or negative');
      return;
    }
    const isWritten = log.versions.some(({ kind }, i) => i > 0 && kind !== 'add');
    for (const { part, instead } of this.#sums.settle(log, read, amounts)) {
      // The writer of the word would have to be ordered after everything that is added to it.
      if (isWritten) this.doubts('a wait may be satisfied by different sums');
      const tells = witnesses.flatMap((one) => (one.saw === part ? one.precedingLoads : []));
      for (const load of tells) if (instead.some((one) => !isMadeAfter(one, load))) this.#opens(load);
    }
  }
}

/** A key for a wait, by read number `read` of its word, that may read a later value. */
function laterThan(log: WordLog, read: number): string {
  return [log.number, read, 'later'].join('/');
}
