import type { SimBackend } from '@nccl-ts/backend-sim';
import { check, type HostLaunch, type HostProgram } from '@nccl-ts/checker';
import { World } from '@nccl-ts/communicator';
import { isNcclError, WARP_SIZE } from '@nccl-ts/core';
import { checkedAs, noVerdict, type CheckedText } from '../checked-text.ts';
import type { AddedLaunches, ChangedKernels } from './changed-kernels.ts';

/** One way to run a program. */
export interface ProgramInput extends AddedLaunches {
  readonly name: string;
  readonly ranks: number;
  readonly scale?: number;
  /** The ranks of one load-store domain, if that is not the one of all inputs. */
  readonly lsaSize?: number;
}

/** The `scale` of the larger program, and the name of that input. */
export const LARGER = 8;
export const LARGER_NAME: string = `${LARGER} times the size`;

/** How a program is checked, in every input. */
export interface ProgramLaunch {
  /** The shape that `host` gets. @default 2 CTAs of 32 threads */
  readonly launch?: { readonly grid: number; readonly block: number };
  /**
   * The ranks of one load-store domain. Numbers of ranks that it does not divide are left out.
   * @default all ranks
   */
  readonly lsaSize?: number;
  /** True if each rank is meant to work alone. */
  readonly local?: boolean;
  /** The seconds after which the check of one program in one input ends. @default 5 */
  readonly seconds?: number;
  readonly signal?: AbortSignal;
}

/** The numbers of ranks to check by default. With two, the neighbours on both sides are one. */
export const RANKS: readonly number[] = [2, 3, 4];

/** The launch shape that `host` gets. */
export function hostLaunch(given: ProgramLaunch['launch']): HostLaunch {
  return given ?? { grid: 2, block: WARP_SIZE };
}

/** The numbers of ranks that a load-store domain divides. */
export function dividedBy(lsaSize: number | undefined, ranks: readonly number[]): readonly number[] {
  return ranks.filter((count) => lsaSize === undefined || count % lsaSize === 0);
}

/**
 * Checks a program with changed kernels in an input. `onScale` is called if the host uses `scale`.
 */
export async function checkProgram(
  host: HostProgram,
  { ranks, scale = 1, lsaSize: own }: ProgramInput,
  kernels: ChangedKernels,
  options: ProgramLaunch & { readonly onScale?: () => void },
): Promise<CheckedText> {
  const { launch: shape, lsaSize = own, local, seconds = 5, signal, onScale } = options;
  const launch = {
    ...hostLaunch(shape),
    get scale(): number {
      onScale?.();
      return scale;
    },
  };
  try {
    const given = {
      ranks,
      time: seconds,
      ...(lsaSize === undefined ? {} : { lsaSize }),
      ...(local === undefined ? {} : { local }),
      ...(signal === undefined ? {} : { signal }),
    };
    const report = await check(given, async (backend: SimBackend) => {
      await using world = await World.open({ backend: kernels.backend(backend) });
      await world.run(async (comm) => {
        await host(comm, launch);
      });
    });
    return kernels.invalid === undefined ? checkedAs(report, []) : { kind: 'none', why: kernels.invalid };
  } catch (error) {
    // A host may look at its results.
    return isNcclError(error) ? noVerdict(error) : { kind: 'none', why: `the host program throws ${String(error)}` };
  }
}
