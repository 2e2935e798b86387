import { cuda, type CudaWorld, type NcclCollectiveCall } from '@nccl-ts/backend-cuda';
import { collectiveNames, type CollectiveName } from '@nccl-ts/collectives';
import { winGetUserPtr } from '@nccl-ts/communicator';
import { dataTypeOfScalar, RedOp } from '@nccl-ts/core';
import type { StreamHandle } from '@nccl-ts/transport';
import type { BenchOp } from './bench-op.ts';
import type { BenchCall, Contender, ContenderGraph, ContenderLane, RankBuffers } from './contender.ts';

/** The kind of buffers for NCCL: ordinary memory, or symmetric windows. */
export const ncclContenderNames = ['nccl', 'nccl-symmetric'] as const;
export type NcclContenderName = (typeof ncclContenderNames)[number];

const operators: Readonly<Record<Exclude<BenchOp, 'mulsum'>, RedOp>> = Object.freeze({
  sum: RedOp.Sum,
  prod: RedOp.Prod,
  max: RedOp.Max,
  min: RedOp.Min,
  avg: RedOp.Avg,
});

/**
 * NCCL's own collectives on the same GPUs and buffers. `nccl-symmetric` runs on the communicators
 * of the world itself, in which the buffers are windows. `nccl` runs on separate communicators, in
 * which the buffers are plain memory.
 *
 * `worldOf` returns the world of the buffers, once it is open.
 */
export function ncclContender(name: NcclContenderName, worldOf: () => CudaWorld): Contender {
  let lane: NcclLane | undefined;
  const opened = (): NcclLane => {
    if (lane === undefined) throw new RangeError(`${name} is prepared first.`);
    return lane;
  };
  return {
    name,
    refuses: ({ program, op }, inPlace) => {
      if (collectiveOf(program.collective) === undefined) return `${program.name} is not a collective of NCCL`;
      if (inPlace && program.inPlace === 'none') return `${program.name} does not work in place`;
      return op === 'mulsum' ? 'an operator with a scalar belongs to one communicator' : undefined;
    },
    prepare: async () => {
      lane = await NcclLane.open(worldOf(), name === 'nccl');
    },
    start: async (call, ranks) => opened().start(call, ranks),
    lane: {
      capture: async (body) => opened().capture(body),
      synchronize: async (rank) => opened().synchronize(rank),
    },
    finish: async () => {
      await lane?.close();
      lane = undefined;
    },
  };
}

class NcclLane implements ContenderLane {
  /** The contender whose memory is used. */
  readonly #memory: CudaWorld;
  /** The contender whose communicators and streams are used. */
  readonly #world: CudaWorld;
  readonly #streams: readonly StreamHandle[];

  constructor(memory: CudaWorld, world: CudaWorld, streams: readonly StreamHandle[]) {
    this.#memory = memory;
    this.#world = world;
    this.#streams = streams;
  }

  static async open(memory: CudaWorld, apart: boolean): Promise<NcclLane> {
    const devices = memory.localRanks.map((rank) => memory.deviceOf(rank));
    const world = apart ? await cuda({ devices }).open({ onStall: () => undefined }) : memory;
    return new NcclLane(
      memory,
      world,
      await Promise.all(world.localRanks.map(async (rank) => world.createStream(rank))),
    );
  }

  start({ program, type, op, root, count }: BenchCall, ranks: readonly RankBuffers[]): void {
    const collective = collectiveOf(program.collective);
    if (collective === undefined) throw new RangeError(`${program.name} was refused.`);
    const parts = this.#streams.map((stream, i): NcclCollectiveCall['parts'][number] => {
      const buffers = ranks[i];
      if (buffers === undefined) throw new RangeError('Every rank takes part.');
      return { send: this.#addressOf(buffers, 'send'), recv: this.#addressOf(buffers, 'recv'), stream };
    });
    const reduces = op === undefined || op === 'mulsum' ? {} : { op: operators[op] };
    const dataType = dataTypeOfScalar(type.kind);
    if (dataType === undefined) throw new RangeError(`NCCL has no ${type.name}.`);
    this.#world.ncclCollective({ collective, dataType, count, root, parts, ...reduces });
  }

  async capture(body: () => Promise<void>): Promise<ContenderGraph> {
    const world = this.#world;
    world.beginCapture(this.#streams);
    await body();
    const graph = world.endCapture(this.#streams);
    return {
      launch: async () => world.launchGraph(graph),
      [Symbol.asyncDispose]: async () => world.destroyGraph(graph),
    };
  }

  async synchronize(rank: number): Promise<void> {
    const stream = this.#streams.find((candidate) => candidate.rank === rank);
    if (stream !== undefined) await this.#world.synchronize(stream);
  }

  async close(): Promise<void> {
    if (this.#world !== this.#memory) await this.#world[Symbol.asyncDispose]();
    else for (const stream of this.#streams) await this.#world.destroyStream(stream);
  }

  #addressOf({ comm, ...buffers }: RankBuffers, which: 'send' | 'recv'): number {
    const { window, offset } = buffers[which];
    return this.#memory.memoryAddress(comm.rank, winGetUserPtr(window).address + offset);
  }
}

function collectiveOf(name: string): CollectiveName | undefined {
  return collectiveNames.find((collective) => collective === name);
}
