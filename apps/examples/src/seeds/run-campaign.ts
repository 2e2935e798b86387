import type { Example } from '../example.ts';
import { allExamples } from './all-examples.ts';
import { fits, shapes, type Failure, type RankShape } from './campaign.ts';
import type { Campaign } from './options.ts';
import { UnitProcess, type Unit } from './worker.ts';

/**
 * The number of seeds of a unit. It is small, so that the last units finish soon after each other.
 */
const UNIT_SEEDS = 50;

/** The results so far of an example on a shape. */
interface CampaignCell {
  readonly shape: RankShape;
  /** The number of unfinished units. */
  left: number;
  runs: number;
  wrong: number;
  seconds: number;
}

interface CampaignRow {
  readonly example: Example;
  readonly cells: readonly (CampaignCell | undefined)[];
}

/**
 * Runs a campaign in processes of `entry`, prints a line for each finished example, and returns the
 * wrong runs.
 */
export async function runCampaign(
  { example, ranks, schedules, jobs }: Campaign,
  entry: URL,
): Promise<readonly Failure[]> {
  const over = shapes.filter((shape) => ranks === undefined || shape.ranks === ranks);
  const failures: Failure[] = [];
  const units: { readonly unit: Unit; readonly cell: CampaignCell }[] = [];
  const rows = allExamples
    .filter(({ name }) => name.startsWith(example))
    .map((one): CampaignRow => ({
      example: one,
      cells: over.map((shape) => {
        if (!fits(one, shape)) return undefined;
        const cell: CampaignCell = { shape, left: 0, runs: 0, wrong: 0, seconds: 0 };
        const end = schedules.firstSeed + schedules.seeds;
        for (let firstSeed = schedules.firstSeed; firstSeed < end; firstSeed += UNIT_SEEDS) {
          const some = { ...schedules, firstSeed, seeds: Math.min(UNIT_SEEDS, end - firstSeed) };
          units.push({ unit: { example: one.name, shape, schedules: some }, cell });
          cell.left++;
        }
        return cell;
      }),
    }));
  if (units.length === 0) throw new Error('no example has this name, or none runs with this number of ranks');
  console.log('Runs that came out wrong, of all runs; columns are ranks x LSA size');
  console.log(
    lineOf(
      '',
      over.map(({ ranks, lsaSize }) => `${ranks}x${lsaSize}`),
      'runs/s of a process',
    ),
  );

  let printed = 0;
  const printFinished = (): void => {
    for (let row = rows[printed]; row?.cells.every((cell) => (cell?.left ?? 0) === 0) === true; row = rows[++printed])
      console.log(lineOfRow(row));
  };
  let next = 0;
  const lane = async (): Promise<void> => {
    const worker = new UnitProcess(entry);
    try {
      for (let taken = units[next++]; taken !== undefined; taken = units[next++]) {
        const { unit, cell } = taken;
        const outcome = await worker.run(unit);
        failures.push(...outcome.failures);
        cell.left--;
        cell.runs += outcome.runs;
        cell.wrong += outcome.failures.length;
        cell.seconds += outcome.seconds;
        printFinished();
      }
    } finally {
      // If one fails, the others stop.
      next = units.length;
      worker.stop();
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, units.length) }, lane));
  const cells = rows.flatMap((row) => row.cells.filter((cell) => cell !== undefined));
  const runs = cells.reduce((sum, cell) => sum + cell.runs, 0);
  console.log(`${runs} runs of ${rows.length} examples, ${failures.length} of which are wrong`);
  return failures;
}

function lineOfRow({ example, cells }: CampaignRow): string {
  const known = cells.filter((cell) => cell !== undefined);
  const seconds = known.reduce((sum, cell) => sum + cell.seconds, 0);
  const runs = known.reduce((sum, cell) => sum + cell.runs, 0);
  const texts = cells.map((cell) => (cell === undefined ? '-' : `${cell.wrong}/${cell.runs}`));
  return lineOf(example.name, texts, (runs / seconds).toFixed(1));
}

function lineOf(name: string, cells: readonly string[], last: string): string {
  return `${name.padEnd(32)}${cells.map((text) => text.padStart(9)).join('')}   ${last}`;
}
