import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { encodeArray, medianOf, scalarInfo } from '@nccl-ts/core';
import { compileWork, Team, TeamJob, type NativePart } from '@nccl-ts/cpu-collectives';
import { bf16, f16, f32, i32, u8, type ScalarParam } from '@nccl-ts/kernel';
import { interleave, type TimedContender, type Samples } from '../interleave.ts';
import { blockKernel, type BlockElement, type BlockKernel, type BlockOp } from '../kernels/block-kernels.ts';

const THREADS = 512;
/** Pads like the simulator's allocations, so that no two ranks' elements share cache sets. */
const PADDING_BYTES = 1280;
/** The bytes below this address belong to the team. */
const TEAM_BYTES = 4096;
const SAMPLE_BYTES = 1 << 26;

const types: Readonly<Record<BlockElement, ScalarParam<BlockElement, unknown>>> = { f32, bf16, f16, i32, u8 };

/**
 * A comparison of a building block inside a kernel, on one rank, with the loop of a collective
 * without kernels.
 */
export interface BlockCell {
  readonly op: BlockOp;
  readonly element: BlockElement;
  readonly ranks: number;
  readonly bytes: number;
}

export interface BlockRow extends BlockCell {
  readonly samples: readonly Samples[];
  /** The WebAssembly engine's time as a multiple of the native loop's, and of JavaScript's. */
  readonly ratio: number;
  readonly ofJs: number;
}

/**
 * Times one cell, alternating between the contenders. A sample reads about this many bytes of
 * sources.
 */
export async function blockRow(cell: BlockCell, rounds: number, sampleBytes = SAMPLE_BYTES): Promise<BlockRow> {
  await using js = await World.open({ backend: sim({ ranks: cell.ranks, engine: 'js' }) });
  await using wasm = await World.open({ backend: sim({ ranks: cell.ranks, engine: 'wasm' }) });
  const times = Math.max(1, Math.round(sampleBytes / (cell.bytes * cell.ranks)));
  const calls = { native: times, wasm: times, js: Math.max(1, times >> 3) };
  const contenders: readonly TimedContender[] = [
    { name: 'native', run: nativeLoop(cell, calls.native) },
    { name: 'wasm', run: await launcher(wasm, cell, calls.wasm) },
    { name: 'js', run: await launcher(js, cell, calls.js) },
  ];
  const samples = await interleave(contenders, rounds, 4);
  const counts = Object.values(calls);
  const each = samples.map(({ name, ms }, i) => ({ name, ms: ms.map((one) => one / (counts[i] ?? 1)) }));
  const [native = Number.NaN, own = Number.NaN, script = Number.NaN] = each.map(({ ms }) => medianOf(ms));
  return { ...cell, samples: each, ratio: own / native, ofJs: own / script };
}

/** Launches the kernel on rank 0 this many times, and waits for it. */
async function launcher(world: World, cell: BlockCell, times: number): Promise<() => Promise<void>> {
  const { op, element, bytes } = cell;
  const type = types[element];
  const block: BlockKernel = blockKernel(op, type);
  const count = bytes / scalarInfo[element].bytes;
  const setups = await world.run(async (comm) => {
    const [src, dst] = [await comm.allocWindow('u8', bytes), await comm.allocWindow('u8', bytes)];
    await src.write(valuesOf(element, bytes));
    return { comm, src, dst, device: await comm.createDevComm() };
  });
  return async () => {
    const setup = setups[0];
    if (setup === undefined) return;
    const { comm, src, dst, device } = setup;
    const args = { comm: device, src: src.symPtr(0, type), dst: dst.symPtr(0, type), count, times };
    await comm.launch(block, { grid: 1, block: THREADS }, args);
    await comm.synchronize();
  };
}

/** Normal numbers, because processors are slow with subnormal ones. */
function valuesOf(element: BlockElement, bytes: number): Uint8Array {
  const values = Array.from({ length: 64 }, (_, i) =>
    element === 'i32' || element === 'u8' ? i % 13 : ((i % 13) + 1) / 16,
  );
  const encoded = encodeArray(element, values);
  const pattern = new Uint8Array(encoded.buffer, encoded.byteOffset, encoded.byteLength);
  return new Uint8Array(bytes).map((_, i) => pattern[i % pattern.length] ?? 0);
}

/** The same work as a loop, as in a collective without kernels. */
function nativeLoop(cell: BlockCell, times: number): () => void {
  const { bytes, ranks, element } = cell;
  const place = (i: number): number => TEAM_BYTES + i * (bytes + PADDING_BYTES);
  const team = Team.ofBytes(place(2 * ranks), 1);
  const memory = new Uint8Array(team.memory.buffer);
  for (let i = 0; i < ranks; i++) memory.set(valuesOf(element, bytes), place(i));
  const job = new TeamJob(compileWork([partOf(cell, place)], true), team.memory);
  return () => {
    team.run(job, times);
  };
}

function partOf({ op, element, ranks, bytes }: BlockCell, place: (i: number) => number): NativePart {
  const [sources, destinations] = [0, 1].map((of) => Array.from({ length: ranks }, (_, i) => place(of * ranks + i)));
  const [source = 0] = sources ?? [];
  const own = destinations?.slice(0, 1) ?? [];
  if (op === 'copy') return { kind: 'copy', source, destinations: destinations ?? [], bytes };
  return {
    kind: 'reduce',
    element,
    reduction: 'sum',
    sources: sources ?? [],
    destinations: op === 'reduce' ? own : (destinations ?? []),
    bytes,
  };
}
