import type { CollectiveStatement } from '@nccl-ts/ir';
import { at, WARP_SIZE } from '@nccl-ts/core';

import type { ThreadGroup } from './cta-state.ts';
import { lift, type LaterScalar } from './element.ts';
import { noMemberText } from '@nccl-ts/codegen';
import { ThreadFault } from './thread-fault.ts';

/** A thread's contribution to a collective. */
export interface Brought {
  readonly thread: number;
  readonly value: readonly LaterScalar[];
  readonly lane: number;
}

/**
 * Returns the result of a collective for `thread`, once all members of its group have contributed.
 * `isAbsent` is called if that is the value of a lane that has not.
 */
export function collectiveResult(
  s: CollectiveStatement,
  thread: number,
  { members }: ThreadGroup,
  brought: readonly Brought[],
  lane: number,
  isAbsent: () => void,
): readonly LaterScalar[] {
  const valueOf = (linear: number): readonly LaterScalar[] => {
    const other = brought.find((each) => each.thread === linear);
    if (other === undefined) isAbsent();
    const found = other ?? brought.find((each) => each.thread === thread);
    if (found === undefined) throw new RangeError(`Thread ${thread} has not contributed to its own collective.`);
    return found.value;
  };
  const votes = (): readonly LaterScalar[] => brought.map(({ value }) => at(value, 0));
  const size = s.coop.kind === 'tile' ? s.coop.size : WARP_SIZE;
  const base = thread - (thread % size);
  const own = thread - base;
  switch (s.op) {
    case 'bcast': {
      const member = members[lane];
      if (member === undefined) throw new ThreadFault('lane', noMemberText(lane, members.length));
      return valueOf(member);
    }
    case 'any':
      return [lift(votes(), (values) => values.includes(true))];
    case 'all':
      return [lift(votes(), (values) => !values.includes(false))];
    case 'ballot': {
      const first = s.coop.kind === 'lanes' || s.coop.kind === 'tile' ? base : at(members, 0);
      return [
        lift(votes(), (values) =>
          values.reduce<number>(
            (mask, vote, i) => (vote === true ? (mask | (1 << (at(brought, i).thread - first))) >>> 0 : mask),
            0,
          ),
        ),
      ];
    }
    case 'shfl':
      return valueOf(base + (lane % size));
    case 'shflUp':
      return valueOf(lane > own ? thread : thread - lane);
    case 'shflDown':
      return valueOf(own + lane >= size ? thread : thread + lane);
    case 'shflXor':
      return valueOf(lane >= size ? thread : base + (own ^ lane));
    case 'activeMask':
      return [];
  }
}

export function isBrought(value: unknown): value is Brought {
  return typeof value === 'object' && value !== null && 'lane' in value && 'thread' in value;
}
