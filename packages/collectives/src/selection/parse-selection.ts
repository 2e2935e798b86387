import { collectiveNames, NcclError, showValue } from '@nccl-ts/core';
import { algorithmNames } from '../algorithms/algorithm.ts';
import { checkRule } from './check-rule.ts';
import type { SelectionRule } from './selection-rule.ts';

/** The members that are whole numbers, with the smallest value of each. */
const limits = { minRanks: 1, maxRanks: 1, maxBytes: 0, ctas: 1, threads: 1 } as const;
const limitNames = ['minRanks', 'maxRanks', 'maxBytes', 'ctas', 'threads'] as const;
const members: readonly string[] = ['collective', 'algorithm', 'backend', 'nvlink', 'measured', ...limitNames];

/**
 * Parses rules from JSON: a list of objects with the members of `SelectionRule`, as
 * `nccl-ts tune --out` writes them. Pass the rules to `setSelection`, before `defaultSelection`.
 * Every rule is checked. Unknown members are errors, because a rule with a misspelt limit would fit
 * every call.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the text has another form. The message names the
 *   rule and the member.
 */
export function parseSelection(text: string): readonly SelectionRule[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new NcclError('NCCL_INVALID_ARGUMENT', `parseSelection: the text is not JSON: ${showValue(text)}.`, {
      cause: error,
    });
  }
  if (!Array.isArray(value)) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `parseSelection: the text must be a list of rules: [{ ... }]; given ${showValue(value)}.`,
    );
  }
  const list: readonly unknown[] = value;
  return Object.freeze(list.map((rule, i) => ruleOf(rule, `parseSelection: rule ${i + 1} of ${list.length}`)));
}

function ruleOf(value: unknown, what: string): SelectionRule {
  const wrong = (must: string): NcclError => new NcclError('NCCL_INVALID_ARGUMENT', `${what}: ${must}.`);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrong(`it must be an object; given ${showValue(value)}`);
  }
  const given = new Map<string, unknown>(Object.entries(value));
  for (const name of given.keys()) {
    if (!members.includes(name)) throw wrong(`there is no member ${name}; there is ${members.join(', ')}`);
  }
  const named = <T extends string>(name: string, known: readonly T[]): T => {
    const text = given.get(name);
    const found = known.find((one) => one === text);
    if (found === undefined) throw wrong(`${name} must be one of ${known.join(', ')}; given ${showValue(text)}`);
    return found;
  };
  const limit = (name: (typeof limitNames)[number]): number | undefined => {
    const number = given.get(name);
    if (number === undefined) return undefined;
    const least = limits[name];
    if (typeof number === 'number' && Number.isSafeInteger(number) && number >= least) return number;
    throw wrong(`${name} must be an integer of ${least} or more; given ${showValue(number)}`);
  };
  const backend = given.get('backend');
  if (backend !== undefined && typeof backend !== 'string') {
    throw wrong(`backend must be the name of one; given ${showValue(backend)}`);
  }
  const nvlink = given.get('nvlink');
  if (nvlink !== undefined && typeof nvlink !== 'boolean') {
    throw wrong(`nvlink must be true or false; given ${showValue(nvlink)}`);
  }
  const measured = given.get('measured');
  if (measured !== undefined && typeof measured !== 'string') {
    throw wrong(`measured must be a text; given ${showValue(measured)}`);
  }
  const [minRanks, maxRanks, maxBytes, ctas, threads] = limitNames.map(limit);
  const rule: SelectionRule = Object.freeze({
    collective: named('collective', collectiveNames),
    algorithm: named('algorithm', algorithmNames),
    ...(backend === undefined ? {} : { backend }),
    ...(nvlink === undefined ? {} : { nvlink }),
    ...(minRanks === undefined ? {} : { minRanks }),
    ...(maxRanks === undefined ? {} : { maxRanks }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
    ...(ctas === undefined ? {} : { ctas }),
    ...(threads === undefined ? {} : { threads }),
    ...(measured === undefined ? {} : { measured }),
  });
  checkRule(rule, what);
  return rule;
}
