import type { WebAssemblyMemory } from '../memory/web-assembly.ts';
import { Team, TeamJob } from '../team/team.ts';
import { compileWork } from './compile-work.ts';
import { touchedBytes, type NativeWork } from './native-work.ts';

/** Modules that are kept: those that were used last. */
const KEPT = 256;

/** Bytes from which on the threads of a team are faster together: where they spin, and where they have to be woken. */
const TOGETHER_HOT = 1 << 17;
const TOGETHER = 1 << 22;

interface Known {
  readonly job: TeamJob;
  readonly bytes: number;
}

/** Does work with code that was made for it. */
export class NativeJobs {
  readonly #memory: WebAssemblyMemory;
  readonly #team: Team;
  readonly #known = new Map<string, Known>();

  constructor(memory: WebAssemblyMemory, threads: number) {
    this.#memory = memory;
    this.#team = new Team(memory, threads);
  }

  /** Does the work that is known by `key`, so many times over; `plan` says what it is, the first time. */
  run(key: string, times: number, plan: () => NativeWork): void {
    const known = this.#known.get(key) ?? this.#made(plan());
    // The youngest is last.
    this.#known.delete(key);
    this.#known.set(key, known);
    if (this.#known.size > KEPT) this.#forgetOldest();
    this.#team.run(known.job, times, this.#isWorthwhile(known.bytes, times));
  }

  close(): void {
    this.#team.close();
    this.#known.clear();
  }

  #isWorthwhile(bytes: number, times: number): boolean {
    if (this.#team.threads === 1 || bytes < TOGETHER_HOT) return false;
    return this.#team.isHot || bytes * times >= TOGETHER;
  }

  #forgetOldest(): void {
    const [oldest] = this.#known;
    if (oldest === undefined) return;
    this.#known.delete(oldest[0]);
    this.#team.forget(oldest[1].job);
  }

  #made(work: NativeWork): Known {
    const module = compileWork(work, this.#team.threads > 1);
    return { job: new TeamJob(module, this.#memory), bytes: touchedBytes(work) };
  }
}
