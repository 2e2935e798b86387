import { at, WARP_SIZE } from '@nccl-ts/core';
import { join, spawn, type AgentProgram } from '@nccl-ts/memory-model';
import type { Steps } from './steps.ts';
import { ThreadFault } from './thread-fault.ts';

/** A CTA of the cluster, by its number in the world. */
interface ClusterCta {
  readonly number: number;
}

/** A thread's arrival at the barrier of its cluster. */
export interface ClusterArrival {
  readonly releases: boolean;
  /** True if all threads of a warp that have not ended must be at the same statement. */
  readonly isAligned: boolean;
  readonly site: number;
}

interface ThreadArrivals {
  /** The agents that stand for its arrivals, which begin and end with them. */
  readonly agents: number[];
  /** The thread's own agent, once it has ended. */
  ended: number | undefined;
}

/**
 * The CTAs of a cluster of one execution, and their barrier. An arrival is an agent without
 * effects, which comes after all that the arrival releases. Threads that wait come after the
 * agents of all arrivals.
 */
export class ExploredCluster {
  /** The numbers of its CTAs in the world, by rank. */
  readonly ctas: readonly number[];
  readonly #threads: readonly ThreadArrivals[];
  readonly #perCta: number;
  /** By warp: its first lane's last arrival, and how often that lane has arrived. */
  readonly #arrived: (ClusterArrival & { readonly times: number })[] = [];

  /** `threads` is the number of threads of a CTA. */
  constructor(ctas: readonly number[], threads: number) {
    this.ctas = ctas;
    this.#perCta = threads;
    this.#threads = Array.from({ length: ctas.length * threads }, () => ({ agents: [], ended: undefined }));
  }

  #thread(cta: ClusterCta, thread: number): readonly [ThreadArrivals, number] {
    const number = this.ctas.indexOf(cta.number) * this.#perCta + thread;
    return [at(this.#threads, number), number];
  }

  *arrive(cta: ClusterCta, thread: number, arrival: ClusterArrival, program: AgentProgram): Steps<void> {
    const [own, number] = this.#thread(cta, thread);
    const times = own.agents.length + 1;
    const warp = Math.floor(number / WARP_SIZE);
    const first = this.#arrived[warp];
    if (first === undefined || first.times < times) this.#arrived[warp] = { ...arrival, times };
    else if (first.site !== arrival.site && (first.isAligned || arrival.isAligned)) {
      throw new ThreadFault(
        'misuse',
        'lanes of one warp arrive at the cluster barrier by different instructions that are .aligned',
      );
    }
    const [agent] = yield* spawn([program], arrival.releases ? 'everything' : 'releases to its cluster');
    if (agent !== undefined) own.agents.push(agent);
  }

  *wait(cta: ClusterCta, thread: number, site: number): Steps<void> {
    const [{ agents }] = this.#thread(cta, thread);
    const index = agents.length - 1;
    const isComplete = (): boolean =>
      this.#threads.every((one) => one.agents.length > index || one.ended !== undefined);
    // Without the threads that have ended, the barrier could not be complete. They order nothing.
    const ended = (): readonly number[] =>
      this.#threads.flatMap((one) => (one.agents.length > index || one.ended === undefined ? [] : [one.ended]));
    yield* join(() => (isComplete() ? ended() : undefined), site, false);
    yield* join(
      this.#threads.flatMap((one) => one.agents[index] ?? []),
      site,
    );
  }

  /** The number of threads that a waiting thread still lacks. */
  lacks(cta: ClusterCta, thread: number): number {
    const [{ agents }] = this.#thread(cta, thread);
    return this.#threads.filter((one) => one.agents.length < agents.length && one.ended === undefined).length;
  }

  /** A thread has ended, whose agent has this number. */
  end(cta: ClusterCta, thread: number, agent: number): void {
    this.#thread(cta, thread)[0].ended = agent;
  }
}
