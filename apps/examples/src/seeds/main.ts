import { parseArgs } from 'node:util';
import { examples } from '../examples.ts';
import { hostExamples } from '../host-examples.ts';
import { fits, racing, runSchedules, shapes, type Delivery, type Failure } from './campaign.ts';

const usage = `Usage: node dist/seeds/main.js [OPTION ...]

Runs each example on the simulator under many schedules, on 2, 4, 8 and 16 ranks in LSA teams of 1, 2, 4 and 8, prints how many
runs came out wrong and how, and fails if any did.

  --example NAME     those whose names begin so (default: all)
  --ranks N          with so many ranks (default: all)
  --seeds N          schedules each (default: 200)
  --first N          the first seed (default: 1)
  --delivery NAME    of the network: random or late (default: both)
  --full             as many elements as NCCL's examples have
  --check            look for races, misuse and the like in every run, by strategies random, pct and late in turn`;

interface Campaign {
  readonly example: string;
  readonly ranks: number | undefined;
  readonly seeds: number;
  readonly firstSeed: number;
  readonly deliveries: readonly Delivery[];
  readonly check: boolean;
  readonly full: boolean;
}

/** What the command line asks for; `undefined` where it asks for help. */
function campaignOf(args: readonly string[]): Campaign | undefined {
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
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) return undefined;
  const deliveries = (['random', 'late'] as const).filter((name) => (values.delivery ?? name) === name);
  if (deliveries.length === 0) throw new Error(`--delivery ${values.delivery}: it must be random or late`);
  return {
    example: values.example,
    ranks: values.ranks === undefined ? undefined : integer('--ranks', values.ranks),
    seeds: integer('--seeds', values.seeds),
    firstSeed: integer('--first', values.first),
    deliveries,
    check: values.check,
    full: values.full,
  };
}

function integer(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${name} ${text}: it must be an integer, 0 at least`);
  return value;
}

/** Runs the campaign, prints a line for each example as it is through, and answers what went wrong. */
async function run({
  example,
  ranks,
  seeds,
  firstSeed,
  deliveries,
  check,
  full,
}: Campaign): Promise<readonly Failure[]> {
  const chosen = [...examples, ...hostExamples].filter(({ name }) => name.startsWith(example));
  if (chosen.length === 0) throw new Error(`--example ${example}: there is none whose name begins so`);
  const over = shapes.filter((shape) => ranks === undefined || shape.ranks === ranks);
  console.log('Runs that came out wrong, of all runs; columns are ranks x LSA size');
  console.log(
    `${''.padEnd(28)}${over.map((shape) => `${shape.ranks}x${shape.lsaSize}`.padStart(8)).join('')}   seconds`,
  );
  const failures: Failure[] = [];
  for (const each of chosen) {
    const began = performance.now();
    process.stdout.write(each.name.padEnd(28));
    for (const shape of over) {
      if (!fits(each, shape)) {
        process.stdout.write('-'.padStart(8));
        continue;
      }
      const outcome = await runSchedules(each, shape, { deliveries, firstSeed, seeds, check, full });
      failures.push(...outcome.failures);
      process.stdout.write(`${outcome.failures.length}/${outcome.runs}`.padStart(8));
    }
    console.log(((performance.now() - began) / 1000).toFixed(1).padStart(10));
    if (check && racing[each.name] !== undefined) console.log(`  races by the memory model: ${racing[each.name]}`);
  }
  return failures;
}

/** One failure of each example, in full. */
function report(failures: readonly Failure[]): void {
  const told = new Set<string>();
  for (const { example, ranks, lsaSize, delivery, seed, said } of failures) {
    if (told.has(example)) continue;
    told.add(example);
    console.log(`\n${example} on ${ranks} ranks, LSA size ${lsaSize}, delivery ${delivery}, seed ${seed}:\n${said}`);
  }
}

async function start(args: readonly string[]): Promise<number> {
  let campaign: Campaign | undefined;
  try {
    campaign = campaignOf(args);
    if (campaign === undefined) {
      console.log(usage);
      return 0;
    }
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 2;
  }
  const failures = await run(campaign);
  report(failures);
  return failures.length === 0 ? 0 : 1;
}

process.exitCode = await start(process.argv.slice(2));
