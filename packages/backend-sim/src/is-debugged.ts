import { readPermitted } from '@nccl-ts/core';

interface Inspector {
  url(): string | undefined;
}

// Node's; browsers have none.
declare const process: { getBuiltinModule?(name: 'node:inspector'): Inspector | undefined } | undefined;

/**
 * True if a debugger can attach to this process. False for pages, and without the permission to
 * find out.
 */
export function isDebugged(): boolean {
  const url = readPermitted({ name: 'sys', kind: 'inspector' }, () =>
    typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:inspector')?.url(),
  );
  return url !== undefined;
}
