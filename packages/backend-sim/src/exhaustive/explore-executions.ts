import type { CheckReport } from '@nccl-ts/findings';
import { executionsOf, ExecutionSpace, type Execution } from '@nccl-ts/memory-model';
import { createTopology } from '@nccl-ts/topology';
import { defineBackend, type OpenWorldOptions } from '@nccl-ts/transport';
import { simWith, type SimBackend } from '../sim-backend.ts';
import type { ResolvedSimOptions } from '../sim-options.ts';
import { ExecutionFindings } from './execution-findings.ts';
import { ExploredWorld } from './explored-world.ts';

/** What was gone through, and what was found. */
export interface ExploredExecutions {
  /** How often `run` was called. */
  readonly runs: number;
  readonly complete: boolean;
  readonly report: CheckReport;
}

/**
 * Calls `run` once for each way in which the memory model lets reads be answered. `run` opens one world on the backend it gets
 * and does the same each time. A run that leads to no execution ends with `NCCLTS_ABORTED`, one that comes to a standstill with
 * `NCCLTS_DEADLOCK`: both, and what a fault rejects with, are let through by `run` and kept from the caller.
 *
 * @throws what else `run` throws in an execution, at once.
 */
export async function exploreWorld(
  resolved: ResolvedSimOptions,
  run: (backend: SimBackend) => Promise<void>,
  bound: { readonly runs: number },
): Promise<ExploredExecutions> {
  const topology = createTopology({ ranks: resolved.ranks, lsaSize: resolved.lsaSize });
  const findings = new ExecutionFindings();
  let unsupported: string | undefined;
  let world: ExploredWorld | undefined;
  const space = new ExecutionSpace({
    runs: bound.runs,
    initialValue: (at, bytes) => world?.initialValue(at, bytes) ?? 0n,
  });
  const plain = simWith(resolved, undefined);
  for (let execution = space.begin(); execution !== undefined; execution = space.begin()) {
    const own = execution;
    const worlds: ExploredWorld[] = [];
    const backend = defineBackend<SimBackend>({
      ...plain,
      open: async ({ onStall }: OpenWorldOptions) => {
        if (worlds.length > 0) throw new RangeError('What is explored opens one world at a time.');
        const opened = new ExploredWorld({
          topology,
          options: resolved,
          space,
          run: own,
          onStall,
          onUnsupported: (what) => {
            unsupported ??= what;
          },
        });
        world = opened;
        worlds.push(opened);
        return opened;
      },
    });
    let thrown: { readonly error: unknown } | undefined;
    try {
      await run(backend);
    } catch (error) {
      thrown = { error };
    }
    const [opened] = worlds;
    if (opened === undefined) {
      if (thrown !== undefined) throw thrown.error;
      continue;
    }
    const found = outcome(opened, own);
    for (const each of found) findings.add(opened, each);
    const failed = found.length > 0 && opened.runner.launches.some(({ failure }) => failure !== undefined);
    if (failed) findings.addFault(opened);
    opened.release();
    if (thrown !== undefined && found.length > 0 && !failed && opened.runner.stalled.length === 0) throw thrown.error;
  }
  const left = unsupported ?? (space.complete ? undefined : `${bound.runs} runs`);
  return Object.freeze({ runs: space.runs, complete: left === undefined, report: findings.report(left) });
}

/** The executions that a run has come to. */
function outcome({ runner }: ExploredWorld, run: Parameters<typeof executionsOf>[0]): readonly Execution[] {
  if (runner.stalled.length > 0) return runner.stalled;
  if (runner.impossible || !runner.settle()) return [];
  return [...executionsOf(run)];
}
