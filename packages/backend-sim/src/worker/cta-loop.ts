import type { Cta, CtaStatus } from '@nccl-ts/codegen';
import type { Control } from './control.ts';
import type { FromWorker, ParkedReport, WorkerFailure } from './messages.ts';
import { machineTime } from '../engine/machine-time.ts';
import type { Residents } from '../engine/residents.ts';
import { ThrownFault } from './worker-host.ts';
import type { WorkerLaunch } from './worker-launch.ts';

/**
 * The time for which a thread polls waiting CTAs without success before it sleeps. It is longer
 * than waking up takes.
 */
const SPIN_MILLISECONDS = 0.05;
/** The time in a turn after which the thread checks for messages. */
const PAUSE_MILLISECONDS = 40;
/** The longest time that a thread sleeps. */
const SLEEP_MILLISECONDS = 1;

/** A CTA that this thread has started. It never moves to another thread. */
interface StartedCta {
  readonly launch: WorkerLaunch;
  readonly index: number;
  readonly cta: Cta;
  yields: number;
}

export interface CtaLoopOptions {
  readonly thread: number;
  readonly threads: number;
  readonly turns: number;
  readonly control: Control;
  readonly residents: Residents;
  post(message: FromWorker): void;
  /**
   * Handles a message that has arrived. Returns false if there is none, or if only the event loop
   * can deliver it.
   */
  fetch(): boolean;
  /** Lets the event loop deliver messages, and then calls `run`. */
  pause(): void;
}

/**
 * Runs the CTAs of one thread. It takes some CTAs of every launch, and switches between them when
 * they wait.
 */
export class CtaLoop {
  readonly #options: CtaLoopOptions;
  /** The launches of which this thread has not seen all CTAs start, oldest first. */
  #open: WorkerLaunch[] = [];
  #ready: StartedCta[] = [];
  #parked: StartedCta[] = [];
  /** The number of messages that were handled. */
  #mail = 0;
  #busy = true;
  #turnBegan = 0;
  /** The progress and mail of the last report to the world that nothing can continue. */
  #lastIdleReport = '';

  constructor(options: CtaLoopOptions) {
    this.#options = options;
  }

  /** True if a turn has run so long that a message may be waiting, or its launch may have ended. */
  readonly isLate = (): boolean => machineTime() - this.#turnBegan >= PAUSE_MILLISECONDS;

  /** Called when a message has arrived. `deal` handles it. */
  receive(deal: () => void): void {
    this.#begin();
    deal();
    this.#options.control.read(this.#options.thread, ++this.#mail);
  }

  add(launch: WorkerLaunch): void {
    this.#open.push(launch);
  }

  /** Removes a launch whose CTAs no longer run. */
  drop(id: number): void {
    this.#open = this.#open.filter((launch) => launch.id !== id);
    this.#discard((task) => task.launch.id === id);
  }

  /** Returns the reasons why CTAs wait. */
  explain(): readonly ParkedReport[] {
    return this.#parked.map(({ launch, index, cta }) => {
      const report = { launch: launch.id, cta: index };
      try {
        return { ...report, waiting: launch.program.waiting(cta), failure: undefined };
      } catch (thrown) {
        return { ...report, waiting: [], failure: failureOf(thrown) };
      }
    });
  }

  /** Runs until there is no work, or a message to read. */
  run(): void {
    const { control, thread } = this.#options;
    let seen = control.progress;
    let since = machineTime();
    for (;;) {
      if (control.mail !== this.#mail) {
        if (this.#options.fetch()) continue;
        this.#options.pause();
        return;
      }
      const before = control.progress;
      if (this.#round()) {
        since = machineTime();
        continue;
      }
      if (this.#open.length === 0 && this.#parked.length === 0) {
        control.empty(thread);
        this.#busy = false;
        this.#reportIdle();
        return;
      }
      if (before !== seen) since = machineTime();
      seen = before;
      if (machineTime() - since < SPIN_MILLISECONDS) continue;
      // The other threads have not taken their shares.
      if (this.#start(true)) continue;
      if (control.progress !== before) continue;
      control.parked(thread, before);
      this.#busy = false;
      this.#reportIdle();
      control.sleep(before, SLEEP_MILLISECONDS);
    }
  }

  /** Runs every CTA that can continue. Returns true if one did. */
  #round(): boolean {
    const tasks = this.#ready;
    this.#ready = [];
    for (const task of tasks) this.#turn(task);
    const woken = this.#wake();
    return this.#start(false) || woken || tasks.length > 0;
  }

  #begin(): void {
    if (this.#busy) return;
    this.#busy = true;
    this.#options.control.busy(this.#options.thread);
  }

  #turn(task: StartedCta): void {
    const { launch } = task;
    if (launch.words.isDead) {
      this.#retire(task);
      return;
    }
    this.#begin();
    this.#turnBegan = machineTime();
    let status: CtaStatus;
    try {
      status = launch.program.resume(task.cta);
    } catch (thrown) {
      this.#fail(task, failureOf(thrown));
      return;
    }
    switch (status) {
      case 'done':
        this.#retire(task);
        if (launch.words.end() === 0) this.#options.post({ kind: 'ended', launch: launch.id });
        return;
      case 'parked':
        task.yields = 0;
        this.#parked.push(task);
        break;
      case 'paused':
        this.#ready.push(task);
        break;
      case 'lags':
      case 'stays':
      case 'yielded':
        if (++task.yields > this.#options.turns) {
          this.#fail(task, { kind: 'spent', cta: task.cta.identity });
          return;
        }
        this.#ready.push(task);
        break;
    }
    this.#options.control.advance();
  }

  /** Moves the CTAs that can continue to the ready list. */
  #wake(): boolean {
    if (this.#parked.length === 0) return false;
    const parked = this.#parked;
    this.#parked = [];
    for (const task of parked) {
      const { launch } = task;
      try {
        const canRun = launch.words.isDead || launch.program.canResume(task.cta);
        (canRun ? this.#ready : this.#parked).push(task);
      } catch (thrown) {
        this.#fail(task, failureOf(thrown));
      }
    }
    return this.#ready.length > 0;
  }

  /**
   * Starts a CTA, if there is room for one. Without `more`, a thread takes at most its share at a
   * time, because a waiting CTA may have much to do later.
   */
  #start(more: boolean): boolean {
    if (this.#open.length === 0) return false;
    this.#open = this.#open.filter((launch) => !launch.words.isDead && launch.words.next < launch.ctas);
    if (!more && !this.#hasShare()) return false;
    const { residents } = this.#options;
    const seen = new Set<number>();
    for (const launch of this.#open) {
      const { rank } = launch;
      // If a device has two launches, the older one starts first.
      if (seen.has(rank)) continue;
      seen.add(rank);
      if (!residents.take(rank)) continue;
      const index = launch.words.take();
      if (index >= launch.ctas) {
        residents.give(rank);
        continue;
      }
      this.#begin();
      this.#startAt(launch, index);
      return true;
    }
    return false;
  }

  #hasShare(): boolean {
    const mine = this.#ready.length + this.#parked.length;
    if (mine === 0) return true;
    const others = new Set([...this.#ready, ...this.#parked].map(({ launch }) => launch));
    for (const launch of this.#open) others.add(launch);
    let total = 0;
    for (const { words } of others) total += words.left;
    return mine < Math.ceil(total / this.#options.threads);
  }

  #startAt(launch: WorkerLaunch, index: number): void {
    try {
      this.#ready.push({ launch, index, cta: launch.program.start(launch.identity(index)), yields: 0 });
    } catch (thrown) {
      this.#options.residents.give(launch.rank);
      this.#failLaunch(launch, failureOf(thrown));
    }
  }

  #fail(task: StartedCta, failure: WorkerFailure): void {
    this.#options.residents.give(task.launch.rank);
    this.#failLaunch(task.launch, failure);
  }

  #failLaunch(launch: WorkerLaunch, failure: WorkerFailure): void {
    const isFirst = !launch.words.isDead;
    launch.words.kill();
    if (isFirst) this.#options.post({ kind: 'failed', launch: launch.id, failure });
    this.#options.control.advance();
  }

  #discard(isDropped: (task: StartedCta) => boolean): void {
    const tasks = [...this.#ready, ...this.#parked].filter(isDropped);
    this.#ready = this.#ready.filter((task) => !isDropped(task));
    this.#parked = this.#parked.filter((task) => !isDropped(task));
    for (const task of tasks) this.#retire(task);
  }

  /** Called when a CTA has left the device. */
  #retire({ launch }: StartedCta): void {
    this.#options.residents.give(launch.rank);
    this.#options.control.advance();
  }

  #reportIdle(): void {
    const { control } = this.#options;
    if (!control.isStill) return;
    const report = `${control.progress} ${this.#mail}`;
    if (report === this.#lastIdleReport) return;
    this.#lastIdleReport = report;
    this.#options.post({ kind: 'idle' });
  }
}

function failureOf(thrown: unknown): WorkerFailure {
  if (thrown instanceof ThrownFault) return { kind: 'fault', cta: thrown.cta, fault: thrown.fault };
  return { kind: 'broke', message: thrown instanceof Error ? thrown.message : String(thrown) };
}
