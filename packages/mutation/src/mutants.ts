import {
  constant,
  mapBody,
  printModule,
  validate,
  type Module,
  type Statement,
  type ValidatedModule,
} from '@nccl-ts/ir';
import type { Mutant, Mutation, RejectedMutant } from './mutant.ts';
import type { Change } from './operators/operator.ts';
import { operators } from './operators/operators.ts';
import { placesOf, type Place } from './tree/place.ts';
import { replaceAt } from './tree/replace-at.ts';

/**
 * Every kernel that is `module` with one synchronisation removed or weakened, in program order.
 * Each is valid for what `module` is valid for, and `module` is left as it is. Ids are unique, and
 * the same each time.
 */
export function mutants(module: ValidatedModule): readonly Mutant[] {
  return mutate(module).mutants;
}

/**
 * As `mutants`, with what did not become one: changes after which the kernel is no valid module,
 * and those that run as the kernel itself or an earlier mutant does. Two run alike that differ in
 * the statics of calls with a portable body alone.
 */
export function mutate(module: ValidatedModule): Mutation {
  const made: Mutant[] = [];
  const rejected: RejectedMutant[] = [];
  const repeated: string[] = [];
  const seen = new Set([whatRuns(module)]);
  for (const place of placesOf(module)) {
    for (const change of operators.flatMap((operator) => operator(place))) {
      const about = describe(place, change);
      const changed = apply(module, place, change);
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
 * `module`, which faults as soon as a thread comes to where `mutant` differs from it: a program
 * that never faults with it never runs what was changed. `undefined` for a mutant of another
 * kernel.
 */
export function probe(module: ValidatedModule, mutant: Pick<Mutant, 'id'>): ValidatedModule | undefined {
  const name = mutant.id.slice(0, mutant.id.indexOf(':'));
  const place = placesOf(module).find((one) => one.name === name);
  if (place === undefined) return undefined;
  const { path, statement } = outsideOfWaits(module, place);
  const { span } = statement;
  const trap: Statement = Object.freeze({
    kind: 'assert',
    span,
    condition: constant('bool', false),
    message: 'reached',
  });
  const result = validate({ ...module, body: replaceAt(module.body, path, [trap, statement]) }, module.capabilities);
  return result.ok ? result.module : undefined;
}

/** The place itself, or that of the wait that it stands in: nothing can be asserted there. */
function outsideOfWaits(module: Module, place: Place): Pick<Place, 'path' | 'statement'> {
  const around = placesOf(module).find(
    ({ path, statement }) =>
      (statement.kind === 'wait' || statement.kind === 'waitAll') &&
      path.length < place.path.length &&
      path.every((step, i) => step === place.path[i]),
  );
  return around ?? place;
}

function describe(place: Place, { operator, detail, does }: Change): Omit<Mutant, 'module'> {
  const { name, statement, calls } = place;
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

function apply(module: Module, { path }: Place, { becomes, locals = [] }: Change): Module {
  const body = replaceAt(module.body, path, becomes);
  return {
    ...module,
    body,
    locals: locals.length === 0 ? module.locals : Object.freeze([...module.locals, ...locals]),
  };
}

/** What a backend runs that knows no call by its name: calls with a body are their body. */
function whatRuns(module: Module): string {
  const body = mapBody(module.body, {
    statement: (s) => (s.kind === 'call' && s.body !== undefined ? { ...s, statics: [] } : s),
  });
  return printModule({ ...module, body });
}
