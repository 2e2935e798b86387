import { validate, type Capabilities, type Module, type Validation } from '@nccl-ts/ir';

const known = new WeakMap<Module, Map<string, Validation>>();

/**
 * Calls `validate` once for each module and set of capabilities, so that new worlds need not
 * validate again.
 */
export function validated(module: Module, capabilities: Capabilities): Validation {
  const byCapabilities = known.get(module) ?? new Map<string, Validation>();
  known.set(module, byCapabilities);
  const key = JSON.stringify(capabilities);
  const before = byCapabilities.get(key);
  if (before !== undefined) return before;
  const result = validate(module, capabilities);
  byCapabilities.set(key, result);
  return result;
}
