import type { ScheduleId } from '@nccl-ts/findings';
import { choicesText } from './choices.ts';
import { replayText } from './strategies.ts';
import type { Strategy } from './strategy.ts';

/** Longer lists of choices are left out. The seed is sufficient in any case. */
const MAX_CHOICES = 200;

/** The options that choose a schedule. */
export interface ScheduleChoice {
  readonly strategy: Strategy;
  readonly seed: number;
  readonly replay: string;
}

/** Describes a schedule by what made it, and by its choices. */
export function scheduleOf({ strategy, seed, replay }: ScheduleChoice, made: readonly number[]): ScheduleId {
  const choices = made.length > 16 * MAX_CHOICES ? undefined : replayText(strategy, choicesText(made), replay);
  const isShort = choices !== undefined && choices.length <= MAX_CHOICES;
  return Object.freeze({ strategy, seed, ...(isShort ? { choices } : {}) });
}
