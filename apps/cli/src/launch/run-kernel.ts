import { decodeArray, scalarInfo, type ScalarKind } from '@nccl-ts/core';
import type { Communicator, Window } from '@nccl-ts/communicator';
import type { ComparedElements } from '@nccl-ts/harness';
import type { Kernel } from '@nccl-ts/kernel';
import { prepareArguments, type ArgumentPlan } from './kernel-arguments.ts';
import type { HostProgram, HostLaunch } from '@nccl-ts/checker';

type ElementValue = number | bigint | boolean;

/** The content of a window after a run. */
export interface WindowSummary {
  readonly type: ScalarKind;
  /** Exact for integers; for booleans, the number that are true. */
  readonly sum: number | bigint;
  readonly first: readonly ElementValue[];
}

/** The results of one rank. */
export interface RankResult {
  readonly rank: number;
  /**
   * The time from the launch, or the start of the host program, to its end, including compilation.
   */
  readonly milliseconds: number;
  /** The value that the host program returned. */
  readonly value?: unknown;
  readonly printed: readonly string[];
  readonly windows: Readonly<Record<string, WindowSummary>>;
  /** The elements with expected values that a harness compared. Absent without a harness. */
  readonly compared?: readonly ComparedElements[];
}

export interface KernelRun extends HostLaunch {
  readonly bytes: number;
  /** The number of elements of each window in the result. */
  readonly show: number;
}

/** Launches a kernel once on this rank, with the planned arguments. */
export async function runKernel(
  comm: Communicator,
  kernel: Kernel,
  plan: ArgumentPlan,
  { grid, block, bytes, show }: KernelRun,
): Promise<RankResult> {
  const { args, windows } = await prepareArguments(comm, plan, { bytes, lsaBarrierCount: grid });
  const started = performance.now();
  await comm.launch(kernel, { grid, block }, args);
  const { printed } = await comm.synchronize();
  const milliseconds = performance.now() - started;
  const summaries: Record<string, WindowSummary> = {};
  for (const [name, win] of windows) summaries[name] = await summary(win, show);
  return { rank: comm.rank, milliseconds, printed, windows: summaries };
}

/** The number of bytes that are read at a time. */
const CHUNK = 2 ** 22;

/** Reads in parts, because reading everything would need as much memory again. */
async function summary(win: Window, show: number): Promise<WindowSummary> {
  const { type } = win;
  const { class: kind, bytes: size } = scalarInfo[type];
  const first: ElementValue[] = [];
  let sum = 0;
  let whole = 0n;
  for (let from = 0; from < win.bytes; from += CHUNK) {
    const bytes = await win.read(new Uint8Array(Math.min(CHUNK, win.bytes - from)), from);
    const values: Iterable<number | bigint> = decodeArray(type, bytes);
    for (const value of values) {
      if (first.length >= show) break;
      first.push(kind === 'bool' ? value !== 0 : value);
    }
    // A number holds the sum of a part of narrow integers exactly.
    let part = 0;
    for (const value of values) {
      if (typeof value === 'bigint') whole += value;
      else if (kind === 'float') sum += value;
      else part += value;
    }
    if (kind !== 'float' && size < 8) whole += BigInt(part);
    else sum += part;
  }
  return { type, sum: kind === 'float' ? sum : shortest(whole + BigInt(kind === 'addr' ? sum : 0), size), first };
}

/** Returns a number if it is exact. For 64-bit integers programs always get the same type. */
function shortest(sum: bigint, size: number): number | bigint {
  return size < 8 && sum <= Number.MAX_SAFE_INTEGER && sum >= Number.MIN_SAFE_INTEGER ? Number(sum) : sum;
}

/** Runs a module's host program on this rank, and waits for its launches on the default stream. */
export async function runHost(comm: Communicator, host: HostProgram, launch: HostLaunch): Promise<RankResult> {
  const started = performance.now();
  const value = await host(comm, launch);
  const printed = comm.isOpen ? (await comm.synchronize()).printed : [];
  return { rank: comm.rank, milliseconds: performance.now() - started, value, printed, windows: {} };
}
