import type { JudgeOptions } from './judge.ts';
import type { Effort } from './engines.ts';
import type { Kind } from './kinds.ts';
import { emptyTally, withKinds, type Found, type Tally } from './tally.ts';
import { programOf, type CampaignTheme } from './themes.ts';
import { WorkerProcess } from './worker-process.ts';

export interface CampaignOptions extends Effort {
  /** The first seed. */
  readonly seed: number;
  readonly programs: number;
  readonly theme?: CampaignTheme;
  /** The number of processes. */
  readonly workers: number;
  /** The running module. With `worker` as its argument it is a worker. */
  readonly entry: URL;
  /** Node's options for the workers. @default those of this process */
  readonly execArgv?: readonly string[];
  /** The most seconds for one program. */
  readonly programSeconds: number;
  /** The number of programs that are shrunk for each rule. */
  readonly minimised: number;
  /** Ends the campaign. Unfinished pieces are lost. */
  readonly signal: AbortSignal;
  /** The results of earlier runs. */
  readonly known?: Tally;
  /** Called after each piece. */
  readonly onPiece: (tally: Tally) => void;
  readonly onFound: (found: Found) => void;
}

/** The number of programs in a piece. */
export const PIECE = 25;

/** The rule that a program breaks if an engine does not end. */
export const NO_ANSWER = 'no-answer';

const MINIMISE_SECONDS = 60;

/** Judges the programs of all seeds until the signal, and returns the results so far. */
export async function runCampaign(options: CampaignOptions): Promise<Tally> {
  const { seed, programs, workers } = options;
  const campaign = new Campaign(options, options.known ?? emptyTally(seed, programs));
  await Promise.all(Array.from({ length: workers }, async () => campaign.lane()));
  return campaign.tally;
}

/** The results of a piece so far. */
interface CampaignPiece {
  judged: number;
  refused: number;
  complete: number;
  wrong: number;
  notes: number;
  readonly kinds: { readonly kind: Kind; readonly compared: boolean }[];
  readonly found: Found[];
}

class Campaign {
  readonly #options: CampaignOptions;
  readonly #pieces: number[];
  readonly #smaller = new Map<string, number>();
  tally: Tally;

  constructor(options: CampaignOptions, known: Tally) {
    this.#options = options;
    this.tally = known;
    const { seed, programs } = options;
    const starts = Array.from({ length: Math.ceil(programs / PIECE) }, (_, i) => seed + i * PIECE);
    this.#pieces = starts.filter((start) => !known.done.includes(start));
    for (const { rule, program } of known.found) {
      if (program !== undefined) this.#smaller.set(rule, this.#minimisedOf(rule) + 1);
    }
  }

  /** Runs one piece after the other, in a separate process. */
  async lane(): Promise<void> {
    const { signal, seed, programs, onPiece } = this.#options;
    const desk = new Desk(this.#options);
    const stop = (): void => desk.stop();
    signal.addEventListener('abort', stop, { once: true });
    for (let start = this.#pieces.shift(); start !== undefined && !signal.aborted; start = this.#pieces.shift()) {
      const piece: CampaignPiece = { judged: 0, refused: 0, complete: 0, wrong: 0, notes: 0, kinds: [], found: [] };
      const end = Math.min(start + PIECE, seed + programs);
      for (let next = start; next < end && !signal.aborted; next++) await this.#judge(desk, next, piece);
      if (signal.aborted) break;
      const { tally } = this;
      this.tally = {
        ...tally,
        done: [...tally.done, start],
        judged: tally.judged + piece.judged,
        refused: tally.refused + piece.refused,
        complete: tally.complete + piece.complete,
        wrong: tally.wrong + piece.wrong,
        notes: tally.notes + piece.notes,
        kinds: withKinds(tally.kinds, piece.kinds),
        found: [...tally.found, ...piece.found],
      };
      onPiece(this.tally);
    }
    signal.removeEventListener('abort', stop);
    desk.stop();
  }

  async #judge(desk: Desk, seed: number, piece: CampaignPiece): Promise<void> {
    const { theme, signal, bound, schedules, seconds, programSeconds, onFound } = this.#options;
    const limit = seconds === undefined ? {} : { seconds };
    const effort: JudgeOptions = { bound, schedules, again: seed, ...limit };
    const which = theme === undefined ? {} : { theme };
    const answer = await desk.request({ kind: 'judge', seed, effort, ...which }, programSeconds);
    if (signal.aborted) return;
    const tell = (found: Found): void => {
      piece.found.push(found);
      onFound(found);
    };
    piece.judged++;
    if (answer === 'late' || answer === 'ended') {
      const why = answer === 'late' ? `no result after ${programSeconds} s` : 'its process ended';
      tell({ seed, rule: NO_ANSWER, detail: `${desk.engine}: ${why}` });
      return;
    }
    if (answer.kind === 'failed') throw new Error(`Seed ${seed} cannot be judged: ${answer.why}`);
    if (answer.kind !== 'judged') return;
    piece.refused += Number(answer.refused !== undefined);
    piece.complete += Number(answer.complete);
    piece.wrong += Number(answer.wrong);
    piece.notes += answer.notes;
    piece.kinds.push(...answer.kinds.map((kind) => ({ kind, compared: answer.complete })));
    for (const { rule, detail } of answer.disagreements) {
      if (this.#minimisedOf(rule) >= this.#options.minimised) {
        tell({ seed, rule, detail });
        continue;
      }
      this.#smaller.set(rule, this.#minimisedOf(rule) + 1);
      const program = programOf(seed, theme);
      const milliseconds = MINIMISE_SECONDS * 1000;
      const job = { kind: 'minimise', program, rule, detail, effort, milliseconds } as const;
      const smaller = await desk.request(job, MINIMISE_SECONDS * 2);
      if (signal.aborted) return;
      const least = typeof smaller !== 'string' && smaller.kind === 'minimised' ? smaller : { program, detail };
      tell({ seed, rule, detail: least.detail, program: least.program });
    }
  }

  #minimisedOf(rule: string): number {
    return this.#smaller.get(rule) ?? 0;
  }
}

/** A worker that is restarted if it has ended. */
class Desk {
  readonly #entry: URL;
  readonly #execArgv: readonly string[] | undefined;
  #worker: WorkerProcess | undefined;
  #engine = 'nobody';

  constructor({ entry, execArgv }: Pick<CampaignOptions, 'entry' | 'execArgv'>) {
    this.#entry = entry;
    this.#execArgv = execArgv;
  }

  get engine(): string {
    return this.#engine;
  }

  async request(...[job, seconds]: Parameters<WorkerProcess['request']>): ReturnType<WorkerProcess['request']> {
    const worker = (this.#worker ??= new WorkerProcess(this.#entry, this.#execArgv));
    const answer = await worker.request(job, seconds);
    this.#engine = worker.engine;
    if (typeof answer === 'string') this.stop();
    return answer;
  }

  stop(): void {
    this.#worker?.stop();
    this.#worker = undefined;
  }
}
