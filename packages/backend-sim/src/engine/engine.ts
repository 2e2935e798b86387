import type { MacrotaskQueue, NcclError } from '@nccl-ts/core';
import type { Cta } from '../program.ts';
import type { Network } from '../network/network.ts';
import type { Scheduler } from '../schedule/scheduler.ts';
import type { Residents } from '../worker/residents.ts';
import { describeCta } from './describe-cta.ts';
import { Device } from './device.ts';
import type { Elsewhere } from './elsewhere.ts';
import { EventHash } from './event-hash.ts';
import { HostNews } from './host-news.ts';
import type { CtaTask, Launch } from './launch.ts';
import { SliceClock } from './slice-clock.ts';
import type { SpinWatch } from './spin-watch.ts';
import type { Stream } from './stream.ts';

/**
 * What may be done before the host has its turn, in threads that run: some milliseconds' worth of
 * most kernels.
 */
const SLICE_COST = 1 << 16;
/** What a turn costs beside its threads. */
const TURN_COST = 64;
/**
 * Looks at what other threads do, one task of the event loop each, before the next one waits for a
 * timer.
 */
const POLLS = 200;
const POLL_MILLISECONDS = 1;
/** Steps that the network takes at once where only other threads have CTAs that wait. */
const NETWORK_STEPS = 32;
/** A CTA that used up its turn ran for longer than one that soon came to a wait. */
const YIELD_FACTOR = 16;

export interface EngineOptions {
  readonly ranks: number;
  /** CTAs that are resident at once, counted for each rank. */
  readonly residents: Residents;
  /** Turns in a row that a CTA may use up without coming to a wait or its end. */
  readonly turns: number;
  readonly scheduler: Scheduler;
  readonly macrotasks: MacrotaskQueue;
  readonly network: Pick<Network, 'advance' | 'advanceOne' | 'acquireAll'>;
  /** Told whose turn begins, and with `undefined` that it has ended. */
  readonly onTurn?: ((cta: Cta | undefined) => void) | undefined;
  /** True if a launch that may begin before the one before it is over does so. */
  beginsEarly(launch: Launch): boolean;
  /** The error of a launch that threw what it should not have. */
  toFailure(launch: Launch, thrown: unknown): NcclError;
  outOfFuel(task: CtaTask): NcclError;
  /** Called when nothing can run any more. */
  onIdle(): void;
  /** Sees that kernels go round without end, where somebody wants to know. */
  readonly spins?: SpinWatch;
  /**
   * Called where they do: all that is left is `spinning`, or parked. False: the host may still do
   * something.
   */
  readonly onSpin?: () => boolean;
  /** Called between turns where the scheduler wants to go no further. */
  onEnough(): void;
  /** What the machine's state is beside the CTAs': memory, and what the network has under way. */
  describe(): string;
}

/**
 * Runs launches. Streams run their launches in order and each other's at once; CTAs run in rounds,
 * each that can run once a round, in the order the scheduler says; parked ones are looked at again
 * once something has run.
 *
 * It works in slices, each a task of the event loop, so that host programs, timers and signals have
 * their turn.
 */
export class Engine {
  readonly devices: readonly Device[];
  readonly hash: EventHash = new EventHash();
  /** What host programs are told: at the ends of slices. */
  readonly news: HostNews = new HostNews();
  readonly #options: EngineOptions;
  /** The CTAs of this round; those before `#cursor` have had their turn. */
  #round: CtaTask[] = [];
  #cursor = 0;
  /** The CTAs of the next round. */
  #next: CtaTask[] = [];
  #parked: CtaTask[] = [];
  /** True if anything ran or was written since parked CTAs were last looked at. */
  #changed = false;
  #posted = false;
  /** What may still be done in this slice. */
  #left = 0;
  #turns = 0;
  readonly #clock = new SliceClock();
  /** True if the slice has stopped for the sake of the event loop alone. */
  #isPaused = false;
  /** True if all that ran in this round only gave up its turn. */
  #onlyYields = false;
  /** Where other threads run launches: those, once they are known. */
  #elsewhere: Elsewhere | undefined;
  /**
   * The progress of all threads when parked CTAs were last looked at; at the last poll, and how
   * many there were since.
   */
  #lookedAt = 0;
  #polledAt = 0;
  #polls = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.devices = Array.from({ length: options.ranks }, (_, rank) => new Device(rank, options.residents));
  }

  /** Turns that CTAs have had. */
  get turns(): number {
    return this.#turns;
  }

  /** True if something may move by itself. Where nothing does, what is left is stuck. */
  get active(): boolean {
    const elsewhere = this.#elsewhere;
    return this.#posted || (elsewhere !== undefined && elsewhere.count > 0 && !elsewhere.isStill);
  }

  /** Has other threads run launches. */
  spread(elsewhere: Elsewhere): void {
    this.#elsewhere = elsewhere;
  }

  /** True if no kernel has begun that has not ended. */
  get empty(): boolean {
    const isNone = this.#round.length === this.#cursor && this.#next.length === 0 && this.#parked.length === 0;
    return isNone && (this.#elsewhere?.count ?? 0) === 0;
  }

  /** CTAs that wait. With no slice outstanding: for what nothing in this world will do. */
  get parked(): readonly CtaTask[] {
    return this.#parked;
  }

  /** CTAs that can go on, as far as is known. */
  get running(): readonly CtaTask[] {
    return [...this.#round.slice(this.#cursor), ...this.#next];
  }

  enqueue(launch: Launch): void {
    const { stream } = launch;
    if (!stream.enqueue(launch)) launch.end();
    else if (stream.running === undefined) this.#advance(stream);
    else this.beginEarly(stream);
  }

  /** Begins what may begin now though the launches before it on the stream are not over. */
  beginEarly(stream: Stream): void {
    for (;;) {
      const { newest, next } = stream;
      if (newest === undefined || next?.mayBeginEarly !== true) return;
      if (!newest.isReleased || !this.#options.beginsEarly(next)) return;
      stream.overlap();
      if (newest.state !== 'ended') next.after = newest;
      this.#begin(next);
    }
  }

  /** Memory has changed from outside: what waits may be able to go on. */
  poke(): void {
    this.#options.spins?.restart();
    this.#elsewhere?.changed();
    if (this.#parked.length === 0) return;
    this.#changed = true;
    this.#post();
  }

  /** Other threads stand still, or it has become known why. */
  elsewhereIsStill(): void {
    this.#changed = true;
    this.#post();
  }

  /** A launch has run to its end on other threads. */
  endedElsewhere(launch: Launch): void {
    if (launch.state !== 'running') return;
    this.#complete(launch);
    this.#post();
  }

  /** Ends a launch that runs, with all its CTAs, and what is queued behind it. */
  fail(launch: Launch, error: NcclError): void {
    if (launch.state !== 'running' || launch.failing !== undefined) return;
    if (launch.isElsewhere && this.#elsewhere !== undefined) {
      launch.failing = error;
      this.#elsewhere.drop(launch, () => this.#failed(launch, error));
    } else this.#failed(launch, error);
  }

  #failed(launch: Launch, error: NcclError): void {
    const device = this.#device(launch);
    device.last = { kernel: launch.kernel.name, failure: error };
    device.evict(launch);
    launch.end();
    this.#forget(launch);
    this.failStream(launch.stream, error);
    this.#fill(device);
    if (launch.isElsewhere) this.#post();
  }

  /** Ends a launch, or sees to it that it never begins. */
  cancel(launch: Launch, error: NcclError): void {
    launch.cancelled = error;
    this.fail(launch, error);
  }

  /** Lets a stream know of a failure: whatever it holds never runs. */
  failStream(stream: Stream, error: NcclError): void {
    const running = [stream.running, ...stream.early].find((launch) => launch?.state === 'running');
    if (running !== undefined) {
      this.fail(running, error);
      return;
    }
    stream.early.length = 0;
    for (const dropped of stream.fail(error)) dropped.end();
  }

  #device(launch: Launch): Device {
    const device = this.devices[launch.rank];
    if (device === undefined) throw new RangeError(`no device for rank ${launch.rank}`);
    return device;
  }

  /** Begins what comes next on the stream. */
  #advance(stream: Stream): void {
    const launch = stream.advance();
    if (launch === undefined) return;
    this.#begin(launch);
    this.beginEarly(stream);
  }

  #begin(launch: Launch): void {
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
        this.#next.push(device.start(launch));
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
    // Stays set meanwhile: what becomes able to run in a slice needs no other one.
    if (!this.#isPaused) this.#left = SLICE_COST;
    this.#isPaused = false;
    this.news.keep();
    try {
      this.#isPaused = this.#turnsOfSlice();
    } finally {
      this.news.pass();
    }
    if (!this.#isPaused) this.news.release();
  };

  /**
   * Runs what belongs to one slice. Answers whether the time was over before: signals, timers and
   * `close` have their turn then, and the slice goes on afterwards. How much belongs to a slice
   * does not depend on the time, and host programs are told at its end what has ended in it: so the
   * same calls give the same run however fast the machine is.
   */
  #turnsOfSlice(): boolean {
    this.#clock.begin();
    while (this.#left > 0) {
      const task = this.#pick();
      if (task === undefined) {
        if (this.#mayMove) {
          this.#poll();
          return false;
        }
        this.#posted = false;
        this.#options.onIdle();
        return false;
      }
      this.#turn(task);
      if (this.#clock.isOver() && this.#left > 0) {
        this.#options.macrotasks.post(this.#slice);
        return true;
      }
    }
    this.#options.macrotasks.post(this.#slice);
    return false;
  }

  /** True if what waits here may be able to go on once other threads have moved. */
  get #mayMove(): boolean {
    const elsewhere = this.#elsewhere;
    if (elsewhere === undefined || elsewhere.count === 0) return false;
    if (this.#parked.length === 0 && !this.devices.some((device) => device.isWaited)) return false;
    return !elsewhere.isStill || elsewhere.progress !== this.#lookedAt;
  }

  /** Looks again, in a moment. */
  #poll(): void {
    const progress = this.#elsewhere?.progress ?? 0;
    this.#polls = progress === this.#polledAt ? this.#polls + 1 : 0;
    this.#polledAt = progress;
    this.#changed = true;
    for (const device of this.devices) if (device.isWaited) this.#fill(device);
    if (this.#polls < POLLS) this.#options.macrotasks.post(this.#slice);
    else this.#options.macrotasks.postLater(this.#slice, POLL_MILLISECONDS);
  }

  /** Something here may have changed memory. */
  #moved(): void {
    this.#changed = true;
    this.#elsewhere?.changed();
  }

  /** Where all that is left waits on other threads, it is the network's turn. */
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
      // Where all wait, or all spin, it is the network's turn.
      while (this.#next.length === 0 && this.#parked.length > 0 && this.#options.network.advanceOne()) {
        this.#moved();
        this.#wake();
        if (this.#next.length > 0) this.#options.network.advance({ goesOn: true });
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
    if (this.#goesRound()) return undefined;
    if (this.#options.scheduler.wasHere(() => this.#describe())) {
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

  /** True if all that is left goes round without end, which has been told now. */
  #goesRound(): boolean {
    const { spins, network, onSpin } = this.#options;
    if (spins === undefined || onSpin === undefined || (this.#elsewhere?.count ?? 0) > 0) return false;
    if (!spins.endsLap(this.#round.length - this.#cursor + this.#next.length, () => this.running)) return false;
    if (!spins.comesAgain([...this.running, ...this.#parked])) return false;
    if (!network.advanceOne()) return onSpin();
    spins.restart();
    this.#moved();
    return false;
  }

  #describe(): string {
    const lists = [this.#round.slice(this.#cursor), this.#next, this.#parked];
    const ctas = lists.map((tasks) => tasks.map(describeCta).toSorted().join());
    return [...ctas, String(this.#onlyYields), this.#options.describe()].join(';');
  }

  /** Moves the parked CTAs that can go on into the next round. */
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

  #turn(task: CtaTask): void {
    const launch = task.owner;
    const cost = TURN_COST + launch.blockThreads;
    this.#left -= cost;
    const changed = this.#changed;
    this.#changed = true;
    this.#turns++;
    this.#options.spins?.had(task);
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
        // It ends by itself, and others go first.
        task.yields = 1;
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

  #complete(launch: Launch): void {
    this.#device(launch).last = { kernel: launch.kernel.name };
    launch.end();
    const { stream } = launch;
    // What has begun early and is over first has ended for its stream once those before it have.
    if (stream.running !== launch || stream.completeHead()) this.beginEarly(stream);
    else this.#advance(stream);
  }

  #forget(launch: Launch): void {
    const keep = (task: CtaTask): boolean => task.owner !== launch;
    this.#round = this.#round.slice(this.#cursor).filter(keep);
    this.#cursor = 0;
    this.#next = this.#next.filter(keep);
    this.#parked = this.#parked.filter(keep);
  }
}
