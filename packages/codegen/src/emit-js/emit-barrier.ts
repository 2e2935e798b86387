import { ALL_LANES } from '@nccl-ts/core';
import {
  constant,
  type Expression,
  type LocalId,
  type NamedBarrier,
  type StateGraph,
  type SyncStatement,
} from '@nccl-ts/ir';

import { helper, site } from '../emit-shared/context.ts';
import { emitOne } from '../emit-shared/emit-expression.ts';
import { addFunction, storeEach, variables, type ModuleText } from '../emit-shared/module-text.ts';
import { functionText, statementScope, type EmitScope } from '../emit-shared/scope.ts';
import type { MeetingText } from './emit-meeting.ts';
import { groupField, groupText, groupWords } from './groups.ts';
import type { JsContext } from './js-context.ts';

/** A named `sync` of a thread program. */
export interface ThreadBarrier {
  readonly statement: SyncStatement;
  readonly barrier: NamedBarrier;
  /** The cuts of all named barriers of the CTA, or of its warps. */
  readonly arrivals: readonly BarrierArrivalPoint[];
  /** The program counter of threads that have arrived here, and of those that have returned. */
  readonly label: number;
  readonly exit: number;
}

/** The program counters of threads that have arrived at a named `sync` and that continue. */
export interface BarrierArrivalPoint {
  readonly label: number;
  readonly next: number;
  readonly isAligned: boolean;
  /** The local that gets the number of votes. */
  readonly votes: LocalId | undefined;
}

/**
 * Returns the cuts at which threads may arrive at the same barrier as at `s`; `undefined` if that
 * is only `s`, with all threads of its group.
 */
export function barrierArrivalPoints(
  { states }: StateGraph,
  s: SyncStatement,
): readonly BarrierArrivalPoint[] | undefined {
  if (s.barrier === undefined) return undefined;
  const arrivals = states.flatMap(({ terminator }, id): readonly BarrierArrivalPoint[] => {
    if (terminator.kind !== 'cut' || terminator.statement.kind !== 'sync') return [];
    const { coop, barrier, vote } = terminator.statement;
    const mayMeet = barrier !== undefined && (coop.kind === 'cta') === (s.coop.kind === 'cta');
    return mayMeet
      ? [{ label: id * 2 + 1, next: terminator.to * 2, isAligned: barrier.isAligned, votes: vote?.local }]
      : [];
  });
  const isAlone =
    s.vote === undefined &&
    arrivals.length === 1 &&
    s.barrier.threads === undefined &&
    s.barrier.name.kind === 'constant';
  return isAlone ? undefined : arrivals;
}

/**
 * Adds the function `(cta, t)` that releases the threads at the barrier of thread `t` if all have
 * arrived, at whichever statements. It returns true if it did.
 */
export function emitBarrier(context: JsContext, text: ModuleText, all: ThreadBarrier, scope: EmitScope): MeetingText {
  const { statement: s, barrier, arrivals, exit } = all;
  const number = text.counter++;
  const where = site(context, s.span, s.kind);
  const isOfCta = s.coop.kind === 'cta';
  const hasVotes = arrivals.some(({ votes }) => votes !== undefined);
  for (const field of ['meet_name', 'meet_threads', ...(hasVotes ? ['meet_vote'] : [])]) {
    text.fields.set(field, `new Float64Array(${context.threads})`);
  }
  const masks = isOfCta ? 'null' : groupField(context, text, 0);
  const labels = `[${arrivals.map(({ label }) => label).join()}]`;
  const aligned = `[${arrivals.flatMap(({ isAligned, label }) => (isAligned ? [label] : [])).join()}]`;
  const [meet, others] = [`meet${number}`, `others${number}`];
  const find = helper(context, isOfCta ? 'ctaAtBarrier' : 'lanesAtBarrier');
  addFunction(text, meet, ['cta', 't'], functionText(), [
    `const members = ${find}(cta, t, ${labels}, ${isOfCta ? aligned : masks}, ${exit});`,
    'if (members === null) return false;',
    ...(context.watched ? [`cta.watch.${isOfCta ? 'meetAt(cta.meet_name[t], ' : 'meet('}members);`] : []),
    ...(context.traced ? [`cta.trace.meets(${where}, members);`] : []),
    ...(hasVotes ? ['let votes = 0;', 'for (const m of members) votes += cta.meet_vote[m];'] : []),
    'for (const m of members) {',
    'switch (cta.pcs[m]) {',
    ...arrivals.flatMap(({ label, next, votes }) => [
      `case ${label}:`,
      ...(votes === undefined ? [] : giveVotes(context, text, votes)),
      `cta.pcs[m] = ${next};`,
      'break;',
    ]),
    '}',
    '}',
    'return true;',
  ]);
  const { base, count } = groupText(context, isOfCta ? s.coop : { kind: 'tile', size: 32 }, 't', []);
  const mask = isOfCta ? '-1' : `${masks}[t]`;
  const sameMask = isOfCta ? '' : ` && ${masks}[o] === ${mask}`;
  addFunction(text, others, ['cta', 't'], functionText(), [
    'const name = cta.meet_name[t];',
    'return {',
    `threads: [${base}, ${count}, ${mask}],`,
    `name: '${groupWords(s.coop)}',`,
    `gone: ${exit},`,
    `isHere: (o) => ${labels}.includes(cta.pcs[o]) && cta.meet_name[o] === name${sameMask},`,
    ...(isOfCta ? ['barrier: { name, threads: cta.meet_threads[t] },'] : []),
    '};',
  ]);
  // If one thread finds that the barrier is incomplete, others at the same statement would too,
  // unless they are at another barrier.
  const isWhole = isOfCta && barrier.name.kind === 'constant';
  return {
    arrive: arrive(masks, all, scope),
    cut: { kind: 'sync', label: all.label, site: where, meet, others, isWhole },
  };
}

/** Stores the words that a thread leaves for the others: the barrier, and its group. */
function arrive(
  masks: string,
  { statement: { coop, vote }, barrier }: ThreadBarrier,
  outer: EmitScope,
): readonly string[] {
  const mask = coop.kind === 'cta' ? undefined : coop.kind === 'lanes' ? coop.mask : constant('u32', ALL_LANES);
  const words: readonly (readonly [field: string, value: Expression])[] = [
    ['cta.meet_name', barrier.name],
    ['cta.meet_threads', barrier.threads ?? constant('u32', 0)],
    ...(mask === undefined ? [] : ([[masks, mask]] as const)),
    ...(vote === undefined ? [] : ([['cta.meet_vote', vote.value]] as const)),
  ];
  const values = words.map(([, value]) => value);
  const scope = { ...statementScope(outer, values), code: [] as string[] };
  for (const [field, value] of words) scope.code.push(`${field}[t] = ${emitOne(value, scope)};`);
  return scope.code;
}

/** Statements that give thread `m` the number of `votes`. */
function giveVotes(context: JsContext, text: ModuleText, local: LocalId): readonly string[] {
  const [name = ''] = variables(context, local);
  const store = storeEach(context, text, functionText(), local).map((line) => `cta.${line.replace('[t]', '[m]')}`);
  return ['{', `const ${name} = votes;`, ...store, '}'];
}
