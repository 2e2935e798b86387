import {
  analyseUniformity,
  recomputableLocals,
  specialiseLaunch,
  type Expression,
  type LocalId,
  type Module,
  type Uniformity,
  type ValidatedModule,
} from '@nccl-ts/ir';
import type { Specialisation } from '../program/program.ts';
import { distinctLoops } from './distinct-loops.ts';

/*
 * The parts of an emission that its options do not change. A check generates several texts from one
 * module, and these parts are computed once for all of them.
 */

const known = new WeakMap<ValidatedModule, Map<string, Module>>();

/** Returns `module` for launches with `specialisation`, ready to become text. */
export function preparedModule(module: ValidatedModule, specialisation: Specialisation): Module {
  const { blockDim, fields } = specialisation;
  const modules = known.get(module) ?? new Map<string, Module>();
  known.set(module, modules);
  const key = JSON.stringify([blockDim.x, blockDim.y, blockDim.z, fields]);
  let prepared = modules.get(key);
  if (prepared === undefined) {
    prepared = distinctLoops(specialiseLaunch(module, specialisation));
    modules.set(key, prepared);
  }
  return prepared;
}

/** The properties of a prepared module that all of its texts share. */
export interface ModuleFacts {
  readonly uniformity: Uniformity;
  /** Locals that any part of the code may compute again. */
  readonly recomputable: ReadonlyMap<LocalId, Expression>;
}

const knownFacts = new WeakMap<Module, ModuleFacts>();

export function factsOf(module: Module): ModuleFacts {
  let facts = knownFacts.get(module);
  if (facts === undefined) {
    facts = { uniformity: analyseUniformity(module), recomputable: recomputableLocals(module.body) };
    knownFacts.set(module, facts);
  }
  return facts;
}

/** Returns `uniformity` with the answers of one emission, which asks again and again. */
export function remembered(uniformity: Uniformity): Uniformity {
  const answers = new Map<Expression, boolean>();
  return {
    varying: uniformity.varying,
    divergence: (statement) => uniformity.divergence(statement),
    isUniform: (expression) => {
      let answer = answers.get(expression);
      if (answer === undefined) {
        answer = uniformity.isUniform(expression);
        answers.set(expression, answer);
      }
      return answer;
    },
  };
}
