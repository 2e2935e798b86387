import { at } from '@nccl-ts/core';
import type { CollectiveStatement, CutStatement, Expression, WaitAllStatement } from '@nccl-ts/ir';

import { helper, localType, site } from '../emit-shared/context.ts';
import type { JsContext } from './js-context.ts';
import { bringPart } from './emit-collective.ts';
import { votedTexts } from './emit-voted.ts';
import { emitOne } from '../emit-shared/emit-expression.ts';
import { emitWaitFunctions, latchTexts, type WaitFunctions } from './emit-wait.ts';
import {
  collectiveFields,
  collectiveResult,
  groupField,
  groupInputs,
  groupText,
  isOfLanes,
  groupWords,
  orders,
  type GroupText,
} from './groups.ts';
import { addFunction, storeEach, variables, type ModuleText } from '../emit-shared/module-text.ts';
import { functionText, statementScope, type EmitScope } from '../emit-shared/scope.ts';
import type { ThreadCut } from './thread-scheduler.ts';
import { componentsOf, unpacked } from '../emit-shared/types.ts';

/** A cut at which threads of a group wait until all of them have arrived. */
export interface MeetingCut {
  readonly statement: Exclude<CutStatement, { kind: 'wait' }>;
  /** The program counters of threads that have arrived, that continue, and that have returned. */
  readonly label: number;
  readonly next: number;
  readonly exit: number;
}

/** The actions of `run` on arrival, and the facts for the scheduler. */
export interface MeetingText {
  readonly arrive: readonly string[];
  readonly cut: Extract<ThreadCut, { kind: 'sync' | 'collective' | 'waitAll' }>;
}

/**
 * Adds the function `(cta, t)` that releases the group of thread `t` if all its threads have
 * arrived (and, for a `waitAll`, if every index has held). It distributes results and moves the
 * program counters. It returns true if it did.
 */
export function emitMeeting(context: JsContext, text: ModuleText, meeting: MeetingCut, scope: EmitScope): MeetingText {
  const { statement: s, label, next, exit } = meeting;
  const number = text.counter++;
  const where = site(context, s.span, s.kind);
  const fields = groupInputs(s.coop).map((_, i) => groupField(context, text, i));
  const inputs = fields.map((field) => `${field}[t]`);
  const { base, count, mask } = groupText(context, s.coop, 't', inputs);
  // CUDA asks for all threads of a group that have not ended. The barrier of a span of warps counts
  // its warps.
  const gone = s.coop.kind === 'warpSpan' ? -1 : exit;
  const same = s.coop.kind === 'lanes' ? at(fields, 0) : 'null';
  const members = `${helper(context, 'arrived')}(cta.pcs, ${label}, ${gone}, ${base}, ${count}, ${mask}, ${same})`;
  const meet = `meet${number}`;
  const meets = context.traced && orders(s) ? ['cta.trace.meets(members);'] : [];
  const voteLoop = s.kind === 'collective' ? context.voteLoops.get(s) : undefined;
  const isShuffle = s.kind === 'collective' && s.lane !== undefined && isOfLanes(s.coop);
  const release = [
    ...(isShuffle ? [`const lanes = ${helper(context, 'lanesOf')}(members);`] : []),
    ...(context.watched && orders(s) ? ['cta.watch.meet(members);'] : []),
    ...(voteLoop === undefined ? meets : []),
    `for (const m of members) {`,
    ...results(context, text, s, where),
    `cta.pcs[m] = ${next};`,
    '}',
    ...(voteLoop === undefined ? [] : votedTexts(context, text, voteLoop, where, meets)),
    'return true;',
  ];
  const arrived = [`const members = ${members};`, 'if (members === null) return false;'];
  const others = `others${number}`;
  const group = `{ threads: [${base}, ${count}, ${mask}], name: '${groupWords(s.coop)}', gone: ${gone} }`;
  addFunction(text, others, ['cta', 't'], functionText(), [`return ${group};`]);
  const common = { label, site: where, meet, others };
  if (s.kind !== 'waitAll') {
    addFunction(text, meet, ['cta', 't'], functionText(), [...arrived, ...release]);
    return {
      arrive: arrive(context, text, s, scope),
      cut: { kind: s.kind, ...common, isWhole: s.coop.kind === 'cta' },
    };
  }
  text.fields.set('latches', `new Array(${context.threads}).fill(null)`);
  text.fields.set('meet_count', `new Float64Array(${context.threads})`);
  const functions = emitWaitFunctions(context, text, s, new Set());
  const { test, explain } = functions;
  const could = `could${number}`;
  if (context.straggles) {
    const own = `own${number}`;
    emitOwnIndices(context, text, s, { base, count, mask, next }, { meet, could, own }, functions);
    const cut = { kind: 'waitAll', ...common, others: 'null', could, explain: own } as const;
    return { arrive: arrive(context, text, s, scope), cut };
  }
  const each = 'for (let i = 0; i < latch.length; i++) {';
  const holds = `${test}(cta, members[i % members.length], i)`;
  addFunction(text, meet, ['cta', 't'], functionText(), [
    ...arrived,
    'const leader = members[0];',
    'cta.latches[leader] ??= new Uint8Array(cta.meet_count[leader]);',
    'const latch = cta.latches[leader];',
    ...lookTexts(context, s, each, 'members[i % members.length]', functions),
    'cta.latches[leader] = null;',
    ...release,
  ]);
  addFunction(text, could, ['cta', 't'], functionText(), [
    ...arrived,
    'const latch = cta.latches[members[0]];',
    'if (latch === null) return true;',
    each,
    `if (latch[i] === 0 && ${holds}) return true;`,
    '}',
    'return false;',
  ]);
  return { arrive: arrive(context, text, s, scope), cut: { kind: 'waitAll', ...common, could, explain } };
}

/**
 * Returns statements that check `each` index that has not held, by the thread that `looker` names,
 * and return `false` if one is left.
 */
function lookTexts(
  context: JsContext,
  s: WaitAllStatement,
  each: string,
  looker: string,
  { test, addresses, passed }: WaitFunctions,
): readonly string[] {
  const call = (name: string): string => `${name}(cta, ${looker}, i)`;
  return [
    'let pending = 0;',
    each,
    'if (latch[i] !== 0) continue;',
    ...latchTexts(context, s, {
      test: call(test),
      addresses: call(addresses),
      passed: call(passed),
      thread: looker,
    }),
    '}',
    'if (pending > 0) return false;',
  ];
}

/**
 * Adds the functions of a `waitAll` in which a thread waits only for its own indices, as on a GPU.
 */
function emitOwnIndices(
  context: JsContext,
  text: ModuleText,
  s: WaitAllStatement,
  { base, count, mask, next }: GroupText & { readonly next: number },
  { meet, could, own }: Readonly<Record<'meet' | 'could' | 'own', string>>,
  functions: WaitFunctions,
): void {
  const { test, explain } = functions;
  const latched = [
    `const { rank, size } = ${helper(context, 'placeIn')}(t, ${base}, ${count}, ${mask});`,
    'const latch = (cta.latches[t] ??= new Uint8Array(cta.meet_count[t]));',
  ];
  const each = 'for (let i = rank; i < latch.length; i += size) {';
  addFunction(text, meet, ['cta', 't'], functionText(), [
    ...latched,
    ...lookTexts(context, s, each, 't', functions),
    'cta.latches[t] = null;',
    `cta.pcs[t] = ${next};`,
    'return true;',
  ]);
  addFunction(text, could, ['cta', 't'], functionText(), [
    ...latched,
    'let pending = 0;',
    each,
    'if (latch[i] !== 0) continue;',
    `if (${test}(cta, t, i)) return true;`,
    'pending++;',
    '}',
    'return pending === 0;',
  ]);
  addFunction(text, own, ['cta', 't'], functionText(), [
    ...latched,
    'let first = rank;',
    'while (latch[first] === 1) first += size;',
    `return ${explain}(cta, t, first);`,
  ]);
}

/** Stores the words that a thread leaves for the others: its operands, and its group. */
function arrive(context: JsContext, text: ModuleText, s: MeetingCut['statement'], outer: EmitScope): readonly string[] {
  const operands: Expression[] = [...groupInputs(s.coop)];
  if (s.kind === 'waitAll') operands.push(s.count);
  if (s.kind === 'collective') operands.push(...[s.value, s.lane].filter((e): e is Expression => e !== undefined));
  const scope = { ...statementScope(outer, operands), span: s.span, code: [] as string[] };
  if (s.kind === 'collective') bringPart(s, collectiveFields(context, text, s), scope);
  else {
    groupInputs(s.coop).forEach((input, i) => {
      scope.code.push(`${groupField(context, text, i)}[t] = ${emitOne(input, scope)};`);
    });
  }
  if (s.kind === 'waitAll') scope.code.push(`cta.meet_count[t] = Number(${emitOne(s.count, scope)});`);
  return scope.code;
}

/** Returns statements that give member `m` its result. */
function results(context: JsContext, text: ModuleText, s: MeetingCut['statement'], where: number): readonly string[] {
  if (s.kind !== 'collective') return [];
  const fields = collectiveFields(context, text, s);
  const components = componentsOf(localType(context, s.local));
  const names = variables(context, s.local);
  const take = collectiveResult(context, s, fields, 'm', where, 'met').map((result, i) => {
    const component = components[i];
    return `const ${at(names, i)} = ${takeText(s, result, component)};`;
  });
  const fn = functionText();
  const store = storeEach(context, text, fn, s.local).map((line) => `cta.${line.replace('[t]', '[m]')}`);
  return [...take, ...store];
}

function takeText(
  s: CollectiveStatement,
  result: string,
  component: Parameters<typeof unpacked>[0] | undefined,
): string {
  return s.op === 'any' || s.op === 'all' || component === undefined ? result : unpacked(component, result);
}
