import { createMacrotaskQueue, debugLog, NcclError, type MacrotaskQueue } from '@nccl-ts/core';
import type { KernelArg, LaunchConfig } from '@nccl-ts/transport';
import { isSticky } from '../ffi/cuda-failure.ts';
import type { CudaExecutable } from './cuda-executable.ts';
import type { CudaStream } from './cuda-stream.ts';
import { GraphStreams } from './graph-streams.ts';
import { JointCall, type JointShape } from './joint-call.ts';
import { JointGraph } from './joint-graph.ts';
import { JointTeam } from './joint-team.ts';

/** The number of shapes that are remembered, each with at most one graph. */
const mostCalls = 64;

export interface JointLaunchesInit {
  /** Launches on one rank. */
  readonly launchAlone: (
    executable: CudaExecutable,
    stream: CudaStream,
    config: Pick<LaunchConfig, 'grid' | 'block' | 'joint'>,
    args: readonly KernelArg[],
  ) => void;
  /** Returns the error for callers if a launch on a stream has failed. */
  readonly explained: (error: unknown, kernel: string, stream: CudaStream) => unknown;
}

/**
 * Merges the same launch by all ranks of this process. Once every rank has launched a shape a few
 * times, launches of it are held until the last rank has made its own. The driver then receives all
 * of them as one graph, which takes about as long as a launch on one rank.
 *
 * A held launch goes to the driver separately when something else happens in the world, or at the
 * latest in the next task of the event loop. So a rank that does not launch only costs the others
 * time.
 *
 * Launches are held only while all streams are idle, or have only joint launches of the same ranks.
 * A graph waits for earlier work of all its ranks, and other work could itself wait for one of the
 * launches.
 */
export class JointLaunches {
  readonly #init: JointLaunchesInit;
  readonly #teams = new WeakMap<readonly number[], JointTeam>();
  readonly #calls = new Map<CudaExecutable, JointCall[]>();
  readonly #places: GraphStreams[] = [];
  readonly #queue: MacrotaskQueue = createMacrotaskQueue();
  #isPosted = false;
  #held: JointCall | undefined;
  #count = 0;
  #uses = 0;

  constructor(init: JointLaunchesInit) {
    this.#init = init;
  }

  /**
   * Takes a launch that is not being recorded. Returns false if the caller must launch it alone,
   * now.
   *
   * @throws NcclError with the driver's immediate error, if this launch was the last one of its
   * call
   */
  take(executable: CudaExecutable, stream: CudaStream, config: LaunchConfig, args: readonly KernelArg[]): boolean {
    const { joint, grid, block } = config;
    if (joint === undefined) {
      this.release();
      return false;
    }
    const team = this.#teamOf(joint);
    const index = joint.indexOf(stream.rank);
    const position = team.take(index);
    const isPlain = config.attributes === undefined && config.signal === undefined && stream.canJoin;
    const call = isPlain ? this.#callOf({ executable, team, grid, block }, index, stream) : undefined;
    if (this.#held !== undefined && (this.#held !== call || call.held[index] !== undefined)) this.release();
    const mayHold = call !== undefined && call.isDue() && team.canMeet(position) && stream.isWithin(joint);
    if (!mayHold) {
      this.release();
      team.partAt(position);
      return false;
    }
    call.hold(index, position, args);
    if (call.heldCount < joint.length) this.#keep(call);
    else this.#launch(call, stream);
    return true;
  }

  /**
   * Launches everything that is held, separately. The next `synchronize` of a stream reports its
   * errors.
   */
  release(): void {
    const call = this.#held;
    if (call === undefined) return;
    this.#held = undefined;
    call.miss();
    this.#launchEach(call);
  }

  /** Discards held launches. The next `synchronize` of their streams rejects with `error`. */
  drop(error: NcclError): void {
    const call = this.#held;
    if (call === undefined) return;
    this.#held = undefined;
    for (const [i, stream] of call.streams.entries()) if (call.held[i] !== undefined) stream?.fail(error);
    call.letGo();
  }

  /** Called when a rank's launch is not made at all, because its stream has failed. */
  pass(joint: readonly number[], rank: number): void {
    const team = this.#teamOf(joint);
    team.partAt(team.take(joint.indexOf(rank)));
  }

  /** Called when a launch of a team was recorded, on streams of these ranks. */
  recorded(joint: readonly number[], streams: readonly CudaStream[]): void {
    this.#teamOf(joint).recordedOn(new Set(streams.map(({ rank }) => rank)));
  }

  /** Forgets everything that needs the stream. */
  forget(stream: CudaStream): void {
    this.release();
    for (const [executable, calls] of this.#calls) {
      const kept = calls.filter((call) => !call.streams.includes(stream));
      if (kept.length === calls.length) continue;
      for (const call of calls) if (!kept.includes(call)) call.destroy();
      this.#count -= calls.length - kept.length;
      this.#calls.set(executable, kept);
    }
    for (const place of this.#places.filter(({ streams }) => streams.includes(stream))) {
      this.#places.splice(this.#places.indexOf(place), 1);
      place.destroy();
    }
  }

  /** Frees all graphs, after their launches have ended. */
  dispose(): void {
    this.#queue.close();
    for (const calls of this.#calls.values()) for (const call of calls) call.destroy();
    this.#calls.clear();
    this.#count = 0;
    for (const place of this.#places.splice(0)) place.destroy();
  }

  #teamOf(ranks: readonly number[]): JointTeam {
    let team = this.#teams.get(ranks);
    if (team === undefined) {
      team = new JointTeam(ranks);
      this.#teams.set(ranks, team);
    }
    return team;
  }

  #callOf(shape: JointShape, index: number, stream: CudaStream): JointCall {
    let calls = this.#calls.get(shape.executable);
    if (calls === undefined) {
      calls = [];
      this.#calls.set(shape.executable, calls);
    }
    let call = calls.find((known) => known.matches(shape, index, stream));
    if (call === undefined) {
      if (this.#count === mostCalls) this.#forgetOldest();
      call = new JointCall(shape);
      calls.push(call);
      this.#count++;
    }
    call.streams[index] = stream;
    call.used = this.#uses++;
    return call;
  }

  #forgetOldest(): void {
    this.release();
    let oldest: JointCall | undefined;
    for (const calls of this.#calls.values()) {
      for (const call of calls) if (oldest === undefined || call.used < oldest.used) oldest = call;
    }
    if (oldest === undefined) return;
    oldest.destroy();
    const calls = this.#calls.get(oldest.shape.executable);
    calls?.splice(calls.indexOf(oldest), 1);
    this.#count--;
  }

  /** Holds the launches of a call until the last rank launches, or the current task ends. */
  #keep(call: JointCall): void {
    this.#held = call;
    if (this.#isPosted) return;
    this.#isPosted = true;
    this.#queue.post(() => {
      this.#isPosted = false;
      this.release();
    });
  }

  /** Launches a call whose last launch was made on `stream`. */
  #launch(call: JointCall, stream: CudaStream): void {
    this.#held = undefined;
    const { streams, args } = complete(call);
    const { executable, team, grid, block } = call.shape;
    if (!streams.every((each) => each.failure === undefined && each.canJoin && each.isWithin(team.ranks))) {
      this.#launchEach(call, stream);
      return;
    }
    try {
      call.at ??= this.#placeOf(streams);
      call.graph ??= new JointGraph(executable, call.at, grid, block, args);
    } catch (error) {
      call.giveUp();
      debugLog('cuda', () => `kernel ${executable.name} is launched on each rank by itself: ${String(error)}`);
      if (isSticky(error)) throw this.#init.explained(error, executable.name, stream);
      this.#launchEach(call, stream);
      return;
    }
    call.letGo();
    call.meet();
    try {
      call.graph.launch(args, team.ranks);
    } catch (error) {
      for (const each of streams) {
        if (each !== stream) each.fail(asNcclError(this.#init.explained(error, executable.name, each)));
      }
      throw this.#init.explained(error, executable.name, stream);
    }
  }

  /** Launches the held launches of a call rank by rank. The error of `caller` is thrown. */
  #launchEach(call: JointCall, caller?: CudaStream): void {
    const { executable, team, grid, block } = call.shape;
    const held = [...call.held];
    team.partAt(call.position);
    call.letGo();
    let thrown: { readonly error: unknown } | undefined;
    for (const [i, args] of held.entries()) {
      const stream = call.streams[i];
      if (args === undefined || stream === undefined || stream.failure !== undefined) continue;
      try {
        this.#init.launchAlone(executable, stream, { grid, block, joint: team.ranks }, args);
      } catch (error) {
        if (stream === caller) thrown = { error };
        else stream.fail(asNcclError(error));
      }
    }
    if (thrown !== undefined) throw thrown.error;
  }

  #placeOf(streams: readonly CudaStream[]): GraphStreams {
    let place = this.#places.find((known) => known.streams.every((stream, i) => stream === streams[i]));
    if (place === undefined) {
      place = new GraphStreams(streams);
      this.#places.push(place);
    }
    return place;
  }
}

function asNcclError(error: unknown): NcclError {
  if (error instanceof NcclError) return error;
  return new NcclError('NCCL_INTERNAL_ERROR', String(error), { cause: error });
}

function complete({ streams, held }: JointCall): {
  readonly streams: readonly CudaStream[];
  readonly args: readonly (readonly KernelArg[])[];
} {
  const known = streams.filter((stream) => stream !== undefined);
  const args = held.filter((each) => each !== undefined);
  if (known.length < streams.length || args.length < held.length)
    throw new RangeError('A call lacks some of its ranks.');
  return { streams: known, args };
}
