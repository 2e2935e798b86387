import type { NcclError } from '@nccl-ts/core';
import { describeCta } from './describe-cta.ts';
import { Device } from './device.ts';
import type { Elsewhere } from './elsewhere.ts';
import type { EngineOptions } from './engine-options.ts';
import { EventHash } from './event-hash.ts';
import { HostNews, type Choose } from './host-news.ts';
import type { CtaTask, SimLaunch } from './launch.ts';
import { SliceClock } from './slice-clock.ts';
import type { SimStream } from './stream.ts';

/** The largest cost of a slice in running threads, which for most kernels is some milliseconds. */
const SLICE_COST = 1 << 16;
/** The cost of a CTA's slice in addition to its threads. */
const TURN_COST = 64;
/**
 * The number of polls of other host threads, one in each task, before the next one waits for a
 * timer.
 */
const POLLS = 200;
const POLL_MILLISECONDS = 1;
/** The number of network steps at a time while only other host threads have waiting CTAs. */
const NETWORK_STEPS = 32;
/** A CTA that used up its slice ran longer than one that soon reached a wait. */
const YIELD_FACTOR = 16;

/**
 * Runs launches. A stream runs its launches in order, and streams run concurrently. CTAs run in
 * rounds: each runnable CTA runs once, in the scheduler's order. Parked CTAs are checked again
 * after something has run.
 *
 * The engine works in slices. Each is a task of the event loop, so that host programs, timers and
 * signals can run.
 */
export class Engine {
  readonly devices: readonly Device[];
  readonly hash: EventHash = new EventHash();
  /** Messages for host programs, which are delivered at the ends of slices. */
  readonly news: HostNews;
  readonly #choose: Choose | undefined;
  readonly #options: EngineOptions;
  /** The CTAs of the current round. Those before `#cursor` have run. */
  #round: CtaTask[] = [];
  #cursor = 0;
  /** The CTAs of the next round. */
  #next: CtaTask[] = [];
  #parked: CtaTask[] = [];
  /** True if anything ran or was written since the last check of parked CTAs. */
  #changed = false;
  #posted = false;
  /** The remaining cost of this slice. */
  #left = 0;
  #turns = 0;
  readonly #clock = new SliceClock();
  /** True if the slice has only paused for the event loop. */
  #isPaused = false;
  /** The CTA whose turn has paused for the event loop. */
  #pausedTask: CtaTask | undefined;
  /** True if every CTA that ran in this round only yielded. */
  #onlyYields = false;
  /** The other host threads that run launches, once they are known. */
  #elsewhere: Elsewhere | undefined;
  /**
   * The progress of all threads at the last check of parked CTAs and at the last poll, and the
   * number of polls since.
   */
  #lookedAt = 0;
  #polledAt = 0;
  #polls = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#choose = options.choosesOrders ? (count) => options.scheduler.choose(count) : undefined;
    this.news = new HostNews(this.#choose);
    this.isLate = options.isLate ?? (() => this.#clock.isLate);
    this.devices = Array.from({ length: options.ranks }, (_, rank) => new Device(rank, options.residents));
  }

  /** Returns the number of turns that CTAs have had. */
  get turns(): number {
    return this.#turns;
  }

  /** True if something may run without the host. Otherwise the remaining work is stuck. */
  get active(): boolean {
    const elsewhere = this.#elsewhere;
    return this.#posted || (elsewhere !== undefined && elsewhere.count > 0 && !elsewhere.isStill);
  }

  /** True if the current turn must pause for the event loop. */
  readonly isLate: () => boolean;

  /** Lets other host threads run launches. */
  spread(elsewhere: Elsewhere): void {
    this.#elsewhere = elsewhere;
  }

  /** True if every kernel that began has ended. */
  get empty(): boolean {
    const isNone =
      this.#pausedTask === undefined &&
      this.#round.length === this.#cursor &&
      this.#next.length === 0 &&
      this.#parked.length === 0;
    return isNone && (this.#elsewhere?.count ?? 0) === 0;
  }

  /** Returns the waiting CTAs. If no slice is pending, nothing in this world will resume them. */
  get parked(): readonly CtaTask[] {
    return this.#parked;
  }

  /** Returns the CTAs that can continue, as far as the engine knows. */
  get running(): readonly CtaTask[] {
    const paused = this.#pausedTask === undefined ? [] : [this.#pausedTask];
    return [...paused, ...this.#round.slice(this.#cursor), ...this.#next];
  }

  enqueue(launch: SimLaunch): void {
    const { stream } = launch;
    if (!stream.enqueue(launch)) launch.end();
    else if (stream.running === undefined) this.#advance(stream);
    else this.beginEarly(stream);
  }

  /** Starts launches that may begin before the previous ones on the stream have ended. */
  beginEarly(stream: SimStream): void {
    for (;;) {
      const { newest, next } = stream;
      if (newest === undefined || next?.mayBeginEarly !== true) return;
      if (!newest.isReleased || !this.#options.beginsEarly(next)) return;
      stream.overlap();
      if (newest.state !== 'ended') next.after = newest;
      this.#begin(next);
    }
  }

  /** Called when memory has changed from outside, so that waits may pass. */
  poke(): void {
    this.#options.spins?.restart();
    this.#elsewhere?.changed();
    if (this.#parked.length === 0) return;
    this.#changed = true;
    this.#post();
  }

  /** Called when other host threads are idle, or the reason is already known. */
  elsewhereIsStill(): void {
    this.#changed = true;
    this.#post();
  }

  /** Called when a launch has ended on other host threads. */
  endedElsewhere(launch: SimLaunch): void {
    if (launch.state !== 'running') return;
    this.#complete(launch);
    this.#post();
  }

  /** Fails a running launch with all its CTAs, and the queue after it. */
  fail(launch: SimLaunch, error: NcclError): void {
    if (launch.state !== 'running' || launch.failing !== undefined) return;
    if (launch.isElsewhere && this.#elsewhere !== undefined) {
      launch.failing = error;
      this.#elsewhere.drop(launch, () => this.#failed(launch, error));
    } else this.#failed(launch, error);
  }

  #failed(launch: SimLaunch, error: NcclError): void {
    const device = this.#device(launch);
    device.last = { kernel: launch.kernel.name, failure: error };
    device.evict(launch);
    launch.end();
    this.#forget(launch);
    this.failStream(launch.stream, error);
    this.#fill(device);
    if (launch.isElsewhere) this.#post();
  }

  /** Ends a launch, or makes sure that it never begins. */
  cancel(launch: SimLaunch, error: NcclError): void {
    launch.cancelled = error;
    this.fail(launch, error);
  }

  /** Reports a failure to a stream, whose queued launches then never run. */
  failStream(stream: SimStream, error: NcclError): void {
    const running = [stream.running, ...stream.early].find((launch) => launch?.state === 'running');
    if (running !== undefined) {
      this.fail(running, error);
      return;
    }
    stream.early.length = 0;
    for (const dropped of stream.fail(error)) dropped.end();
  }

  #device(launch: SimLaunch): Device {
    const device = this.devices[launch.rank];
    if (device === undefined) throw new RangeError(`there is no device for rank ${launch.rank}`);
    return device;
  }

  /** Starts the next launch on the stream. */
  #advance(stream: SimStream): void {
    const launch = stream.advance();
    if (launch === undefined) return;
    this.#begin(launch);
    this.beginEarly(stream);
  }

  #begin(launch: SimLaunch): void {
    if (this.empty) this.#options.scheduler.newExecution();
    launch.state = 'running';
    this.#options.network.acquireAll(launch.rank);
    const device = this.#device(launch);
    if (launch.cancelled !== undefined) {
      this.fail(launch, launch.cancelled);
      return;
    }
    if (this.#elsewhere?.takes(launch) === true) {
      launch.isElsewhere = true;
      this.#elsewhere.begin(launch);
      if (this.#parked.length > 0) this.elsewhereIsStill();
      return;
    }
    device.begin(launch);
    this.#fill(device);
  }

  /** Starts as many CTAs as the device has room for. */
  #fill(device: Device): void {
    for (let launch = device.take(); launch !== undefined; launch = device.take()) {
      try {
        this.#next.push(device.start(launch, this.#choose));
        this.#options.spins?.restart();
      } catch (thrown) {
        device.give();
        this.fail(launch, this.#options.toFailure(launch, thrown));
      }
    }
    if (this.#next.length > 0) this.#post();
  }

  #post(): void {
    if (this.#posted) return;
    this.#posted = true;
    this.#options.macrotasks.post(this.#slice);
  }

  readonly #slice = (): void => {
    // Stays set meanwhile, because what becomes runnable in a slice needs no other slice.
    if (!this.#isPaused) this.#left = SLICE_COST;
    this.#isPaused = false;
    this.news.keep();
    try {
      this.#isPaused = this.#turnsOfSlice();
    } finally {
      this.news.pass();
    }
    if (!this.#isPaused && this.news.release()) this.#post();
  };

  /**
   * Runs the work of one slice. Returns true if the time expired first. Then signals, timers and
   * `close` run, and the slice continues afterwards. The work of a slice does not depend on the
   * time, and host programs learn of its results only at its end. So the same calls give the same
   * run on any machine.
   */
  #turnsOfSlice(): boolean {
    this.#clock.begin();
    while (this.#left > 0) {
      const paused = this.#pausedTask;
      const task = paused ?? this.#pick();
      if (task === undefined) {
        if (this.#mayMove) {
          this.#poll();
          return false;
        }
        this.#posted = false;
        this.#options.onIdle();
        return false;
      }
      this.#pausedTask = undefined;
      this.#turn(task, paused !== undefined);
      if (this.#pausedTask !== undefined || (this.#clock.isOver() && this.#left > 0)) {
        this.#options.macrotasks.post(this.#slice);
        return true;
      }
    }
    this.#options.macrotasks.post(this.#slice);
    return false;
  }

  /** True if waits here may pass after other host threads have run. */
  get #mayMove(): boolean {
    const elsewhere = this.#elsewhere;
    if (elsewhere === undefined || elsewhere.count === 0) return false;
    if (this.#parked.length === 0 && !this.devices.some((device) => device.isWaited)) return false;
    return !elsewhere.isStill || elsewhere.progress !== this.#lookedAt;
  }

  /** Checks again after a moment. */
  #poll(): void {
    const progress = this.#elsewhere?.progress ?? 0;
    this.#polls = progress === this.#polledAt ? this.#polls + 1 : 0;
    this.#polledAt = progress;
    this.#changed = true;
    for (const device of this.devices) if (device.isWaited) this.#fill(device);
    if (this.#polls < POLLS) this.#options.macrotasks.post(this.#slice);
    else this.#options.macrotasks.postLater(this.#slice, POLL_MILLISECONDS);
  }

  /** Called when something here may have changed memory. */
  #moved(): void {
    this.#changed = true;
    this.#elsewhere?.changed();
  }

  /** Lets the network advance if all remaining waits are on other host threads. */
  #moveNetwork(): void {
    const elsewhere = this.#elsewhere;
    if (elsewhere === undefined || this.#next.length + this.#parked.length > 0) return;
    if (elsewhere.count === 0 || !elsewhere.isStill) return;
    for (let i = 0; i < NETWORK_STEPS && this.#options.network.advanceOne(); i++) this.#moved();
  }

  #pick(): CtaTask | undefined {
    if (this.#options.scheduler.unfair === true && this.#cursor < this.#round.length) {
      this.#wake();
      this.#round.push(...this.#next.splice(0));
    }
    if (this.#cursor === this.#round.length) {
      this.#wake();
      // If all CTAs wait or spin, the network gets its turn.
      while (this.#next.length === 0 && this.#parked.length > 0 && this.#options.network.advanceOne()) {
        this.#moved();
        this.#wake();
        if (this.#next.length > 0) this.#options.network.advance({ continuesStep: true });
      }
      if (this.#onlyYields && this.#next.length > 0 && this.#options.network.advanceOne()) this.#moved();
      this.#moveNetwork();
      this.#onlyYields = true;
      const spent = this.#round;
      spent.length = 0;
      this.#round = this.#next;
      this.#cursor = 0;
      this.#next = spent;
    }
    const round = this.#round;
    const cursor = this.#cursor;
    const first = round[cursor];
    if (first === undefined) return undefined;
    if (this.#isSpinning(first)) return undefined;
    if (this.#options.scheduler.wasHere(this.#describe)) {
      this.#options.onEnough();
      return undefined;
    }
    const choice = this.#options.scheduler.nextTask(round, cursor);
    const chosen = round[choice] ?? first;
    round[choice] = first;
    round[cursor] = chosen;
    this.#cursor = cursor + 1;
    return chosen;
  }

  /**
   * True if all remaining threads spin forever, which this call reports. `next` is one of those
   * that can run.
   */
  #isSpinning(next: CtaTask): boolean {
    const { spins, network, onSpin } = this.#options;
    // Almost always `next` has not run in this lap, and nothing else needs to be looked at.
    if (spins === undefined || !spins.hasHad(next)) return false;
    if (onSpin === undefined || (this.#elsewhere?.count ?? 0) > 0) return false;
    const { running } = this;
    if (!spins.endsLap(running) || !spins.comesAgain([...running, ...this.#parked])) return false;
    if (!network.advanceOne()) return onSpin();
    spins.restart();
    this.#moved();
    return false;
  }

  readonly #describe = (): string => {
    const lists = [this.#round.slice(this.#cursor), this.#next, this.#parked];
    const ctas = lists.map((tasks) => tasks.map(describeCta).toSorted().join());
    return [...ctas, String(this.#onlyYields), this.#options.describe()].join(';');
  };

  /** Moves the parked CTAs that can continue to the next round. */
  #wake(): void {
    if (!this.#changed) return;
    this.#changed = false;
    this.#lookedAt = this.#elsewhere?.progress ?? 0;
    const parked = this.#parked;
    if (parked.length === 0) return;
    this.#left -= parked.length;
    this.#parked = [];
    const faulty: { readonly task: CtaTask; readonly thrown: unknown }[] = [];
    for (const task of parked) {
      try {
        (task.owner.program.canResume(task.state) ? this.#next : this.#parked).push(task);
      } catch (thrown) {
        faulty.push({ task, thrown });
      }
    }
    for (const { task, thrown } of faulty) this.#fault(task, thrown);
  }

  /** `continuesStep` is true if the turn had paused. */
  #turn(task: CtaTask, goesOn: boolean): void {
    const launch = task.owner;
    const cost = TURN_COST + launch.blockThreads;
    const changed = this.#changed;
    this.#changed = true;
    if (!goesOn) {
      this.#left -= cost;
      this.#turns++;
      this.#options.spins?.had(task);
    }
    this.#options.onTurn?.(task.state);
    let status;
    try {
      status = launch.program.resume(task.state);
    } catch (thrown) {
      this.#fault(task, thrown);
      return;
    } finally {
      this.#options.onTurn?.(undefined);
    }
    if (status === 'paused') {
      this.#pausedTask = task;
      return;
    }
    if (status === 'parked') task.state.trace?.parked();
    if (status === 'done') task.state.trace?.done();
    if (status === 'done') task.state.watch?.done();
    this.hash.add(task.launch, task.cta, status);
    if (status !== 'yielded' && status !== 'lags' && status !== 'stays') this.#onlyYields = false;
    const moved = this.#options.network.advance();
    if (status === 'stays' && !moved) this.#changed = changed;
    this.#elsewhere?.changed();
    switch (status) {
      case 'done':
        this.#retire(task);
        return;
      case 'parked':
        task.yields = 0;
        this.#parked.push(task);
        return;
      case 'lags':
      case 'stays':
        // It ends without help, so the others go first. If it has polled before, it stays behind
        // those that have polled less. Otherwise a thread that is held after each poll would run
        // forever.
        task.yields = Math.max(task.yields, 1);
        this.#next.push(task);
        return;
      case 'yielded':
        this.#left -= cost * (YIELD_FACTOR - 1);
        if (++task.yields > this.#options.turns) this.fail(launch, this.#options.outOfFuel(task));
        else this.#next.push(task);
        return;
    }
  }

  #fault(task: CtaTask, thrown: unknown): void {
    this.hash.add(task.launch, task.cta, 'fault');
    this.fail(task.owner, this.#options.toFailure(task.owner, thrown));
  }

  #retire(task: CtaTask): void {
    const launch = task.owner;
    const device = this.#device(launch);
    device.retire(task);
    this.#options.spins?.restart();
    this.#elsewhere?.changed();
    if (launch.resident === 0 && launch.started === launch.ctas) this.#complete(launch);
    else this.beginEarly(launch.stream);
    this.#fill(device);
  }

  #complete(launch: SimLaunch): void {
    this.#device(launch).last = { kernel: launch.kernel.name };
    launch.end();
    const { stream } = launch;
    // If a kernel began early and finished first, its stream counts it as ended only once those
    // before it have ended.
    if (stream.running !== launch || stream.completeHead()) this.beginEarly(stream);
    else this.#advance(stream);
  }

  #forget(launch: SimLaunch): void {
    const keep = (task: CtaTask): boolean => task.owner !== launch;
    if (this.#pausedTask?.owner === launch) this.#pausedTask = undefined;
    this.#round = this.#round.slice(this.#cursor).filter(keep);
    this.#cursor = 0;
    this.#next = this.#next.filter(keep);
    this.#parked = this.#parked.filter(keep);
  }
}
