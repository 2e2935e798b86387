import { fork, type ChildProcess } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { allExamples } from './all-examples.ts';
import { runSchedules, type CampaignOutcome, type Schedules, type RankShape } from './campaign.ts';

/** A unit: some of the schedules of an example on a shape. */
export interface Unit {
  readonly example: string;
  readonly shape: RankShape;
  readonly schedules: Schedules;
}

/** A worker's message: the result of a unit, or the reason why there is none. */
type UnitResponse = CampaignOutcome | { readonly broken: string };

/** Runs units until its parent stops asking. */
export function work(): void {
  process.on('message', (unit: Unit) => {
    void answerTo(unit).then((answer) => process.send?.(answer));
  });
  process.once('disconnect', () => process.exit());
}

async function answerTo({ example: name, shape, schedules }: Unit): Promise<UnitResponse> {
  try {
    const example = allExamples.find((one) => one.name === name);
    if (example === undefined) throw new RangeError(`there is no example ${name}`);
    return await runSchedules(example, shape, schedules);
  } catch (error) {
    return { broken: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/** A process that runs one unit after the other. */
export class UnitProcess {
  readonly #child: ChildProcess;

  /** Starts `entry`, which is this program, as a worker. */
  constructor(entry: URL) {
    this.#child = fork(fileURLToPath(entry), ['worker'], {
      execArgv: process.execArgv,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
  }

  /** @throws if the worker itself fails or ends. */
  async run(unit: Unit): Promise<CampaignOutcome> {
    const child = this.#child;
    const answer = await new Promise<UnitResponse>((resolve) => {
      const settle = (given: UnitResponse): void => {
        child.off('exit', onExit);
        child.off('message', settle);
        resolve(given);
      };
      const onExit = (): void => settle({ broken: 'its process ended' });
      child.once('exit', onExit);
      child.once('message', settle);
      child.send(unit, (error) => {
        if (error !== null) settle({ broken: error.message });
      });
    });
    if ('broken' in answer) {
      const { example, shape, schedules } = unit;
      throw new Error(
        `${example} on ${shape.ranks} ranks, LSA size ${shape.lsaSize}, from seed ${schedules.firstSeed} on: ${answer.broken}`,
      );
    }
    return answer;
  }

  stop(): void {
    this.#child.kill();
  }
}
