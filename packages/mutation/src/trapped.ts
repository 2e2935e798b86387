import { constant, type Module, type Statement } from '@nccl-ts/ir';
import { mutationSites, type MutationSite } from './tree/mutation-site.ts';
import { replaceAt } from './tree/replace-at.ts';

/**
 * The module with an assertion that fails before the site of this name. Without such a site, the
 * module itself.
 */
export function trapped(module: Module, name: string): Module {
  const site = mutationSites(module).find((one) => one.name === name);
  if (site === undefined) return module;
  const { path, statement } = outsideOfWaits(module, site);
  const { span } = statement;
  const trap: Statement = Object.freeze({
    kind: 'assert',
    span,
    condition: constant('bool', false),
    message: 'reached',
  });
  return { ...module, body: replaceAt(module.body, path, [trap, statement]) };
}

/**
 * Returns the statement itself, or the wait that contains it, because a wait cannot contain an
 * assertion.
 */
function outsideOfWaits(module: Module, site: MutationSite): Pick<MutationSite, 'path' | 'statement'> {
  const around = mutationSites(module).find(
    ({ path, statement }) =>
      (statement.kind === 'wait' || statement.kind === 'waitAll') &&
      path.length < site.path.length &&
      path.every((step, i) => step === site.path[i]),
  );
  return around ?? site;
}
