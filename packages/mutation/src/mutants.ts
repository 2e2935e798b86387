import { mapBody, printModule, validate, type Module, type ValidatedModule } from '@nccl-ts/ir';
import type { Mutant, Mutation, RejectedMutant } from './mutant.ts';
import type { CodeChange } from './operators/operator.ts';
import { operators } from './operators/operators.ts';
import { trapped } from './trapped.ts';
import { mutationSites, type MutationSite } from './tree/mutation-site.ts';
import { replaceAt } from './tree/replace-at.ts';

/**
 * Returns every variant of `module` with one synchronization removed or weakened, in program order.
 * Each is valid for the same capabilities as `module`, which stays unchanged. Ids are unique and
 * deterministic.
 */
export function mutants(module: ValidatedModule): readonly Mutant[] {
  return mutate(module).mutants;
}

/**
 * Like `mutants`, but also returns the changes that gave no mutant: those after which the kernel is
 * not a valid module, and those that behave like the kernel itself or an earlier mutant. Two
 * variants behave alike if they differ only in the statics of calls with a portable body.
 */
export function mutate(module: ValidatedModule): Mutation {
  const made: Mutant[] = [];
  const rejected: RejectedMutant[] = [];
  const repeated: string[] = [];
  const seen = new Set([whatRuns(module)]);
  for (const site of mutationSites(module)) {
    for (const change of operators.flatMap((operator) => operator(site))) {
      const about = describe(site, change);
      const changed = apply(module, site, change);
      const runs = whatRuns(changed);
      if (seen.has(runs)) {
        repeated.push(about.id);
        continue;
      }
      seen.add(runs);
      const result = validate(changed, module.capabilities);
      if (result.ok) made.push(Object.freeze({ ...about, module: result.module }));
      else rejected.push(Object.freeze({ ...about, diagnostics: result.diagnostics }));
    }
  }
  return Object.freeze({
    mutants: Object.freeze(made),
    rejected: Object.freeze(rejected),
    repeated: Object.freeze(repeated),
  });
}

/**
 * Returns `module` with a change: it faults as soon as a thread reaches the statement that `mutant`
 * changes. If the program never faults with it, it never runs the changed statement. Returns
 * `undefined` for a mutant of another kernel.
 */
export function probe(module: ValidatedModule, mutant: Pick<Mutant, 'id'>): ValidatedModule | undefined {
  const name = mutant.id.slice(0, mutant.id.indexOf(':'));
  const changed = trapped(module, name);
  if (changed === module) return undefined;
  const result = validate(changed, module.capabilities);
  return result.ok ? result.module : undefined;
}

function describe(site: MutationSite, { operator, detail, does }: CodeChange): Omit<Mutant, 'module'> {
  const { name, statement, calls } = site;
  const around = calls.at(-1);
  const what = statement.kind === 'call' ? `The call of ${statement.name}` : `The ${statement.kind}`;
  const where = around === undefined ? '' : ` in ${around.name}`;
  return {
    id: `${name}:${operator}${detail === undefined ? '' : `:${detail}`}`,
    operator,
    does: `${what}${where} ${does}.`,
    span: statement.span,
  };
}

function apply(module: Module, { path }: MutationSite, { becomes, locals = [] }: CodeChange): Module {
  const body = replaceAt(module.body, path, becomes);
  return {
    ...module,
    body,
    locals: locals.length === 0 ? module.locals : Object.freeze([...module.locals, ...locals]),
  };
}

/**
 * Returns the kernel as it runs on a backend without its own code for calls: calls with a body are
 * replaced by the body.
 */
function whatRuns(module: Module): string {
  const body = mapBody(module.body, {
    statement: (s) => (s.kind === 'call' && s.body !== undefined ? { ...s, statics: [] } : s),
  });
  return printModule({ ...module, body });
}
