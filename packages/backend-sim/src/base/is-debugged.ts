import { readPermitted } from '@nccl-ts/core';

interface Inspector {
  url(): string | undefined;
}

// Only Node has this module.
declare const process: { getBuiltinModule?(name: 'node:inspector'): Inspector | undefined } | undefined;

/**
 * True if a debugger can attach to this process. False for pages, and if the process may not find
 * out.
 */
export function isDebugged(): boolean {
  const url = readPermitted({ name: 'sys', kind: 'inspector' }, () =>
    typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:inspector')?.url(),
  );
  return url !== undefined;
}
