import type { CheckReport, Finding } from '@nccl-ts/findings';
import { executionsOf, ExecutionSpace, OrderBudget, type Execution, type Run } from '@nccl-ts/memory-model';
import { createTopology } from '@nccl-ts/topology';
import { defineBackend, type OpenWorldOptions } from '@nccl-ts/transport';
import { simWith, isReported, type ResolvedSimOptions } from '@nccl-ts/backend-sim/internal';
import type { SimBackend } from '@nccl-ts/backend-sim';
import { ExecutionFindings } from './execution-findings.ts';
import { exploredExecution, type ExploredExecution } from './explored-execution.ts';
import { ExploredWorld } from './explored-world.ts';
import type { ExploreBound } from './explore-bound.ts';

/** The result of an exploration. */
export interface ExploredExecutions {
  /** The number of calls of `run`. */
  readonly runs: number;
  readonly complete: boolean;
  readonly report: CheckReport;
}

/** Callbacks that run during the exploration. */
export interface ExploreListeners {
  /**
   * Called once for each finding, as soon as it is made. If it returns `stop`, the current run is
   * the last one.
   */
  readonly onFinding?: (finding: Finding) => 'stop' | undefined;
  /**
   * Called for each execution, with the write that each read has taken. When the exploration learns
   * of another meeting of hosts it starts again, and the index with it.
   */
  readonly onExecution?: (execution: ExploredExecution) => void;
  /** Called before each run except the first. If it returns true, no more runs follow. */
  readonly isOver?: () => boolean;
}

/**
 * Calls `run` once for each assignment of writes to reads that the memory model allows. `run` must
 * open one world on its backend and do the same each time. A run that leads to no execution ends
 * with `NCCLTS_ABORTED`, and a stuck run with `NCCLTS_DEADLOCK`. `run` must rethrow both, and the
 * errors of faults; the caller does not see them. A host program never receives a result that
 * depends on an undecided read. So the values that it reads, and a run without an error, belong to
 * an execution.
 *
 * @throws other errors that `run` throws in an execution, immediately.
 */
export async function exploreWorld(
  resolved: ResolvedSimOptions,
  run: (backend: SimBackend) => Promise<void>,
  bound: ExploreBound,
  { onFinding, onExecution, isOver }: ExploreListeners = {},
): Promise<ExploredExecutions> {
  const topology = createTopology({ ranks: resolved.ranks, lsaSize: resolved.lsaSize });
  let stops = false;
  const findings = new ExecutionFindings(resolved.strict, (finding) => {
    if (onFinding?.(finding) === 'stop') stops = true;
  });
  const crossed = new Set<number>();
  let unsupported: string | undefined;
  let executions = 0;
  let world: ExploredWorld | undefined;
  const space = new ExecutionSpace({
    ...bound,
    initialValue: (at, bytes) => {
      if (world === undefined) throw new RangeError('Memory is requested before a world is open.');
      return world.initialValue(at, bytes);
    },
  });
  const plain = simWith(resolved, undefined);
  let over = false;
  const ends = (): boolean => {
    over ||= isOver?.() === true;
    return stops || over;
  };
  for (let execution = space.begin(); execution !== undefined; execution = ends() ? undefined : space.begin()) {
    const own = execution;
    const worlds: ExploredWorld[] = [];
    const backend = defineBackend<SimBackend>({
      ...plain,
      open: async ({ onStall }: OpenWorldOptions) => {
        if (worlds.length > 0) throw new RangeError('An exploration opens one world at a time.');
        const opened = new ExploredWorld({
          topology,
          options: resolved,
          space,
          run: own,
          crossed,
          onStall,
          approximations: findings.approximations,
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
    const budget = new OrderBudget();
    let count = 0;
    for (const each of outcome(opened, own, budget)) {
      count++;
      onExecution?.(exploredExecution(opened, each, executions++));
      findings.add(opened, each);
      if (findings.needsTime) unsupported ??= 'a wait that ends by its time limit';
    }
    if (opened.runner.broken !== undefined) throw opened.runner.broken.error;
    space.looked(budget);
    findings.addScope(opened);
    const failed = count > 0 && opened.runner.launches.some(({ failure }) => failure !== undefined);
    if (failed) findings.addFault(opened);
    if (count > 0) findings.addMisuses(opened);
    const isNewError = count > 0 && thrown !== undefined && findings.addThrown(opened, thrown.error);
    if (opened.learnsOfHosts()) {
      space.restart();
      findings.restart();
      executions = 0;
    }
    opened.release();
    const reported = failed || isNewError || opened.runner.stalled.length > 0 || isReported(thrown?.error);
    // After an operation that is not explored, a host may see less than its kernels would leave.
    if (thrown !== undefined && count > 0 && !reported && unsupported === undefined) throw thrown.error;
  }
  const stopped = stops
    ? 'the first findings: the exploration was configured to stop there'
    : over
      ? 'the end of the check'
      : undefined;
  // Every program has an execution. If none was found, the exploration is incomplete and proves
  // nothing.
  const lacking =
    findings.executions === 0 ? 'the explorer could not construct an execution of the program' : undefined;
  const left = unsupported ?? space.bound ?? stopped ?? lacking;
  return Object.freeze({ runs: space.runs, complete: left === undefined, report: findings.report(left) });
}

/** Yields the executions that the run has reached. */
function* outcome({ runner }: ExploredWorld, run: Run, budget: OrderBudget): Generator<Execution> {
  if (runner.stalled.length > 0) yield* runner.stalled;
  else if (!runner.impossible && runner.settle()) yield* executionsOf(run, budget);
}
