import type { BarrierContribution } from './requests.ts';
import type { RunningAgent } from './running-agent.ts';

/** Agents that a barrier releases together. */
export interface CompleteMeeting {
  readonly members: readonly RunningAgent[];
  /** Their contributions, by index. */
  readonly given: readonly unknown[];
  /** The decisions without which one of them would not be there. */
  readonly control: bigint;
}

/** A complete barrier that waits for everything else. */
export interface LateMeeting {
  readonly meeting: BarrierContribution;
  /** By the indices of agents, never empty. */
  readonly completions: readonly (readonly number[])[];
}

/** The agents that wait at the barriers of a run. */
export class Meetings {
  readonly #there = new Map<string, RunningAgent[]>();

  arrive(agent: RunningAgent, { group }: BarrierContribution): void {
    const there = this.#there.get(group);
    if (there === undefined) this.#there.set(group, [agent]);
    else there.push(agent);
  }

  /** The sets of agents that complete a barrier, each by the indices of its agents. */
  completions({ group, size, completes }: BarrierContribution): readonly (readonly number[])[] {
    const there = this.#there.get(group);
    if (there === undefined || there.length < (typeof size === 'number' ? size : size())) return [];
    const given: unknown[] = [];
    for (const { blocked } of there) if (blocked?.kind === 'meet') given[blocked.meeting.index] = blocked.meeting.give;
    return completes === undefined ? [[...given.keys()]] : completes(given);
  }

  /** The first complete barrier among those that wait for everything else. */
  get late(): LateMeeting | undefined {
    for (const [{ blocked } = {}] of this.#there.values()) {
      if (blocked?.kind !== 'meet' || blocked.meeting.isLate !== true) continue;
      const { meeting } = blocked;
      const completions = this.completions(meeting);
      if (completions.length > 0) return { meeting, completions };
    }
    return undefined;
  }

  /** Takes the agents with these indices from a barrier. */
  take({ group }: BarrierContribution, completion: readonly number[]): CompleteMeeting {
    const chosen = new Set(completion);
    const members: RunningAgent[] = [];
    const rest: RunningAgent[] = [];
    const given: unknown[] = [];
    let control = 0n;
    for (const agent of this.#there.get(group) ?? []) {
      const meeting = agent.blocked?.kind === 'meet' ? agent.blocked.meeting : undefined;
      if (meeting === undefined || !chosen.has(meeting.index)) {
        rest.push(agent);
        continue;
      }
      members.push(agent);
      given[meeting.index] = meeting.give;
      control |= agent.control;
    }
    if (rest.length === 0) this.#there.delete(group);
    else this.#there.set(group, rest);
    return { members, given, control };
  }
}
