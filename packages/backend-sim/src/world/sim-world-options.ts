import type { EarlierRun } from '../check/earlier-run.ts';
import type { LoadCollectives } from '../collective/load-collectives.ts';
import type { Determinacy } from '@nccl-ts/memory-model';
import type { OpenWorldOptions } from '@nccl-ts/transport';
import type { Instruments } from './instruments.ts';
import type { SimRunnerOptions } from './runner.ts';
import type { GatheringPoints } from '../schedule/gathering.ts';
import type { Scheduler } from '../schedule/scheduler.ts';
import type { ResolvedSimOptions } from './sim-options.ts';
import type { WorkerPool } from '../worker/worker-pool.ts';

/** The options of one simulated world. */
export type SimWorldOptions = Pick<
  ResolvedSimOptions,
  | 'residentCtas'
  | 'seed'
  | 'multimem'
  | 'symmetric'
  | 'memoryBytes'
  | 'fuel'
  | 'gin'
  | 'trace'
  | 'mode'
  | 'strategy'
  | 'depth'
  | 'replay'
  | 'strict'
  | 'engine'
  | 'workers'
  | 'onTurn'
> &
  OpenWorldOptions &
  Pick<SimRunnerOptions, 'isLate'> & {
    readonly instruments: Instruments;
    /** Replaces the seed's scheduler. */
    readonly scheduler?: Scheduler;
    /** True if collectives run without their kernels if possible. @default true */
    readonly native?: boolean;
    /** Loads the engine of these. @default imports the package */
    readonly loadCollectives?: LoadCollectives | undefined;
    /** In a checking world, receives the account of other possible runs. */
    readonly onDeterminacy?: ((account: Determinacy) => void) | undefined;
    readonly hardware?: boolean | undefined;
    /** The facts of an earlier run. Absent in the first one. */
    readonly earlier?: EarlierRun | undefined;
    /** @see SimParts.storyEvents */
    readonly storyEvents?: number | undefined;
    /** The points at which lanes of a warp wait for each other, so that lines stay whole. */
    readonly lines?: GatheringPoints | undefined;
    /** Returns the parts that the next account leaves out. */
    readonly omits?: (() => ReadonlySet<string> | undefined) | undefined;
    /** The threads that run kernels; absent if this thread does. */
    readonly pool?: WorkerPool | undefined;
    /** The reason why there are none, although they were requested. */
    readonly lack?: string | undefined;
  };
