import { at } from '@nccl-ts/core';
import type { VoteLoop, WaitStatement } from '@nccl-ts/ir';

import { bringPart } from './emit-collective.ts';
import { emitBody } from './emit-statement.ts';
import { emitAddresses, waitScope } from './emit-wait.ts';
import { collectiveFields, collectiveResult } from './groups.ts';
import type { JsContext } from './js-context.ts';
import { emitOne } from '../emit-shared/emit-expression.ts';
import { addFunction, variables, type ModuleText } from '../emit-shared/module-text.ts';
import { statementScope } from '../emit-shared/scope.ts';

/**
 * Statements that report a vote of `members` to the trace, which may end a loop around it. Only
 * then they `meet`, because the schedule decides how many rounds there are before.
 */
export function votedTexts(
  context: JsContext,
  text: ModuleText,
  loop: VoteLoop,
  where: number,
  meets: readonly string[],
): readonly string[] {
  const number = text.counter++;
  const [addresses, votes, ends] = [`addresses${number}`, `votes${number}`, `ends${number}`];
  const { vote, value, look } = loop;
  const looks: WaitStatement = { kind: 'wait', body: look, condition: value, span: vote.span };
  emitAddresses(context, text, looks, addresses);
  emitVotes(context, text, loop, looks, votes);
  emitEnds(context, text, loop, where, ends);
  const functions = [
    `(m) => ${addresses}(cta, m)`,
    `(m) => ${votes}(cta, m)`,
    `() => ${ends}(cta, members[0], members)`,
  ];
  const voted = `cta.trace.voted(members, ${where}, ${functions.join(', ')})`;
  return meets.length === 0 ? [`${voted};`] : [`if (${voted}) {`, ...meets, '}'];
}

/** Adds the function `(cta, t)` that votes again, by the words that memory has now. */
function emitVotes(context: JsContext, text: ModuleText, { vote }: VoteLoop, looks: WaitStatement, name: string): void {
  const scope = waitScope(context, text, looks, undefined);
  emitBody(looks.body, scope);
  bringPart({ ...vote, coop: { kind: 'cta' } }, collectiveFields(context, text, vote), {
    ...statementScope(scope, [looks.condition]),
    code: scope.code,
  });
  addFunction(text, name, ['cta', 't'], scope.fn, scope.code);
}

/** Adds the function `(cta, t, members)` that tests if the current votes end the loop. */
function emitEnds(context: JsContext, text: ModuleText, loop: VoteLoop, where: number, name: string): void {
  const { vote, ends } = loop;
  const scope = waitScope(context, text, { kind: 'wait', body: [], condition: ends, span: vote.span }, undefined);
  const results = collectiveResult(context, vote, collectiveFields(context, text, vote), 't', where, 'met');
  variables(context, vote.local).forEach((variable, i) => scope.code.push(`${variable} = ${at(results, i)};`));
  scope.code.push(`return ${emitOne(ends, { ...statementScope(scope, [ends]), code: scope.code })};`);
  addFunction(text, name, ['cta', 't', 'members'], scope.fn, scope.code);
}
