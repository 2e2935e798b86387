import type { BulkProgram } from './bulk-program.ts';
import { enginesOf, type Effort, type Engine } from './engines.ts';
import { BULK_RANKS, loadBulk } from './load-bulk.ts';
import { loadProgram, type RunProgram } from './load-program.ts';
import { observe, type Observation } from './observation.ts';
import { truthOf } from './oracle.ts';
import type { CampaignProgram } from './program.ts';
import { rules, type Seen } from './rules.ts';

/** A rule that a program breaks. */
export interface Disagreement {
  /** The name of the rule. */
  readonly rule: string;
  readonly detail: string;
}

export interface Judgement {
  /** The compile error of its kernels, after which nothing is compared. */
  readonly refused: string | undefined;
  readonly disagreements: readonly Disagreement[];
  /** The broken rules that no engine guarantees. */
  readonly notes: readonly Disagreement[];
  readonly observations: readonly Observation[];
}

export interface JudgeOptions extends Effort {
  /**
   * Selects the engine that runs twice, modulo the number of engines. If absent, none runs twice.
   */
  readonly again?: number;
  /** Called before each engine begins, with its name. */
  readonly onEngine?: (name: string) => void;
}

export const usualEffort: Effort = { schedules: 4, bound: 400 };

/** Runs every engine on a program, and reports contradictions between their results. */
export async function judge(program: CampaignProgram, options: JudgeOptions = usualEffort): Promise<Judgement> {
  return judgeRun({ world: program, load: () => loadProgram(program), truth: () => truthOf(program) }, options);
}

/** The same for a program with bulk copies. */
export async function judgeBulk(program: BulkProgram, options: JudgeOptions = usualEffort): Promise<Judgement> {
  const world = { ranks: BULK_RANKS, lsaSize: BULK_RANKS };
  return judgeRun({ world, load: () => loadBulk(program), truth: () => undefined }, options);
}

interface ProgramUnderTest {
  readonly world: Pick<CampaignProgram, 'ranks' | 'lsaSize'>;
  readonly load: () => RunProgram;
  readonly truth: () => Seen['truth'];
}

async function judgeRun({ world, load, truth }: ProgramUnderTest, options: JudgeOptions): Promise<Judgement> {
  let run: RunProgram;
  try {
    run = load();
  } catch (error) {
    const [refused] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
    return { refused, disagreements: [], notes: [], observations: [] };
  }
  const engines = enginesOf(options);
  const look = async (engine: Engine): Promise<Observation> => {
    options.onEngine?.(engine.name);
    return observe(engine, world, run);
  };
  const observations: Observation[] = [];
  for (const engine of engines) observations.push(await look(engine));
  const repeated: (readonly [Observation, Observation])[] = [];
  const { again } = options;
  if (again !== undefined) {
    const index = again % engines.length;
    const [engine, once] = [engines[index], observations[index]];
    if (engine !== undefined && once !== undefined) repeated.push([once, await look(engine)]);
  }
  options.onEngine?.('oracle');
  const seen = { ...seenOf(observations, repeated), truth: truth() };
  const isNote = new Set(rules.filter((rule) => rule.isNote === true).map(({ name }) => name));
  const broken = rules.flatMap(({ name, broken: say }) => {
    const detail = say(seen);
    return detail === undefined ? [] : [{ rule: name, detail }];
  });
  return {
    refused: undefined,
    disagreements: broken.filter(({ rule }) => !isNote.has(rule)),
    notes: broken.filter(({ rule }) => isNote.has(rule)),
    observations,
  };
}

function seenOf(observations: readonly Observation[], repeated: Seen['repeated']): Omit<Seen, 'truth'> {
  const only = (role: Observation['role']): Observation => {
    const found = observations.find((one) => one.role === role);
    if (found === undefined) throw new RangeError(`There is no engine ${role}.`);
    return found;
  };
  return {
    observations,
    repeated,
    graph: only('graph'),
    counted: only('counted'),
    exhaustive: only('exhaustive'),
    defaults: observations.filter(({ role }) => role === 'default'),
    sampled: observations.filter(({ role }) => role === 'sampled'),
  };
}
