import type { AccessScope, MemoryOrder } from '@nccl-ts/core';
import type { Module, Span } from '@nccl-ts/ir';
import type { MutationOperator } from './mutant.ts';
import type { CodeChange } from './operators/operator.ts';
import { operators } from './operators/operators.ts';
import { mutationSites, type MutationSite } from './tree/mutation-site.ts';
import { trapped } from './trapped.ts';
import { replaceAt } from './tree/replace-at.ts';

/**
 * The change of a synchronization that a person asks for:
 *
 * - `removed`;
 * - `weaker`: one step, in its order, or else in its scope;
 * - `plain`: an ordinary load or store;
 * - an order, such as `relaxed`, or a scope, such as `device`, which must be weaker;
 * - `warp`: threads synchronize within each warp only.
 */
export type SiteChange = 'removed' | 'weaker' | 'plain' | 'warp' | MemoryOrder | AccessScope;

/** A synchronization that can be changed. */
export interface ChangeableSite {
  readonly span: Span;
  /** The statement, as in `fence` or `lsa.barrierSession.sync`. */
  readonly name: string;
  /** The changes that it allows, without those of several steps. */
  readonly changes: readonly SiteChange[];
  /** The names of the calls that it is in, outermost first, as in `lsa.barrierSession.sync`. */
  readonly calls: readonly string[];
}

/** A kernel with changed sites. */
export interface ChangedSites {
  /** The kernel, which is not validated. */
  readonly module: Module;
  readonly changed: readonly { readonly span: Span; readonly name: string; readonly does: string }[];
}

const removing: ReadonlySet<MutationOperator> = new Set([
  'fence-removed',
  'proxy-fence-removed',
  'sync-removed',
  'wait-removed',
  'poll-once',
  'call-removed',
  'signal-removed',
  'primitive-removed',
]);

const weakening: readonly MutationOperator[] = [
  'order-weakened',
  'call-order-weakened',
  'call-fence-lowered',
  'signal-weakened',
  'scope-narrowed',
  'sync-narrowed',
];

/** The steps after which a change of several steps is not found. */
const MOST_STEPS = 4;

/** The synchronizations of a kernel that can be changed, in program order. */
export function changeableSites(module: Module): readonly ChangeableSite[] {
  return mutationSites(module).flatMap((site) => {
    const changes = [...new Set(changesOf(site).flatMap(wordsOf))];
    if (changes.length === 0) return [];
    return [Object.freeze({ ...changeable(site), changes: Object.freeze(changes) })];
  });
}

/**
 * Changes the sites that `isAt` accepts, as far as they can be changed in that way. Where both a
 * call and what is in it can be changed, the call is. The original stays as it is.
 */
export function changeSites(module: Module, isAt: (site: ChangeableSite) => boolean, to: SiteChange): ChangedSites {
  const chosen: MutationSite[] = [];
  for (const site of mutationSites(module)) {
    const parent = chosen.at(-1);
    if (parent !== undefined && isInside(site, parent)) continue;
    if (changeTo(site, to) === undefined) continue;
    if (isAt({ ...changeable(site), changes: [to] })) chosen.push(site);
  }
  let current = module;
  const changed: ChangedSites['changed'][number][] = [];
  // From the last one on, so that the paths of the others stay true.
  for (const site of chosen.toReversed()) {
    const change = changeTo({ ...site, module: current }, to);
    if (change === undefined) continue;
    const { locals = [] } = change;
    current = {
      ...current,
      body: replaceAt(current.body, site.path, change.becomes),
      locals: Object.freeze([...current.locals, ...locals]),
    };
    changed.unshift(Object.freeze({ span: site.statement.span, name: nameOf(site), does: change.does }));
  }
  return Object.freeze({ module: current, changed: Object.freeze(changed) });
}

/**
 * Returns the module with a change: it faults as soon as a thread reaches a site that `isAt`
 * accepts. The original stays as it is.
 */
export function probeSites(module: Module, isAt: (site: ChangeableSite) => boolean): Module {
  const ids = new Set<string>();
  for (const site of mutationSites(module)) {
    const changes = changesOf(site).flatMap(wordsOf);
    if (changes.length > 0 && isAt({ ...changeable(site), changes })) ids.add(site.name);
  }
  return [...ids].toReversed().reduce((current, name) => trapped(current, name), module);
}

function changeable(site: MutationSite): Omit<ChangeableSite, 'changes'> {
  return { span: site.statement.span, name: nameOf(site), calls: Object.freeze(site.calls.map(({ name }) => name)) };
}

function isInside({ path }: MutationSite, { path: around }: MutationSite): boolean {
  return path.length > around.length && around.every((step, i) => step === path[i]);
}

function nameOf({ statement }: MutationSite): string {
  return statement.kind === 'call' ? statement.name : statement.kind;
}

function changesOf(site: MutationSite): readonly CodeChange[] {
  return operators.flatMap((operator) => operator(site));
}

function changeTo(site: MutationSite, to: SiteChange, steps = MOST_STEPS): CodeChange | undefined {
  const changes = changesOf(site);
  if (to === 'weaker')
    return changes
      .filter(({ operator }) => weakening.includes(operator))
      .toSorted((a, b) => weakening.indexOf(a.operator) - weakening.indexOf(b.operator))[0];
  const found = changes.find((change) => wordsOf(change).includes(to));
  if (found !== undefined || steps === 0) return found;
  // A weaker order or scope may be several steps away.
  for (const change of changes.filter(
    ({ operator }) => operator === 'order-weakened' || operator === 'scope-narrowed',
  )) {
    const [statement, ...others] = change.becomes;
    if (statement === undefined || others.length > 0) continue;
    const further = changeTo({ ...site, statement }, to, steps - 1);
    // The last step names the order or scope of the one before it.
    if (further !== undefined && further.operator === change.operator)
      return { ...further, does: `is ${to}, not ${partOf(site, to)}` };
  }
  return undefined;
}

/** The order or the scope of a site's access. */
function partOf({ statement }: MutationSite, to: SiteChange): string {
  if (!('access' in statement) || statement.access === undefined) return 'stronger';
  return isScope(to) ? statement.access.scope : statement.access.order;
}

function isScope(to: SiteChange): boolean {
  return to === 'device' || to === 'block' || to === 'cluster' || to === 'thread' || to === 'system';
}

/** The words for a change of one step. */
function wordsOf({ operator, detail }: CodeChange): readonly SiteChange[] {
  if (removing.has(operator)) return ['removed'];
  if (naming.has(operator)) {
    const word = words.find((one) => one === detail);
    return word === undefined ? ['weaker'] : ['weaker', word];
  }
  return wordsOfOperator[operator] ?? [];
}

/** The operators whose detail is the new order or scope. */
const naming: ReadonlySet<MutationOperator> = new Set(['order-weakened', 'call-order-weakened', 'scope-narrowed']);

const wordsOfOperator: Readonly<Partial<Record<MutationOperator, readonly SiteChange[]>>> = {
  'access-plain': ['plain'],
  'sync-narrowed': ['weaker', 'warp'],
  'call-fence-lowered': ['weaker'],
  'signal-weakened': ['weaker'],
};

const words: readonly SiteChange[] = ['relaxed', 'acquire', 'release', 'acq_rel', 'device', 'cluster', 'block'];

/** Every change that a person can name. */
export const siteChanges: readonly SiteChange[] = Object.freeze(['removed', 'weaker', 'plain', 'warp', ...words]);
