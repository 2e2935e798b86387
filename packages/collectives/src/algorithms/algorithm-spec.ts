import { collectiveNames, type CollectiveName } from '@nccl-ts/core';
import type { Communicator, LaunchOptions, PreparedLaunch } from '@nccl-ts/communicator';
import type { Kernel } from '@nccl-ts/kernel';
import type { BackendShape, Room } from '../backend-shape.ts';
import { collectiveState, type CollectiveState } from '../state/collective-state.ts';
import { oncePerCommunicator } from '../state/once-per-communicator.ts';
import type { CollectiveKernels, HostCall, HostCalls, LaunchScratch } from '../kernels/collective-kernels.ts';
import type { KernelShape } from '../kernels/kernel-shape.ts';
import type { ObstacleQuery } from './obstacles.ts';

/** The facts about an algorithm that are public. */
export interface AlgorithmFacts {
  /**
   * True if the algorithm works between load-store domains, and only there. The others work within
   * one domain.
   */
  readonly spansDomains: boolean;
  /**
   * True if results on GPUs are right only over NVLink. The default selection then uses it only
   * there.
   *
   * @default false
   */
  readonly needsNvlink?: boolean;
  /** True if a CTA may use the same scratch memory several times within one call. */
  readonly reusesScratch: boolean;
  /**
   * Returns the reason, in words, why the algorithm does not support a call; undefined if it does.
   */
  readonly obstacle: (query: ObstacleQuery) => string | undefined;
}

/** The whole specification of an algorithm. */
export interface AlgorithmSpec extends AlgorithmFacts {
  /** Makes the kernels, for each collective that the algorithm supports. */
  readonly makers: Readonly<Partial<Record<CollectiveName, KernelMaker>>>;
  /** The largest launch for which there is scratch memory. */
  readonly room: (shape: BackendShape) => Room;
  /** The number of bytes from which another CTA pays off. @default the backend's */
  readonly bytesPerCta?: (threads: number) => number;
  /**
   * True if each element is reduced once, in rank order. A backend may then compute it without
   * kernels.
   */
  readonly inRankOrder: boolean;
}

/**
 * The kernels of one algorithm for one collective. A launch first allocates the scratch memory that
 * they need.
 */
export interface AlgorithmKernels {
  /** Runs one call. */
  readonly one: Kernel;
  /** Runs up to `GROUP_WIDTH` calls. */
  readonly several: Kernel;
  /** Launches one call, or up to `GROUP_WIDTH` together. All ranks must launch the same calls. */
  readonly launch: (comm: Communicator, options: LaunchOptions, calls: HostCalls) => Promise<void>;
  /**
   * Launches one call and keeps the checked launch in `again`, so that the next launch is not
   * checked again.
   */
  readonly launchAgain: (
    comm: Communicator,
    options: LaunchOptions,
    call: HostCall,
    again: RepeatedLaunch,
  ) => Promise<void>;
}

/** A launch that has been checked and can be repeated. */
export interface RepeatedLaunch {
  prepared: PreparedLaunch | undefined;
}

/** Makes the kernels of one algorithm for one collective. */
export type KernelMaker = (shape: KernelShape) => AlgorithmKernels;

/** An algorithm whose kernels receive `Places`. */
interface ScratchAlgorithmSpec<Places> extends Omit<AlgorithmSpec, 'makers'> {
  readonly makers: Readonly<Partial<Record<CollectiveName, (shape: KernelShape) => CollectiveKernels<Places>>>>;
  /**
   * Allocates, together with all ranks, the scratch memory that the algorithm needs on a
   * communicator. It is called when the communicator first uses the algorithm. The communicator
   * owns the memory.
   */
  readonly scratch: (comm: Communicator, state: CollectiveState) => Promise<LaunchScratch<Places>>;
}

export function defineAlgorithm<Places>({ makers, scratch, ...facts }: ScratchAlgorithmSpec<Places>): AlgorithmSpec {
  const placeOn = oncePerCommunicator(async (comm) => scratch(comm, await collectiveState(comm)));
  const bound: Partial<Record<CollectiveName, KernelMaker>> = {};
  for (const name of collectiveNames) {
    const make = makers[name];
    if (make !== undefined) bound[name] = (shape) => kernelsOn(placeOn, make(shape));
  }
  return Object.freeze({ ...facts, makers: Object.freeze(bound) });
}

function kernelsOn<Places>(
  placeOn: (comm: Communicator) => Promise<LaunchScratch<Places>>,
  { one, several, launch, prepare }: CollectiveKernels<Places>,
): AlgorithmKernels {
  return Object.freeze({
    one,
    several,
    launch: async (comm: Communicator, options: LaunchOptions, calls: HostCalls) =>
      launch(comm, await placeOn(comm), options, calls),
    // It takes as long as `launch`, so that calls keep their order even if they are not awaited.
    launchAgain: async (comm: Communicator, options: LaunchOptions, call: HostCall, again: RepeatedLaunch) => {
      const place = await placeOn(comm);
      again.prepared ??= prepare(comm, place, options, call);
      return again.prepared.launch();
    },
  });
}
