import type { Dim3, KernelArg } from '@nccl-ts/transport';
import type { CudaExecutable } from './cuda-executable.ts';
import type { CudaStream } from './cuda-stream.ts';
import type { GraphStreams } from './graph-streams.ts';
import type { JointGraph } from './joint-graph.ts';
import type { JointTeam } from './joint-team.ts';

/**
 * The number of rounds in which all ranks launch separately before launches of a new shape are
 * held.
 */
const firstRounds = 2;
/**
 * The same number after a launch that some rank did not make. It doubles each time, up to a limit.
 */
const roundsAfterMiss = 8;
const mostDoublings = 6;

export interface JointShape {
  readonly executable: CudaExecutable;
  readonly team: JointTeam;
  readonly grid: Dim3;
  readonly block: Dim3;
}

/** The launches of one shape by all ranks of a team, with those that wait for the other ranks. */
export class JointCall {
  readonly shape: JointShape;
  /** By rank; undefined until it has launched. */
  readonly streams: (CudaStream | undefined)[];
  /** The arguments of the held launches. */
  readonly held: (readonly KernelArg[] | undefined)[];
  heldCount = 0;
  /** The position of the held launches. */
  position = 0;
  at: GraphStreams | undefined;
  graph: JointGraph | undefined;
  /** A number that grows with each use. */
  used = 0;
  /** The number of launches until the next are held; infinity for never. */
  #untilHeld: number;
  #misses = 0;

  constructor(shape: JointShape) {
    this.shape = shape;
    const { ranks } = shape.team;
    this.streams = ranks.map(() => undefined);
    this.held = ranks.map(() => undefined);
    this.#untilHeld = firstRounds * ranks.length;
  }

  /** True if the launch of the rank with that index has this shape and stream. */
  matches({ team, grid, block }: JointShape, index: number, stream: CudaStream): boolean {
    const known = this.streams[index];
    return (
      team === this.shape.team &&
      (known === undefined || known === stream) &&
      sameSize(grid, this.shape.grid) &&
      sameSize(block, this.shape.block)
    );
  }

  /** Counts a launch. Returns true if it may be held. */
  isDue(): boolean {
    if (this.#untilHeld === 0) return true;
    this.#untilHeld--;
    return false;
  }

  hold(index: number, position: number, args: readonly KernelArg[]): void {
    this.position = position;
    this.held[index] = args;
    this.heldCount++;
  }

  /** Forgets the held launches. */
  letGo(): void {
    this.held.fill(undefined);
    this.heldCount = 0;
  }

  /** Called when not all ranks launched. More rounds then pass before the next launch is held. */
  miss(): void {
    this.#untilHeld = (roundsAfterMiss << Math.min(this.#misses, mostDoublings)) * this.streams.length;
    this.#misses++;
  }

  /** Called when all ranks launched. */
  meet(): void {
    this.#misses = 0;
  }

  /** Called when the driver does not accept the launches as a graph. */
  giveUp(): void {
    this.#untilHeld = Number.POSITIVE_INFINITY;
  }

  destroy(): void {
    this.graph?.destroy();
    this.graph = undefined;
  }
}

function sameSize(a: Dim3, b: Dim3): boolean {
  return a.x === b.x && a.y === b.y && a.z === b.z;
}
