import type {
  CollectiveEngine,
  CollectiveLaunch,
  CollectiveMemory,
  RankCollectives,
  RankGroup,
} from '@nccl-ts/transport';
import { groupWorks, jointWorks, runsOf, type RepeatedWork } from './group-work.ts';
import { JointLaunch, JointWork } from './joint-work.ts';
import { NativeJobs } from './native-jobs.ts';

/**
 * Creates an engine for collectives in `memory`. Its other threads start when they are first
 * needed. Until they have started, or if they cannot start, the calling thread works alone.
 *
 * @param threads the number of threads, including the calling one; 1 if the memory is not shared
 */
export function createCollectiveEngine(memory: CollectiveMemory, threads: number): CollectiveEngine {
  return new CpuEngine(memory, threads);
}

/** The launches that some ranks of a group have made, and other ranks have not. */
interface OpenLaunches {
  /** The number of launches of each rank so far. */
  readonly launched: Map<number, number>;
  /** The launches that some ranks have not made yet. */
  readonly pending: JointWork[];
  /** The number of launches before the first of `pending`. */
  before: number;
}

class CpuEngine implements CollectiveEngine {
  readonly #memory: CollectiveMemory;
  readonly #threads: number;
  readonly #groups = new Map<RankGroup, OpenLaunches>();
  #jobs: NativeJobs | undefined;

  constructor(memory: CollectiveMemory, threads: number) {
    this.#memory = memory;
    this.#threads = threads;
  }

  launch({ rank, works }: RankCollectives): CollectiveLaunch | undefined {
    const known = groupWorks(this.#memory, rank, works);
    return known === undefined ? undefined : this.#launch(rank, known[0].group, runsOf(known));
  }

  record(collectives: readonly RankCollectives[]): (() => readonly CollectiveLaunch[]) | undefined {
    const joint = jointWorks(this.#memory, collectives);
    return joint && (() => joint.parts.map(({ rank, steps }) => this.#launch(rank, joint.group, steps)));
  }

  close(): void {
    this.#jobs?.close();
    this.#groups.clear();
  }

  #launch(rank: number, group: RankGroup, steps: readonly RepeatedWork[]): CollectiveLaunch {
    const open = this.#groups.get(group) ?? { launched: new Map<number, number>(), pending: [], before: 0 };
    this.#groups.set(group, open);
    const index = open.launched.get(rank) ?? 0;
    open.launched.set(rank, index + 1);
    const position = index - open.before;
    const joint = open.pending[position] ?? new JointWork(group, () => this.#opened);
    open.pending[position] = joint;
    const least = Math.min(...group.members.map((member) => open.launched.get(member) ?? 0));
    open.pending.splice(0, least - open.before);
    open.before = least;
    return new JointLaunch(joint, rank, steps);
  }

  get #opened(): NativeJobs {
    this.#jobs ??= new NativeJobs(this.#memory, this.#threads);
    return this.#jobs;
  }
}
