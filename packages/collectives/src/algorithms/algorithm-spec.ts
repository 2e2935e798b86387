import type { Communicator, LaunchOptions, PreparedLaunch } from '@nccl-ts/communicator';
import type { Kernel } from '@nccl-ts/kernel';
import type { BackendShape, Room } from '../backend-shape.ts';
import { collectiveNames, type CollectiveName } from '../collective.ts';
import { collectiveState, type CollectiveState } from '../state/collective-state.ts';
import { oncePerCommunicator } from '../state/once-per-communicator.ts';
import type { CollectiveKernels, HostCall, HostCalls, LaunchPlace } from '../kernels/collective-kernels.ts';
import type { KernelShape } from '../kernels/kernel-shape.ts';
import type { ObstacleQuery } from './obstacles.ts';

/** The facts of an algorithm that programs may ask for. */
export interface AlgorithmFacts {
  /** It works between load-store domains, and only there. The others work within one. */
  readonly spansDomains: boolean;
  /** Within one call, a CTA may use the same scratch memory several times. */
  readonly reusesScratch: boolean;
  /** Returns why the algorithm cannot do something, in words; undefined if it can. */
  readonly obstacle: (query: ObstacleQuery) => string | undefined;
}

/** Everything that the package knows of an algorithm. */
export interface AlgorithmSpec extends AlgorithmFacts {
  /** Makes the kernels of each collective that has the algorithm. */
  readonly makers: Readonly<Partial<Record<CollectiveName, KernelMaker>>>;
  /** The largest launch that the scratch memory has room for. */
  readonly room: (shape: BackendShape) => Room;
  /** The fewest bytes for which another CTA pays off. @default those of the backend */
  readonly bytesPerCta?: (threads: number) => number;
  /**
   * Each element is made once, of rank 0's and the others' in their order: a backend may do it
   * without kernels.
   */
  readonly inRankOrder: boolean;
}

/**
 * The kernels of an algorithm of a collective; a launch makes the scratch memory that they need
 * first.
 */
export interface AlgorithmKernels {
  /** Does one call. */
  readonly one: Kernel;
  /** Does up to `GROUP_WIDTH` calls. */
  readonly several: Kernel;
  /** Launches one call, or up to `GROUP_WIDTH` together. All ranks launch the same. */
  readonly launch: (comm: Communicator, options: LaunchOptions, calls: HostCalls) => Promise<void>;
  /** Launches one call, which `again` keeps: with it, the next launch is checked no more. */
  readonly launchAgain: (
    comm: Communicator,
    options: LaunchOptions,
    call: HostCall,
    again: RepeatedLaunch,
  ) => Promise<void>;
}

/** A launch that was made before, once it was checked. */
export interface RepeatedLaunch {
  prepared: PreparedLaunch | undefined;
}

/** Makes the kernels of one algorithm of a collective. */
export type KernelMaker = (shape: KernelShape) => AlgorithmKernels;

/** An algorithm whose kernels are given `Places`. */
interface Definition<Places> extends Omit<AlgorithmSpec, 'makers'> {
  readonly makers: Readonly<Partial<Record<CollectiveName, (shape: KernelShape) => CollectiveKernels<Places>>>>;
  /**
   * Makes, with all ranks, the scratch memory that a communicator needs for the algorithm. It is
   * called when the communicator first uses the algorithm, and the communicator owns what it makes.
   */
  readonly scratch: (comm: Communicator, state: CollectiveState) => Promise<LaunchPlace<Places>>;
}

export function defineAlgorithm<Places>({ makers, scratch, ...facts }: Definition<Places>): AlgorithmSpec {
  const placeOn = oncePerCommunicator(async (comm) => scratch(comm, await collectiveState(comm)));
  const bound: Partial<Record<CollectiveName, KernelMaker>> = {};
  for (const name of collectiveNames) {
    const make = makers[name];
    if (make !== undefined) bound[name] = (shape) => kernelsOn(placeOn, make(shape));
  }
  return Object.freeze({ ...facts, makers: Object.freeze(bound) });
}

function kernelsOn<Places>(
  placeOn: (comm: Communicator) => Promise<LaunchPlace<Places>>,
  { one, several, launch, prepare }: CollectiveKernels<Places>,
): AlgorithmKernels {
  return Object.freeze({
    one,
    several,
    launch: async (comm: Communicator, options: LaunchOptions, calls: HostCalls) =>
      launch(comm, await placeOn(comm), options, calls),
    // It waits as long as `launch`, so that calls which are not awaited keep their order.
    launchAgain: async (comm: Communicator, options: LaunchOptions, call: HostCall, again: RepeatedLaunch) => {
      const place = await placeOn(comm);
      again.prepared ??= prepare(comm, place, options, call);
      return again.prepared.launch();
    },
  });
}
