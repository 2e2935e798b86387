interface Inspector {
  url(): string | undefined;
}

// Node's; browsers have none.
declare const process: { getBuiltinModule?(name: 'node:inspector'): Inspector | undefined } | undefined;

/** Whether a debugger can attach to this process. Of pages it is not known. */
export function isDebugged(): boolean {
  return typeof process !== 'undefined' && process.getBuiltinModule?.('node:inspector')?.url() !== undefined;
}
