import { isMemoryOrder, type AccessScope, type MemoryOrder } from '@nccl-ts/core';
import type { Edit } from '../../edits.ts';
import type { Strengthening } from '../strengthening.ts';
import type { AuthorFile } from '../../author-range.ts';
import type { AuthorStatement } from './author-statements.ts';

/**
 * Stronger orders and wider scopes of an access, a fence or a call, and the other fences of a
 * barrier.
 */
export function strongerAccesses(one: AuthorStatement, { text }: AuthorFile): readonly Strengthening[] {
  const { statement, start, end, isBlock, line, isPolled } = one;
  if (isBlock || statement.kind === 'wait' || statement.kind === 'waitAll' || statement.kind === 'assign') return [];
  const own = text.slice(start, end);
  const changed = (does: string, edits: readonly Edit[], silences = false): Strengthening => ({
    kind: statement.kind === 'fence' ? 'fence' : 'order',
    does,
    instruction: own.replaceAll(/\s+/gu, ' '),
    edits,
    lines: [line],
    cost: edits.length,
    silences,
    depth: 0,
  });
  const words = [
    ...own.matchAll(/(?<=(['"`]))(?:relaxed|acquire|release|acq_rel|thread|block|cluster|device)(?=\1)/gu),
  ];
  const edit = (word: RegExpExecArray, to: string): Edit => ({
    span: { start: start + word.index, end: start + word.index + word[0].length },
    with: to,
  });
  const orders = words.filter(([word]) => isMemoryOrder(word));
  const scopes = words.filter(([word]) => !isMemoryOrder(word));
  const wider = scopes.flatMap((word) =>
    widerScopes(word[0]).map((to) => ({
      ...changed(`${word[0]} -> ${to}`, [edit(word, to)]),
      // A scope of one GPU is cheaper than one of all.
      cost: to === 'system' ? 1 : 0.9,
    })),
  );
  const ordered = orders.flatMap((word) =>
    strongerOrders(statement.kind, word[0]).map((to) => changed(`${word[0]} -> ${to}`, [edit(word, to)])),
  );
  const both = orders.flatMap((word) =>
    scopes.flatMap((scope) =>
      strongerOrders(statement.kind, word[0]).flatMap((to) =>
        widerScopes(scope[0]).map((on) => ({
          ...changed(`${word[0]} -> ${to}, ${scope[0]} -> ${on}`, [edit(word, to), edit(scope, on)]),
          cost: on === 'system' ? 2 : 1.9,
        })),
      ),
    ),
  );
  const fences = statement.kind === 'call' && /arrier/u.test(statement.name) ? [...own.matchAll(NETWORK_FENCE)] : [];
  const fenced = fences.flatMap((word) =>
    strongerFences(word[0]).map((to) => ({
      ...changed(`${word[0]} -> ${to}`, [edit(word, to)]),
      // Of those at one place, the most expensive is tried with all other orders.
      cost: to === 'putGet' ? 1.5 : 1,
    })),
  );
  const isPlain = (statement.kind === 'load' || statement.kind === 'store') && statement.access === undefined;
  if (!isPlain || !own.endsWith(')')) return [...ordered, ...wider, ...both, ...fenced];
  const to = statement.kind === 'load' ? 'acquire' : 'release';
  const separator = own.endsWith('()') ? '' : ', ';
  const given = { span: { start: end - 1, end }, with: `${separator}'${to}', 'system')` };
  return [changed(`plain -> ${to}`, [given], !isPolled)];
}

/** The requests that a barrier of the network waits for, among the arguments of its call. */
const NETWORK_FENCE = /(?<=(['"`]))(?:none|put|get)(?=\1)/gu;

/** The fences by which a barrier waits for what one of them leaves out. */
function strongerFences(fence: string): readonly string[] {
  return ['put', 'get', 'putGet'].filter((one) => one !== fence);
}

/** The scopes that help other CTAs and other GPUs. */
function widerScopes(scope: string): readonly AccessScope[] {
  return scope === 'device' ? ['system'] : ['device', 'system'];
}

/** The orders that are stronger than one, for a kind of statement. */
function strongerOrders(kind: string, order: string): readonly MemoryOrder[] {
  if (order === 'acq_rel') return [];
  if (order !== 'relaxed') return kind === 'load' || kind === 'store' ? [] : ['acq_rel'];
  switch (kind) {
    case 'load':
      return ['acquire'];
    case 'store':
      return ['release'];
    default:
      return ['release', 'acquire', 'acq_rel'];
  }
}
