import type { Communicator, Window } from '@nccl-ts/communicator';
import type { Kernel } from '@nccl-ts/kernel';
import { prepareArguments, type ArgumentPlan } from './kernel-arguments.ts';
import type { HostLaunch, HostProgram } from './load-module.ts';

/** What became of a window. */
export interface WindowSummary {
  readonly sum: number;
  readonly first: readonly number[];
}

/** What one rank's run gave. */
export interface RankResult {
  readonly rank: number;
  /** From the launch, or the start of the host program, to its end; the compiler's time included. */
  readonly milliseconds: number;
  /** What the host program returned. */
  readonly value?: unknown;
  readonly printed: readonly string[];
  readonly windows: Readonly<Record<string, WindowSummary>>;
}

export interface KernelRun extends HostLaunch {
  readonly bytes: number;
  /** Elements of each window that the result has. */
  readonly show: number;
}

/** Launches a kernel once on this rank, with arguments made by the plan. */
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

async function summary(win: Window, show: number): Promise<WindowSummary> {
  const values = await win.read();
  let sum = 0;
  for (const value of values) sum += Number(value);
  return { sum, first: Array.from(values.slice(0, show), Number) };
}

/** Runs a module's host program on this rank, and waits for what it launched on the default stream. */
export async function runHost(comm: Communicator, host: HostProgram, launch: HostLaunch): Promise<RankResult> {
  const started = performance.now();
  const value = await host(comm, launch);
  const printed = comm.isOpen ? (await comm.synchronize()).printed : [];
  return { rank: comm.rank, milliseconds: performance.now() - started, value, printed, windows: {} };
}
