import { acquireOrderOf, type MemoryOrder } from '@nccl-ts/core';
import {
  after,
  exploreExecutions,
  fence,
  known,
  modify,
  read,
  wait,
  write,
  type AgentProgram,
  type AgentSteps,
  type Later,
  type SpaceOptions,
} from '@nccl-ts/memory-model';
import * as fc from 'fast-check';

/**
 * Flags increase, and waits require at least a value, so later stores of a flag also satisfy them.
 */
export type Step =
  | RaiseStep
  | AddStep
  | WaitStep
  | {
      /** An update changes a word to another value, in the same way for all agents. */
      readonly kind: 'apply';
      readonly data: number;
      readonly order: MemoryOrder;
      /** True if an earlier read did not satisfy it. */
      readonly tries: boolean;
    }
  | { readonly kind: 'fence'; readonly order: 'acquire' | 'release' | 'acq_rel' | 'seq_cst' }
  | {
      readonly kind: 'store' | 'load';
      readonly data: number;
      readonly strong: boolean;
      /** For a strong access: true if it releases, or acquires. */
      readonly ordered?: boolean;
    };

export interface RaiseStep {
  readonly kind: 'raise';
  readonly flag: number;
  readonly strong: boolean;
  readonly release: boolean;
  /** Absent for one more than the last value of this agent. */
  readonly value?: number;
}

export interface AddStep {
  readonly kind: 'add';
  readonly flag: number;
  readonly release: boolean;
  /** Absent for 1. */
  readonly amount?: number;
}

export interface WaitStep {
  readonly kind: 'wait';
  readonly flags: readonly number[];
  /** The value that each flag must have reached or, with `exactly`, have. */
  readonly least: number;
  readonly exactly?: boolean;
  /** If present, the signed value of each flag must be at most this, instead. */
  readonly atMost?: number | undefined;
  /** If present, each flag must have another value than this, instead. */
  readonly not?: number;
  /** True if its value is part of the result. */
  readonly keeps?: boolean;
  readonly acquire: boolean;
}

/** True if any value of a flag satisfies the wait. */
export function passes({ least, exactly = false, atMost, not }: WaitStep, value: bigint): boolean {
  if (not !== undefined) return value !== BigInt(not);
  if (atMost !== undefined) return BigInt.asIntN(32, value) <= BigInt(atMost);
  return exactly ? value === BigInt(least) : value >= BigInt(least);
}

/** The value to which an agent raises a flag, after an earlier value of its own. */
export function raisedTo({ value }: RaiseStep, last = 0n): bigint {
  return value === undefined ? last + 1n : BigInt(value);
}

/** The value of a word after an addition. */
export function increased({ amount = 1 }: AddStep, value: bigint): bigint {
  return BigInt.asUintN(32, value + BigInt(amount));
}

/** The new value of a word. */
export function applied(value: bigint): bigint {
  return BigInt.asUintN(32, 3n * value + 1n);
}

const FLAGS = 2;
const word = (index: number): { at: number; bytes: number } => ({ at: 64 + 4 * index, bytes: 4 });
const access = (order: MemoryOrder) => ({ order, scope: 'system' }) as const;

function agent(rank: number, steps: readonly Step[]): AgentProgram {
  return {
    name: `${rank}`,
    coordinates: { rank, cta: rank, thread: 0 },
    start: function* (): AgentSteps {
      const seen: Later<bigint | string>[] = [];
      const raised = new Map<number, bigint>();
      for (const [site, step] of steps.entries()) {
        switch (step.kind) {
          case 'raise': {
            const value = raisedTo(step, raised.get(step.flag));
            raised.set(step.flag, value);
            const how = step.strong ? access(step.release ? 'release' : 'relaxed') : undefined;
            yield* write(word(step.flag), how, site, value);
            break;
          }
          case 'add':
            yield* modify(word(step.flag), access(step.release ? 'release' : 'relaxed'), site, (old) =>
              increased(step, old),
            );
            break;
          case 'wait':
            {
              const saw = yield* wait((look) => {
                const how = access(step.acquire ? 'acquire' : 'relaxed');
                const values = step.flags.map((flag) => look(word(flag), how, site));
                if (!values.every((value) => passes(step, value))) return undefined;
                return { value: step.keeps === true ? values.join('+') : '' };
              }, site);
              if (step.keeps === true) seen.push(saw);
            }
            break;
          case 'apply':
            // Its value is not used.
            if (step.tries) yield* read(word(FLAGS + step.data), access(acquireOrderOf(step.order)), site);
            yield* modify(word(FLAGS + step.data), access(step.order), site, (old) => applied(old));
            break;
          case 'fence':
            yield* fence({ order: step.order, scope: 'system' }, site);
            break;
          case 'store':
            yield* write(
              word(FLAGS + step.data),
              step.strong ? access(step.ordered === true ? 'release' : 'relaxed') : undefined,
              site,
              BigInt(10 * rank + site),
            );
            break;
          case 'load':
            // Nothing that follows depends on it.
            seen.push(
              yield* read(
                word(FLAGS + step.data),
                step.strong ? access(step.ordered === true ? 'acquire' : 'relaxed') : undefined,
                site,
              ),
            );
            break;
        }
      }
      return after(seen, () => seen.map(known).join(' '));
    },
  };
}

export interface Found {
  readonly sets: Readonly<Record<string, readonly string[]>>;
  readonly complete: boolean;
  readonly executions: number;
  readonly runs: number;
}

/** All results of agents with these steps. */
export function explored(programs: readonly (readonly Step[])[], options: Partial<SpaceOptions>): Found {
  const found = {
    results: new Set<string>(),
    races: new Set<string>(),
    blocked: new Set<string>(),
    finals: new Set<string>(),
  };
  const { complete, executions, runs } = exploreExecutions(
    programs.map((steps, rank) => agent(rank, steps)),
    {
      runs: 20_000,
      ...options,
      onExecution: ({ races, blocked, results, finals }) => {
        for (const { first, second } of races)
          found.races.add(`${first.agent}.${first.site} ${second.agent}.${second.site}`);
        if (blocked.length > 0) found.blocked.add(blocked.map(({ program }) => program.name).join());
        else found.results.add(results.join(' | '));
        for (const values of finals([0, 1, 2, 3].map(word))) found.finals.add(values.join());
      },
    },
  );
  const sets = Object.fromEntries(Object.entries(found).map(([name, set]) => [name, [...set].toSorted()]));
  return { sets, complete, executions, runs };
}

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('raise'),
      flag: fc.nat(FLAGS - 1),
      strong: fc.integer({ min: 0, max: 5 }).map((n) => n > 0),
      release: fc.boolean(),
    } as const),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('add'), flag: fc.nat(FLAGS - 1), release: fc.boolean() } as const),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('wait'),
      flags: fc.constantFrom([0], [1], [0, 1]),
      least: fc.integer({ min: 1, max: 2 }),
      acquire: fc.boolean(),
    } as const),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('fence'),
      order: fc.constantFrom('acquire', 'release', 'acq_rel', 'seq_cst'),
    } as const),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('store', 'load'),
      data: fc.nat(1),
      strong: fc.boolean(),
      ordered: fc.boolean(),
    } as const),
  },
);

/** Two or three agents. */
export const risingFlags: fc.Arbitrary<Step[][]> = fc.array(fc.array(step, { minLength: 2, maxLength: 5 }), {
  minLength: 2,
  maxLength: 3,
});

/** The same, but some waits require one value, and some keep the value that they read. */
export const mixedWaits: fc.Arbitrary<Step[][]> = fc
  .tuple(risingFlags, fc.array(fc.nat(3), { minLength: 15, maxLength: 15 }))
  .map(([programs, hows]) =>
    programs.map((steps, rank) =>
      steps.map((step, i) => {
        const how = hows[(5 * rank + i) % hows.length] ?? 0;
        return step.kind === 'wait' ? { ...step, exactly: how % 2 === 1, keeps: how > 1 } : step;
      }),
    ),
  );

/** Like `risingFlags`, but most data are words that every agent changes to the next value. */
export const appliedWords: fc.Arbitrary<Step[][]> = fc
  .tuple(risingFlags, fc.array(fc.nat(11), { minLength: 15, maxLength: 15 }))
  .map(([programs, hows]) =>
    programs.map((steps, rank) =>
      steps.map((step, i): Step => {
        const how = hows[(5 * rank + i) % hows.length] ?? 0;
        if ((step.kind !== 'store' && step.kind !== 'load') || how > 9) return step;
        const order = (['relaxed', 'acquire', 'release', 'acq_rel'] as const)[how % 4] ?? 'relaxed';
        return { kind: 'apply', data: step.data, order, tries: how > 4 };
      }),
    ),
  );

/**
 * The change of a step of a round: removed, without its order, or unchanged. Waits may require one
 * value, or keep the value that they read.
 */
const change = fc.constantFrom('as it is', 'as it is', 'as it is', 'weaker', 'left out', 'exactly', 'keeps');

/**
 * Rounds in which agents signal to each other by flags that they raise, or to which all add. Some
 * of the steps are changed.
 */
export const changedRounds: fc.Arbitrary<Step[][]> = fc
  .record({
    agents: fc.constantFrom(2, 2, 3),
    rounds: fc.integer({ min: 1, max: 2 }),
    together: fc.boolean(),
    changes: fc.array(change, { minLength: 12, maxLength: 36 }),
  })
  .map(({ agents, rounds, together, changes }) =>
    Array.from({ length: agents }, (_, rank) =>
      Array.from({ length: rounds }, (_unused, round) =>
        roundOf({ agents, rank, round, together }).flatMap((step, i): readonly Step[] => {
          const how = changes[(12 * rank + 4 * round + i) % changes.length];
          if (how === 'left out') return [];
          if (how === 'weaker') return [weaker(step)];
          return step.kind === 'wait' && (how === 'exactly' || how === 'keeps') ? [{ ...step, [how]: true }] : [step];
        }),
      ).flat(),
    ),
  );

interface RoundOf {
  readonly agents: number;
  readonly rank: number;
  readonly round: number;
  /** True if all add to one flag. Otherwise there are two agents, each with its own flag. */
  readonly together: boolean;
}

/**
 * Rank 0 writes before the barrier, and the others read afterwards. Rounds alternate between two
 * words.
 */
function roundOf({ agents, rank, round, together }: RoundOf): readonly Step[] {
  const data = round % 2;
  const shared = together || agents > FLAGS;
  const flags = shared ? [0] : [1 - rank];
  const meet: readonly Step[] = [
    shared ? { kind: 'add', flag: 0, release: true } : { kind: 'raise', flag: rank, strong: true, release: true },
    { kind: 'wait', flags, least: (round + 1) * (shared ? agents : 1), acquire: true },
  ];
  return rank === 0
    ? [{ kind: 'store', data, strong: false }, ...meet]
    : [...meet, { kind: 'load', data, strong: false }];
}

function weaker(step: Step): Step {
  switch (step.kind) {
    case 'raise':
    case 'add':
      return { ...step, release: false };
    case 'wait':
      return { ...step, acquire: false };
    default:
      return step;
  }
}
