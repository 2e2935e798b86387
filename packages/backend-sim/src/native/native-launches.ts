import type { CollectiveWork, RankGroup } from '@nccl-ts/transport';
import type { ProgramCode } from '@nccl-ts/codegen';
import { groupWorks, runsOf, type RepeatedWork } from './group-work.ts';
import { JointWork, jointCode } from './joint-work.ts';
import { NativeJobs, type NativeMemory } from './native-jobs.ts';

/** The launches that some ranks of a group have made, and other ranks have not. */
interface Open {
  /** The number of launches of each rank so far. */
  readonly launched: Map<number, number>;
  /** The launches that some ranks have not made yet. */
  readonly pending: JointWork[];
  /** The number of launches before the first of `pending`. */
  before: number;
}

/**
 * Runs collectives without their kernels. It matches the launches of a group's ranks by order: the
 * first launch of one rank with the first of every other, and so on.
 */
export class NativeLaunches {
  readonly #memory: () => NativeMemory;
  readonly #threads: number;
  readonly #groups = new Map<RankGroup, Open>();
  #jobs: NativeJobs | undefined;

  /** `memory` is called for the first work. */
  constructor(memory: () => NativeMemory, threads: number) {
    this.#memory = memory;
    this.#threads = threads;
  }

  /**
   * Returns the code that replaces the kernel of a launch on this rank of the world; `undefined` if
   * only the kernel can do the work.
   */
  codeFor(rank: number, works: readonly CollectiveWork[] | undefined): ProgramCode | undefined {
    const known = groupWorks(rank, works);
    return known === undefined ? undefined : this.codeOf(rank, known[0].group, runsOf(known));
  }

  /** Returns the same for several consecutive launches, which all belong to `group`. */
  codeOf(rank: number, group: RankGroup, steps: readonly RepeatedWork[]): ProgramCode {
    const open = this.#groups.get(group) ?? { launched: new Map<number, number>(), pending: [], before: 0 };
    this.#groups.set(group, open);
    const index = open.launched.get(rank) ?? 0;
    open.launched.set(rank, index + 1);
    const place = index - open.before;
    const joint = open.pending[place] ?? new JointWork(group, () => this.#opened);
    open.pending[place] = joint;
    const least = Math.min(...group.members.map((member) => open.launched.get(member) ?? 0));
    open.pending.splice(0, least - open.before);
    open.before = least;
    return jointCode(joint, steps);
  }

  close(): void {
    this.#jobs?.close();
    this.#groups.clear();
  }

  get #opened(): NativeJobs {
    this.#jobs ??= new NativeJobs(this.#memory(), this.#threads);
    return this.#jobs;
  }
}
