import { NcclError } from '@nccl-ts/core';
import type { CollectiveLaunch, RankGroup } from '@nccl-ts/transport';
import type { GroupWork, RepeatedWork } from './group-work.ts';
import type { NativeJobs } from './native-jobs.ts';
import { planCollective } from './plan-collective.ts';

/**
 * The joint work of the launches on all ranks of a group. It runs once the last of them has begun.
 */
export class JointWork {
  readonly #group: RankGroup;
  readonly #jobs: () => NativeJobs;
  /** The work of the ranks that have arrived. */
  readonly #steps = new Map<number, readonly RepeatedWork[]>();
  #failure: NcclError | undefined;
  #isDone = false;

  constructor(group: RankGroup, jobs: () => NativeJobs) {
    this.#group = group;
    this.#jobs = jobs;
  }

  /** True if the waiting ranks can continue. */
  get isOver(): boolean {
    return this.#isDone || this.#failure !== undefined;
  }

  /** Returns the ranks of the world that have not arrived. */
  get missing(): readonly number[] {
    return this.#group.members.filter((rank) => !this.#steps.has(rank));
  }

  /** Called when a rank's launch has begun. The last one does the work. */
  arrive(rank: number, steps: readonly RepeatedWork[]): void {
    const [[before, earlier] = [rank, steps]] = this.#steps;
    this.#steps.set(rank, steps);
    const [own, others] = [saysOf(steps), saysOf(earlier)];
    if (own !== others) {
      this.#failure ??= new NcclError(
        'NCCL_INVALID_USAGE',
        `All ranks must request the same collective: rank ${before} requested ${others}, rank ${rank} requested ${own}.`,
      );
    }
    if (this.#failure === undefined && this.#steps.size === this.#group.members.length) {
      this.#run();
      this.#isDone = true;
    }
  }

  /** @throws the ranks' errors */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * The runs of ranks may end at different times, because a rank may have other addresses for the
   * same work.
   */
  #run(): void {
    const lists = this.#group.members.map((rank) => new Runs(this.#steps.get(rank) ?? []));
    for (;;) {
      const parts = lists.flatMap(({ head }) => head ?? []);
      const times = Math.min(...lists.map(({ left }) => left));
      if (parts.length < lists.length || times === 0) return;
      runOn(this.#jobs(), parts, times);
      for (const list of lists) list.take(times);
    }
  }
}

/** Iterates over a rank's steps. */
class Runs {
  readonly #steps: readonly RepeatedWork[];
  #at = 0;
  left: number;

  constructor(steps: readonly RepeatedWork[]) {
    this.#steps = steps;
    this.left = steps[0]?.times ?? 0;
  }

  get head(): GroupWork | undefined {
    return this.#steps[this.#at]?.work;
  }

  take(times: number): void {
    this.left -= times;
    if (this.left > 0) return;
    this.#at++;
    this.left = this.#steps[this.#at]?.times ?? 0;
  }
}

function saysOf(steps: readonly RepeatedWork[]): string {
  const counts: { what: string; times: number }[] = [];
  for (const { work, times } of steps) {
    const last = counts.at(-1);
    if (last?.what === work.what) last.times += times;
    else counts.push({ what: work.what, times });
  }
  return counts.map(({ what, times }) => (times === 1 ? what : `${what}, ${times} times`)).join('; ');
}

function runOn(jobs: NativeJobs, parts: readonly GroupWork[], times: number): void {
  const [first] = parts;
  if (first === undefined) return;
  const send = parts.map((part) => part.send);
  const recv = parts.map((part) => part.recv);
  jobs.run(`${first.what}: ${send.join()} to ${recv.join()}`, times, () =>
    planCollective({ ...first.work, send, recv }),
  );
}

/** A rank's part of a joint work. */
export class JointLaunch implements CollectiveLaunch {
  readonly #joint: JointWork;
  readonly #rank: number;
  readonly #steps: readonly RepeatedWork[];

  constructor(joint: JointWork, rank: number, steps: readonly RepeatedWork[]) {
    this.#joint = joint;
    this.#rank = rank;
    this.#steps = steps;
  }

  get isOver(): boolean {
    return this.#joint.isOver;
  }

  get missing(): readonly number[] {
    return this.#joint.missing;
  }

  begin(): void {
    this.#joint.arrive(this.#rank, this.#steps);
  }

  check(): void {
    this.#joint.check();
  }
}
