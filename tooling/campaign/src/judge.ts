import { enginesOf, type Effort, type Engine } from './engines.ts';
import type { RunProgram } from './load-program.ts';
import { observe, type Observation } from './observation.ts';
import { rules, type Seen } from './rules.ts';
import { subjectOf, type AnyProgram } from './subject.ts';

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

/** Fewer executions than this would explore almost nothing completely. */
const LEAST_BOUND = 25;

/** Runs every engine on a program, and reports contradictions between their results. */
export async function judge(program: AnyProgram, options: JudgeOptions = usualEffort): Promise<Judgement> {
  const { world, load, truth, boundPart } = subjectOf(program);
  let run: RunProgram;
  try {
    run = load();
  } catch (error) {
    const [refused] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
    return { refused, disagreements: [], notes: [], observations: [] };
  }
  const bound = Math.max(LEAST_BOUND, Math.ceil(options.bound * boundPart));
  const engines = enginesOf({ ...options, bound });
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
