import * as barrier from '@nccl-ts/barrier';
import * as devcomm from '@nccl-ts/devcomm';
import * as gin from '@nccl-ts/gin';
import * as llA2a from '@nccl-ts/ll-a2a';
import * as lsa from '@nccl-ts/lsa';
import * as multimem from '@nccl-ts/multimem';
import * as reduceCopy from '@nccl-ts/reduce-copy';

/** A text in the kernel language, and its enclosing definition. */
export interface DeviceText {
  readonly name: string;
  readonly text: string;
}

/**
 * The texts of all device functions that the packages of the device API export, and of all
 * functions that these use: bodies, constructors, methods, destructors and forms.
 */
export function deviceTexts(): readonly DeviceText[] {
  const found: DeviceText[] = [];
  const seen = new Set<unknown>();
  const visit = (value: unknown, name: string): void => {
    if (typeof value === 'function') {
      if (isBody(name)) found.push({ name, text: value.toString() });
      return;
    }
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    for (const [key, member] of Object.entries(value)) visit(member, `${name}.${key}`);
  };
  for (const [name, exported] of Object.entries({ barrier, devcomm, gin, llA2a, lsa, multimem, reduceCopy }))
    for (const [key, value] of Object.entries(exported)) if (typeof value === 'object') visit(value, `${name}.${key}`);
  return found;
}

/** The texts, by the fields of `DeviceFn` and `SessionDefinition`. */
function isBody(name: string): boolean {
  return /\.(body|ctor|dtor)$/.test(name);
}
