import { unary } from '../build/operation.ts';
import type { Expression, LocalId } from '../expression.ts';
import type { Body, CollectiveStatement, LoopStatement, Statement } from '../statement.ts';
import { statementBodies } from '../visit/children.ts';
import { assignedLocals, readLocals, statementReads, substituteLocals } from '../visit/locals.ts';
import { walkBody } from '../visit/walk.ts';
import { deciding } from './deciding.ts';
import { jumpsOut } from './split.ts';
import { scan } from './spin-round.ts';

/**
 * A loop that threads leave together, when a vote on words that they read ends it. Examples are
 * `while (!all(ld(flag) == x))` and `while (any(ld(flag) != x))`. A round that does not end it has
 * no effect.
 */
export interface VoteLoop {
  readonly vote: CollectiveStatement;
  /** The vote of a thread, which depends on the locals that `look` sets. */
  readonly value: Expression;
  /** The statements of a round before the vote. */
  readonly round: Body;
  /** Those that decide the vote. They only load and compute, and take nothing from other rounds. */
  readonly look: Body;
  /** The condition on the vote's result that ends the loop. */
  readonly ends: Expression;
}

/** Returns the loops around a vote in `body`, by their votes. */
export function voteLoops(body: Body): ReadonlyMap<CollectiveStatement, VoteLoop> {
  const found = new Map<CollectiveStatement, VoteLoop>();
  walkBody(body, {
    statement: (s) => {
      const loop = s.kind === 'loop' ? voteLoop(s) : undefined;
      if (loop !== undefined) found.set(loop.vote, loop);
    },
  });
  return found;
}

/** Returns the analysis of `loop` if it is one around a vote. */
export function voteLoop(loop: LoopStatement): VoteLoop | undefined {
  const statements = [...loop.body, ...loop.update];
  const at = statements.findIndex((s) => s.kind === 'collective');
  const vote = statements[at];
  if (vote?.kind !== 'collective' || vote.value === undefined) return undefined;
  if (vote.op !== 'all' && vote.op !== 'any' && vote.op !== 'ballot') return undefined;
  const round = statements.slice(0, at);
  if (!round.every((s) => hasNoEffect(s) && !jumpsOut(s, false, new Set()))) return undefined;
  const changed = assignedLocals([loop]);
  const ends = endOf(loop, statements.slice(at + 1));
  if (ends === undefined || !readLocals(ends).has(vote.local)) return undefined;
  if ([...readLocals(ends)].some((id) => id !== vote.local && changed.has(id))) return undefined;
  const look = deciding(round, vote);
  if (!readsShared(look, round)) return undefined;
  const [set, carried] = [new Set<LocalId>(), new Set<LocalId>()];
  scan(look, set, carried);
  for (const id of statementReads(vote)) if (!set.has(id)) carried.add(id);
  if ([...carried].some((id) => changed.has(id))) return undefined;
  return { vote, value: vote.value, round, look, ends };
}

/** True if other threads see nothing of `s`. */
function hasNoEffect(s: Statement): boolean {
  switch (s.kind) {
    case 'assign':
    case 'load':
    case 'approximate':
    case 'assert':
    case 'break':
    case 'continue':
    case 'leave':
      return true;
    case 'store':
      return spaceOf(s.pointer) === 'local';
    case 'call':
      return s.body?.every(hasNoEffect) === true;
    case 'if':
    case 'loop':
    case 'block':
      return statementBodies(s).every((body) => body.every(hasNoEffect));
    case 'atomic':
    case 'fence':
    case 'fenceProxy':
    case 'sync':
    case 'wait':
    case 'waitAll':
    case 'collective':
    case 'return':
    case 'print':
    case 'clock':
      return false;
  }
}

/** True if the look reads words of other threads, and nothing that the round has stored itself. */
function readsShared(look: Body, round: Body): boolean {
  let [shared, own, stores] = [false, false, false];
  walkBody(look, {
    statement: (s) => {
      if (s.kind !== 'load') return;
      if (spaceOf(s.pointer) === 'local') own = true;
      else shared = true;
    },
  });
  walkBody(round, {
    statement: (s) => {
      stores ||= s.kind === 'store';
    },
  });
  return shared && !(own && stores);
}

function spaceOf({ type }: Expression): string | undefined {
  return type.kind === 'pointer' ? type.space : undefined;
}

/** The condition under which the loop ends behind the vote; `undefined` if it has another exit. */
function endOf(loop: LoopStatement, behind: Body): Expression | undefined {
  const values = new Map<LocalId, Expression>();
  const known = (e: Expression): Expression => substituteLocals(e, (id) => values.get(id));
  let ends: Expression | undefined;
  for (const s of behind) {
    if (s.kind === 'assign') values.set(s.local, known(s.value));
    else if (s.kind === 'if' && ends === undefined && isBreak(s.then) && s.else.length === 0) ends = known(s.condition);
    else return undefined;
  }
  if (loop.condition === undefined) return ends;
  return ends === undefined ? unary('not', known(loop.condition)) : undefined;
}

function isBreak(body: Body): boolean {
  return body.length === 1 && body[0]?.kind === 'break';
}
