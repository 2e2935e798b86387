import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { DeliveryTiming, Schedules } from './campaign.ts';

export const usage = `Usage: node dist/seeds/main.js [OPTION ...]

Runs each example on the simulator under many schedules, on 2, 4, 8 and 16 ranks in LSA teams of 1, 2, 4 and 8. Prints the wrong runs and their errors, and fails if there are any.

  --example NAME     only examples whose names begin with NAME (default: all)
  --ranks N          only runs with N ranks (default: all)
  --seeds N          schedules for each run (default: 200)
  --first N          the first seed (default: 1)
  --delivery NAME    delivery by the network: random or late (default: both)
  --full             use as many elements as NCCL's examples
  --check            look for races and misuse in every run, alternating the strategies random, pct and late
  --jobs N           number of processes (default: one per core)`;

/** The range of a campaign. */
export interface Campaign {
  readonly example: string;
  readonly ranks: number | undefined;
  readonly schedules: Schedules;
  readonly jobs: number;
}

/** The campaign that the command line describes. `undefined` if it asks for help. */
export function campaignOf(args: readonly string[]): Campaign | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      example: { type: 'string', default: '' },
      ranks: { type: 'string' },
      seeds: { type: 'string', default: '200' },
      first: { type: 'string', default: '1' },
      delivery: { type: 'string' },
      check: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      jobs: { type: 'string', default: String(availableParallelism()) },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) return undefined;
  const all: readonly DeliveryTiming[] = ['random', 'late'];
  const deliveries = all.filter((name) => (values.delivery ?? name) === name);
  if (deliveries.length === 0) throw new Error(`--delivery ${values.delivery}: it must be random or late`);
  return {
    example: values.example,
    ranks: values.ranks === undefined ? undefined : integer('--ranks', values.ranks, 1),
    schedules: {
      deliveries,
      firstSeed: integer('--first', values.first, 0),
      seeds: integer('--seeds', values.seeds, 1),
      check: values.check,
      full: values.full,
    },
    jobs: integer('--jobs', values.jobs, 1),
  };
}

function integer(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least)
    throw new Error(`${name} ${text}: it must be an integer of at least ${least}`);
  return value;
}
