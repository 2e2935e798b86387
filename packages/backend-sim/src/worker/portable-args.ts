import type { ArgValue, DevCommValue, WindowCopies, WindowValue } from '@nccl-ts/codegen';

const none: WindowCopies = Object.freeze({
  bases: [],
  regions: [],
  ranks: [],
  bytes: 0,
  strictOrdering: false,
  cftCounted: false,
});
const windows = new WeakMap<WindowValue, WindowValue>();
const devComms = new WeakMap<DevCommValue, DevCommValue>();

/**
 * Returns the arguments for other threads. It leaves out the copies of all ranks, which only the
 * network uses, since every launch is cloned for each thread.
 */
export function portableArgs(args: readonly ArgValue[]): readonly ArgValue[] {
  return args.map((arg) => {
    if (typeof arg !== 'object') return arg;
    if ('copies' in arg) return portableWindow(arg);
    if (!('windows' in arg)) return arg;
    const known = devComms.get(arg) ?? portableDevComm(arg);
    devComms.set(arg, known);
    return known;
  });
}

function portableWindow(window: WindowValue): WindowValue {
  const known = windows.get(window) ?? { ...window, copies: none };
  windows.set(window, known);
  return known;
}

function portableDevComm(devComm: DevCommValue): DevCommValue {
  const own = Object.entries(devComm.windows).map(([name, window]) => [name, portableWindow(window)] as const);
  return { fields: devComm.fields, windows: Object.fromEntries(own) };
}
