import type { Communicator, Window } from '@nccl-ts/communicator';
import type { Kernel, ParamType } from '@nccl-ts/kernel';
import { UsageError } from './usage-error.ts';

export interface ArgumentOptions {
  /** Bytes of each window. */
  readonly bytes: number;
  /** LSA barriers of the device communicator: one for each CTA. */
  readonly lsaBarrierCount: number;
  /** Values of scalar parameters, as written on the command line. */
  readonly values: ReadonlyMap<string, string>;
}

/** Arguments for one rank's launch, and the windows among them. */
export interface PreparedArguments {
  readonly args: Record<string, unknown>;
  readonly windows: ReadonlyMap<string, Window>;
}

/** Checks, before anything is allocated, that the command line says all that it has to. */
export function checkArguments(kernel: Kernel, values: ReadonlyMap<string, string>): void {
  for (const name of values.keys()) {
    if (!Object.hasOwn(kernel.params, name)) {
      throw new UsageError(`--arg ${name}: kernel '${kernel.name}' has no such parameter; it has ${Object.keys(kernel.params).join(', ') || 'none'}`);
    }
  }
  for (const [name, type] of Object.entries(kernel.params)) {
    if (type.kind === 'scalar' && !values.has(name)) {
      throw new UsageError(`kernel '${kernel.name}' needs a value for '${name}' (${type.scalar}): --arg ${name}=...`);
    }
    if (type.kind === 'scalar') scalarValue(name, type.scalar, values.get(name) ?? '');
    else if (type.kind !== 'handle' || (type.handle !== 'Window' && type.handle !== 'DevComm')) {
      throw new UsageError(`parameter '${name}' of kernel '${kernel.name}' cannot be given on the command line: export a function host(comm, { grid, block }) that launches it`);
    }
  }
}

/**
 * Makes a window for each window parameter, a device communicator for each DevComm parameter, and reads the scalars.
 * Collective: every rank does it. Windows hold f32 values: element i of rank r is r + (i mod 17) / 16.
 */
export async function prepareArguments(comm: Communicator, kernel: Kernel, options: ArgumentOptions): Promise<PreparedArguments> {
  const args: Record<string, unknown> = {};
  const windows = new Map<string, Window>();
  for (const [name, type] of Object.entries(kernel.params)) args[name] = await prepare(comm, name, type, options, windows);
  return { args, windows };
}

async function prepare(comm: Communicator, name: string, type: ParamType, options: ArgumentOptions, windows: Map<string, Window>): Promise<unknown> {
  if (type.kind === 'scalar') return scalarValue(name, type.scalar, options.values.get(name) ?? '');
  if (type.kind === 'handle' && type.handle === 'DevComm') {
    return comm.createDevComm({ lsaBarrierCount: options.lsaBarrierCount });
  }
  const win = await comm.allocWindow('f32', Math.ceil(options.bytes / 4));
  if (win === null) throw new Error('symmetric memory is not supported here');
  await win.write(Float32Array.from({ length: Math.ceil(options.bytes / 4) }, (_, i) => comm.rank + (i % 17) / 16));
  windows.set(name, win);
  return win;
}

function scalarValue(name: string, scalar: string, text: string): number | bigint | boolean {
  if (scalar === 'bool') {
    if (text !== 'true' && text !== 'false') throw new UsageError(`--arg ${name}=${text}: it must be true or false`);
    return text === 'true';
  }
  if (/^[+-]?(\d+|0x[\da-f]+)n?$/i.test(text)) {
    const exact = BigInt(text.replace(/n$/, '').replace(/^\+/, ''));
    return scalar === 'i64' || scalar === 'u64' ? exact : Number(exact);
  }
  const value = Number(text);
  if (text.trim() === '' || Number.isNaN(value)) throw new UsageError(`--arg ${name}=${text}: it must be a number (${scalar})`);
  return value;
}
