import { cuda, type CudaWorld } from '@nccl-ts/backend-cuda';
import { DataType } from '@nccl-ts/core';
import { planDevComm } from '@nccl-ts/devcomm';
import { validate, type ValidatedModule } from '@nccl-ts/ir';
import { kernel, type Kernel } from '@nccl-ts/kernel';
import type { Executable, GraphHandle, KernelArg, StreamHandle } from '@nccl-ts/transport';
import { report } from './phases.ts';

/** All results, for the file at the end. */
export const found: unknown[] = [];

function number(name: string, otherwise: number): number {
  const at = process.argv.indexOf(name);
  return at === -1 ? otherwise : Number(process.argv[at + 1]);
}

export const ctas: number = number('--ctas', 16);
export const block: number = number('--block', 512);
/** The shape of the AllReduce. */
export const config = { grid: { x: ctas, y: 1, z: 1 }, block: { x: block, y: 1, z: 1 } };

export const one = { x: 1, y: 1, z: 1 };

export const emptyKernel = kernel({ name: 'empty', params: {} }, () => undefined);

/** Records a result, and prints it. */
export function note(finding: Readonly<Record<string, unknown>>): void {
  found.push(finding);
  report(finding);
}

export function moduleOf(of: Kernel): ValidatedModule {
  const result = validate(of.compile(), cuda().capabilities);
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('; '));
  return result.module;
}

export const round = (value: number): number => Math.round(value * 1000) / 1000;

export interface Setup {
  readonly world: CudaWorld;
  readonly streams: readonly StreamHandle[];
  /** The kind of NCCL's buffers. */
  readonly memories: readonly number[];
  readonly args: (bytes: number) => readonly KernelArg[];
  readonly fill: () => Promise<void>;
  readonly read: (rank: number, bytes: number) => Promise<Float32Array>;
}

export async function setUp(bytes: number): Promise<Setup> {
  const world = await cuda().open({ onStall: () => undefined });
  const ranks = world.localRanks;
  const buffers = await Promise.all(ranks.map(async (rank) => world.alloc(rank, bytes)));
  const window = await world.registerWindow(
    buffers.map((buffer) => ({ buffer, offset: 0 })),
    bytes,
    1,
  );
  const support = { symmetric: true, multimem: false, gin: 'none' } as const;
  const devComm = await world.createDevComm(planDevComm({ lsaBarrierCount: ctas }, world.topology, support));
  const streams = await Promise.all(ranks.map(async (rank) => world.createStream(rank)));
  const values = ranks.map((rank) =>
    Float32Array.from({ length: bytes / 4 }, (_, i) => ((i * 7 + rank * 13) % 31) / 32),
  );
  return {
    world,
    streams,
    memories: ranks.map((rank) => world.memoryAddress(rank, world.devicePointer(window, rank, rank, 0) ?? 0)),
    args: (size) => [
      { kind: 'devComm', devComm },
      { kind: 'window', window },
      { kind: 'scalar', value: 0n },
      { kind: 'scalar', value: size / 4 },
    ],
    fill: async () => {
      await Promise.all(buffers.map(async (buffer, i) => world.write(buffer, values[i] ?? new Float32Array(), 0)));
    },
    read: async (rank, size) => {
      const into = new Float32Array(size / 4);
      const buffer = buffers[rank];
      if (buffer !== undefined) await world.read(buffer, into, 0);
      return into;
    },
  };
}

/** NCCL's own AllReduce, in place. */
function ncclAllReduce({ world, streams, memories }: Setup, count: number): void {
  const parts = streams.map((stream, i) => ({ send: memories[i] ?? 0, recv: memories[i] ?? 0, stream }));
  world.ncclCollective({ collective: 'allReduce', dataType: DataType.Float32, count, parts });
}

/** Captures `ops` AllReduces of a kernel or of NCCL on all ranks into a graph. */
export function record(setup: Setup, executable: Executable | 'nccl', bytes: number, ops: number): GraphHandle {
  const { world, streams, args } = setup;
  world.beginCapture(streams);
  for (let op = 0; op < ops; op++) {
    if (executable === 'nccl') ncclAllReduce(setup, bytes / 4);
    else for (const stream of streams) world.launch(executable, { ...config, stream }, args(bytes));
  }
  return world.endCapture(streams);
}

export async function synchronizeAll({ world, streams }: Setup): Promise<void> {
  await Promise.all(streams.map(async (stream) => world.synchronize(stream)));
}
