import type { WasmModule } from '@nccl-ts/codegen/encoder';
import type { CollectiveMemory } from '@nccl-ts/transport';
import { controlWords } from '../team/control-words.ts';
import { Team, TeamJob } from '../team/team.ts';
import { compileNative } from '../emit/compile-work.ts';
import { emitAnywhere, emitNative, rowBytes, type NativeOptions, type PartShape } from '../emit/emit-native.ts';
import { FasterOfTwo } from './faster-of-two.ts';
import { touchedBytes, type NativePart, type NativeWork } from '../plan/native-work.ts';
import { alternativeAlgorithm, type SumAlgorithm } from '../plan/sum-algorithm.ts';

/** The number of modules that are kept: the most recently used. */
const MOST_REPEATED = 256;

/**
 * The thresholds for code with constant addresses: a number of bytes, or of repetitions. Compiling
 * such code takes a millisecond or two.
 */
const OWN_CODE_BYTES = 1 << 26;
const OWN_CODE_TIMES = 256;

/**
 * The sizes in bytes from which the threads of a team are faster together: if they spin, and if
 * they must be woken.
 */
const TOGETHER_HOT = 1 << 16;
const TOGETHER = 1 << 22;

/** The size in bytes of work that takes long enough to compare two ways in a few runs. */
const LONG = 1 << 28;
const TURNS_OF_LONG = 6;

/** The memory on which work is done. */
export type JobMemory = Pick<CollectiveMemory, 'memory' | 'allocate'>;

interface SizedJob {
  job: TeamJob;
  /** The bytes that one run accesses. */
  readonly bytes: number;
  /** Present until it is known which of two jobs is faster. */
  trial?: FasterOfTwo<TeamJob> | undefined;
}

interface RepeatedJob {
  /** The job with its own code. */
  job: SizedJob | undefined;
  times: number;
}

/**
 * Does work. At first it uses code for any addresses. Work that repeats often gets its own code.
 */
export class NativeJobs {
  readonly #memory: JobMemory;
  readonly #team: Team;
  readonly #known = new Map<string, RepeatedJob>();
  readonly #anywhere = new Map<string, TeamJob>();
  #table = { address: 0, bytes: 0 };

  constructor(memory: JobMemory, threads: number) {
    this.#memory = memory;
    this.#team = new Team(memory.memory, threads);
  }

  /** Does the work with key `key` the given number of times. `plan` returns the work. */
  run(key: string, times: number, plan: () => NativeWork): void {
    const known = this.#known.get(key) ?? { job: undefined, times: 0 };
    // The youngest is last.
    this.#known.delete(key);
    this.#known.set(key, known);
    if (this.#known.size > MOST_REPEATED) this.#forgetOldest();
    known.times += times;
    const sized = known.job ?? this.#jobFor(known, plan());
    const together = this.#isWorthwhile(sized.bytes, times);
    const left = this.#try(sized, times, together);
    if (left > 0) this.#team.run(sized.job, left, together);
  }

  close(): void {
    this.#team.close();
    this.#known.clear();
    this.#anywhere.clear();
  }

  #jobFor(known: RepeatedJob, work: NativeWork): SizedJob {
    const bytes = touchedBytes(work);
    const shape = shapeOf(work);
    const comesOften = known.times >= OWN_CODE_TIMES || known.times * bytes >= OWN_CODE_BYTES;
    if (shape !== undefined && !comesOften) return { job: this.#placed(work, shape), bytes };
    const own = (algorithm: SumAlgorithm): TeamJob =>
      this.#made((options) => emitNative(work, { ...options, algorithm }));
    const job = own('straight');
    const other = alternativeAlgorithm(work);
    const turns = bytes >= LONG ? { turns: TURNS_OF_LONG } : {};
    known.job = { job, bytes, trial: other && new FasterOfTwo(job, own(other), turns) };
    return known.job;
  }

  /**
   * Repeats the work until it is known which job is faster. Returns the remaining number of times.
   */
  #try(sized: SizedJob, times: number, together: boolean): number {
    const { trial } = sized;
    if (trial === undefined) return times;
    let left = times;
    for (; left > 0 && trial.found === undefined; left--) trial.turn((job) => this.#team.run(job, 1, together));
    const { found } = trial;
    if (found !== undefined) {
      sized.job = found.faster;
      sized.trial = undefined;
      this.#team.forget(found.slower);
    }
    return left;
  }

  #isWorthwhile(bytes: number, times: number): boolean {
    if (this.#team.threads === 1 || bytes < TOGETHER_HOT) return false;
    return this.#team.isHot || bytes * times >= TOGETHER;
  }

  #forgetOldest(): void {
    const [oldest] = this.#known;
    if (oldest === undefined) return;
    this.#known.delete(oldest[0]);
    const { job } = oldest[1];
    if (job === undefined) return;
    for (const one of job.trial?.algorithms ?? [job.job]) this.#team.forget(one);
  }

  #made(emit: (options: NativeOptions) => WasmModule): TeamJob {
    return new TeamJob(compileNative(emit, this.#team.threads > 1), this.#memory.memory);
  }

  /** Returns the job for parts of that shape, and writes the parts to its table. */
  #placed(work: NativeWork, shape: PartShape): TeamJob {
    const key = JSON.stringify(shape);
    const job = this.#anywhere.get(key) ?? this.#made((options) => emitAnywhere(shape, options));
    this.#anywhere.set(key, job);
    const needed = work.length * rowBytes(shape);
    if (needed > this.#table.bytes) {
      const bytes = Math.max(needed, 2 * this.#table.bytes);
      this.#table = { address: this.#memory.allocate(bytes), bytes };
    }
    const u32 = new Uint32Array(this.#memory.memory.buffer);
    u32[controlWords.parts / 4] = work.length;
    u32[controlWords.table / 4] = this.#table.address;
    let at = this.#table.address / 4;
    for (const part of work) {
      const sources = part.kind === 'reduce' ? part.sources : [part.source];
      for (const word of [part.bytes, ...sources, ...part.destinations]) u32[at++] = word;
    }
    return job;
  }
}

/**
 * Returns the common shape of all parts; `undefined` if they differ in more than their addresses.
 */
function shapeOf(work: NativeWork): PartShape | undefined {
  const [first] = work;
  if (first === undefined) return undefined;
  const shape = partShape(first);
  const key = JSON.stringify(shape);
  return work.every((part) => JSON.stringify(partShape(part)) === key) ? shape : undefined;
}

function partShape(part: NativePart): PartShape {
  const destinations = part.destinations.length;
  if (part.kind === 'copy') return { kind: 'copy', destinations };
  const { element, reduction, sources } = part;
  return { kind: 'reduce', element, reduction, sources: sources.length, destinations };
}
