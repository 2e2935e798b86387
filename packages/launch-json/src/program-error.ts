import { NcclError } from '@nccl-ts/core';

/** A step into JSON: a key or an index. */
export type JsonKey = string | number;

/**
 * An error at a place of a program. Its details have the `path`, such as
 * `worlds[0].memory[1].name`.
 */
export function programError(keys: readonly JsonKey[], problem: string): NcclError {
  const path = pathText(keys);
  return new NcclError('NCCLTS_PROGRAM', `${path === '' ? 'the program' : path} ${problem}`, { details: { path } });
}

function pathText(keys: readonly JsonKey[]): string {
  let path = '';
  for (const key of keys) {
    if (typeof key === 'number') path += `[${key}]`;
    else if (/^[\w$]+$/u.test(key)) path += path === '' ? key : `.${key}`;
    else path += `[${JSON.stringify(key)}]`;
  }
  return path;
}
