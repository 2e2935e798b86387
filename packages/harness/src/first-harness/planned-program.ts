import { at } from '@nccl-ts/core';
import { harness, type Harness } from '../harness.ts';
import type { Allocation } from '../memory/allocation.ts';
import { memoryType, type MemoryType } from '../memory/memory-type.ts';
import type { RankSetup } from '../rank-setup.ts';
import { bf16, f16, f32, f64, i16, i32, i64, i8, ptr, u16, u32, u64, u8 } from '../scalar-types.ts';
import { firstValue, PLANNED_COUNT, type LaunchPlan, type PlanContext, type PlannedMemory } from './launch-plan.ts';

const numbers: ReadonlyMap<string, MemoryType<number | bigint>> = new Map(
  Object.entries({ bf16, f16, f32, f64, i16, i32, i64, i8, u16, u32, u64, u8 }),
);

/** The contents of a memory at a rank at the end of a run, by its name. */
export type FinalContents = ReadonlyMap<string, readonly (number | bigint)[]>;

/** A launch of a plan that can run, and the contents of its results at each rank. */
export interface PlannedProgram {
  readonly harness: Harness;
  /** By rank; complete after a run. */
  readonly results: readonly FinalContents[];
}

/** The harness that the text of a plan describes, with stand-ins for values that it leaves open. */
export function plannedProgram(plan: LaunchPlan, entry: string, nRanks: number): PlannedProgram {
  const seen = Array.from({ length: nRanks }, () => new Map<string, (number | bigint)[]>());
  const described = harness({
    entry,
    ranks: nRanks,
    grid: plan.grid,
    block: plan.block,
    launches: plan.launches,
    dynamicShared: plan.dynamicShared ?? 0,
    ...(plan.callsHeaders && plan.devComm !== undefined ? { devComm: plan.devComm } : {}),
    setup(setup) {
      const allocations = new Map<string, Allocation>();
      const allocation = (name: string): Allocation => {
        const known = allocations.get(name);
        if (known === undefined) throw new Error(`the plan has no memory ${name}`);
        return known;
      };
      const contents = at(seen, setup.rank);
      for (const memory of plan.memory) {
        const count = at(memory.sizes, memory.size).of(PLANNED_COUNT, setup.nRanks);
        allocations.set(memory.name, allocate(setup, memory, count, allocation, contents));
      }
      const standIn = plan.standIn.of(PLANNED_COUNT, setup.nRanks);
      const argsOf = (launch: number): PlanContext => ({ setup, n: PLANNED_COUNT, launch, standIn, allocation });
      const results = plan.memory.filter(({ isResult, isSynchronizing }) => isResult || isSynchronizing);
      const made = plan.args.map(({ of }) => of(argsOf(0)));
      return {
        args: (launch) =>
          launch === 0
            ? made
            : plan.args.map(({ of, isMemory }, i) => (isMemory === true ? at(made, i) : of(argsOf(launch)))),
        expect: () => results.map(({ name }) => allocation(name).equals(() => 0)),
      };
    },
  });
  return {
    harness: described,
    // Each value was decoded once for the expectation, and then from memory.
    get results() {
      return seen.map((one) => new Map([...one].map(([name, all]) => [name, all.slice(all.length / 2)])));
    },
  };
}

function allocate(
  { rank, alloc, peers }: RankSetup,
  { name, element, fill }: PlannedMemory,
  count: number,
  allocation: (name: string) => Allocation,
  contents: Map<string, (number | bigint)[]>,
): Allocation {
  if (typeof fill === 'object') return alloc(name, ptr, peers(allocation(fill.peersOf)));
  const type = numbers.get(element) ?? u8;
  const values: (number | bigint)[] = [];
  contents.set(name, values);
  const watched = recording(type, values);
  return alloc(name, watched, count, (i) => firstValue(fill, i, rank));
}

/**
 * A type that records the values that are read of it. They equal each other, so that every
 * expectation holds.
 */
function recording(
  { typeName, bytes, align, encode, decode }: MemoryType<number | bigint>,
  values: (number | bigint)[],
): MemoryType<number | bigint> {
  return memoryType<number | bigint>({
    typeName,
    bytes,
    align,
    encode,
    decode: (from, place) => {
      values.push(decode?.(from, place) ?? Number.NaN);
      return Number.NaN;
    },
  });
}
