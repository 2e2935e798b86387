import { expectInteger, showValue } from '@nccl-ts/core';
import { isArrayLike } from './compound-types.ts';
import { allocFor, type DescribedMemory } from './describe-memory.ts';
import { devCommArgument } from './dev-comm-argument.ts';
import { kernelsOf, type Harness } from './harness.ts';
import { isAllocation, type Allocation } from './memory/allocation.ts';
import { invalid } from './memory/memory-type.ts';
import type { Pointer } from './memory/pointer.ts';
import type { RankLaunches, RankSetup, RankSteps } from './rank-setup.ts';
import type { HarnessArgument } from './memory/harness-argument.ts';
import { eventMemory, eventsOf } from './steps/event-memory.ts';
import { stepMakers } from './steps/make-steps.ts';
import { isStep, type Step } from './step.ts';
import { surroundingSteps } from './surroundings.ts';

/** A rank's memory and launches, as its setup describes them. */
export interface RankDescription extends Pick<RankLaunches, 'between' | 'expect'> {
  readonly rank: number;
  readonly memory: readonly DescribedMemory[];
  /**
   * The steps of a launch, from 0: those of the list, or the only launch.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if the setup's function returns something else.
   */
  readonly stepsOf: (launch: number) => readonly Step[];
  /** Returns true if the setup has asked for a multicast address so far. */
  readonly usesMulticast: () => boolean;
}

/**
 * Calls the setup of each rank.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the ranks do not make the same allocations. Errors
 * of a setup.
 */
export function describeRanks(harness: Harness, nRanks: number): readonly RankDescription[] {
  const ranks = Object.freeze(Array.from({ length: nRanks }, (_, rank) => rank));
  const described = ranks.map((rank) => surrounded(describeRank(harness, rank, ranks), harness));
  for (const one of described) checkAlike(described[0] ?? one, one);
  return withEvents(described, harness);
}

/** Adds the memory of events, if a rank has any. */
function withEvents(described: readonly RankDescription[], harness: Harness): readonly RankDescription[] {
  if (harness.kernels === undefined) return described;
  const launches = Array.from({ length: harness.launches }, (_, launch) => launch);
  const events = Math.max(0, ...described.flatMap(({ stepsOf }) => launches.map((one) => eventsOf(stepsOf(one)))));
  if (events === 0) return described;
  return described.map((one) => ({ ...one, memory: [...one.memory, eventMemory(one.rank, events)] }));
}

/** Adds the work around the launches, if there is any. */
function surrounded({ expect, ...rank }: RankDescription, { around }: Harness): RankDescription {
  const described = expect === undefined ? rank : { ...rank, expect };
  if (around === undefined || (around.producer !== true && around.consumer !== true)) return described;
  const memory = [...rank.memory];
  const expected = [expect?.() ?? []].flat();
  const { before, after } = surroundingSteps(around, rank.rank, memory, expected);
  const stepsOf = (launch: number): readonly Step[] => [...before, ...rank.stepsOf(launch), ...after];
  // Overwritten results cannot be compared.
  return around.consumer === true ? { ...rank, memory, stepsOf } : { ...described, memory, stepsOf };
}

function describeRank(harness: Harness, rank: number, ranks: readonly number[]): RankDescription {
  const memory: DescribedMemory[] = [];
  let usesMulticast = false;
  const what = `setup of rank ${rank}`;
  const names = [...kernelsOf(harness).keys()];
  const nRanks = ranks.length;
  const setup: RankSetup<string> = {
    rank,
    ranks,
    nRanks,
    launches: harness.launches,
    alloc: allocFor(rank, nRanks, memory, what),
    peer: (allocation, peer, offset = 0) => {
      expectInteger(`${what}: peer: rank`, peer, 0, nRanks - 1);
      return pointerTo(allocation, peer, offset, `${what}: peer`);
    },
    peers: (allocation, offset = 0) => ranks.map((peer) => pointerTo(allocation, peer, offset, `${what}: peers`)),
    sum: (term) => {
      if (typeof term !== 'function')
        throw invalid(`${what}: sum needs a function of the rank; given ${showValue(term)}.`);
      return ranks.reduce((total, one) => total + term(one), 0);
    },
    devComm: devCommArgument,
    multicast: (allocation, offset = 0) => {
      usesMulticast = true;
      return pointerTo(allocation, 'multicast', offset, `${what}: multicast`);
    },
    rankStride: 1n << 32n,
    ...stepMakers(rank, harness.kernels === undefined ? undefined : names),
  };
  const common = { rank, memory, usesMulticast: () => usesMulticast };
  if (harness.kernels !== undefined) {
    const list: unknown = harness.setup(setup);
    if (!isSteps(list)) {
      throw invalid(
        `${what} must answer { steps: [...] }, the list of its launches, because the harness has kernels; given ${showValue(list)}.`,
      );
    }
    const { expect } = list;
    return { ...common, ...(expect === undefined ? {} : { expect }), stepsOf: (launch) => listOf(list, launch, what) };
  }
  const launches: unknown = harness.setup(setup);
  if (!isLaunches(launches)) {
    throw invalid(
      `${what} must answer { args: [...] }, one argument for each parameter; given ${showValue(launches)}.`,
    );
  }
  const { between, expect } = launches;
  const [kernel = ''] = names;
  return {
    ...common,
    ...(between === undefined ? {} : { between }),
    ...(expect === undefined ? {} : { expect }),
    stepsOf: (launch) => [{ kind: 'launch', kernel, args: argumentsOf(launches, launch, what), stream: 0 }],
  };
}

function isLaunches(value: unknown): value is RankLaunches {
  if (typeof value !== 'object' || value === null || !('args' in value)) return false;
  return Array.isArray(value.args) || typeof value.args === 'function';
}

function isSteps(value: unknown): value is RankSteps {
  if (typeof value !== 'object' || value === null || !('steps' in value)) return false;
  return Array.isArray(value.steps) || typeof value.steps === 'function';
}

function argumentsOf({ args }: RankLaunches, launch: number, what: string): readonly HarnessArgument[] {
  const given = typeof args === 'function' ? args(launch) : args;
  if (isArrayLike(given)) return given;
  throw invalid(`${what}: args of launch ${launch} must be an array.`);
}

function listOf({ steps }: RankSteps, launch: number, what: string): readonly Step[] {
  const given: unknown = typeof steps === 'function' ? steps(launch) : steps;
  if (!Array.isArray(given)) {
    throw invalid(`${what}: steps of launch ${launch} must be an array; given ${showValue(given)}.`);
  }
  return given.map((step: unknown, i) => {
    if (isStep(step)) return step;
    throw invalid(
      `${what}: step ${i + 1} of launch ${launch} must come from launch, memcpy, memset, synchronize, writeWord, waitWord, record, waitEvent, hostBarrier, or an allocation's write or equals; given ${showValue(step)}.`,
    );
  });
}

function pointerTo(allocation: Allocation, rank: Pointer['rank'], offset: number, what: string): Pointer {
  if (!isAllocation(allocation))
    throw invalid(`${what}: the first argument must be an allocation; given ${showValue(allocation)}.`);
  expectInteger(`${what}: byteOffset into ${allocation.name}`, offset, 0, allocation.bytes - 1);
  return { kind: 'pointer', allocation, rank, offset };
}

/** @throws NcclError if two ranks make different allocations. */
function checkAlike(a: RankDescription, b: RankDescription): void {
  const one = a.memory.map(textOf);
  const other = b.memory.map(textOf);
  if (one.join() === other.join()) return;
  throw invalid(
    `the setups of rank ${a.rank} and rank ${b.rank} make different allocations: all ranks must make the same ones, in the same order.\n` +
      `  rank ${a.rank}: ${one.join(', ') || 'none'}\n  rank ${b.rank}: ${other.join(', ') || 'none'}`,
  );
}

function textOf({ allocation: { name, type, count } }: DescribedMemory): string {
  return `${name} (${count} x ${type.typeName.length > 40 ? `${type.bytes} bytes` : type.typeName})`;
}
