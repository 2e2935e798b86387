import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { readScalar, roundFloat, writeScalar } from '@nccl-ts/ir';
import { sim } from '@nccl-ts/backend-sim';
import { getLsaDevicePointer, World, type Window } from '@nccl-ts/communicator';
import { importKernel, matchingEntries, parsePtx, type PtxModule, type PtxVariable } from '@nccl-ts/ptx';
import { readFileSync } from 'node:fs';
import { paramOffsets } from '../../src/lower/param-memory.ts';
import type { FixtureMemory, FixtureType, FixtureWords, KernelFixture } from '../fixtures/index.ts';

export function readFixture(name: string): PtxModule {
  const text = readFileSync(new URL(`../fixtures/${name}.ptx`, import.meta.url), 'utf8');
  const { module, diagnostics } = parsePtx(text, `${name}.ptx`);
  if (module === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return module;
}

/** Launches a fixture on one rank. Returns the final contents of each memory argument, as bytes. */
export async function runFixture(fixture: KernelFixture): Promise<readonly (Uint8Array | undefined)[]> {
  const module = readFixture(fixture.name);
  const { dynamicShared = 0 } = fixture;
  const { kernel, params } = importKernel(module, { entry: fixture.entry, dynamicShared });
  const entry = matchingEntries(module, fixture.entry)[0];
  if (entry === undefined) throw new Error(`${fixture.name} has no ${fixture.entry}`);
  const offsets = [...paramOffsets(entry.params).values()];
  await using world = await World.open({ backend: sim({ ranks: 1 }) });
  const [results] = await world.run(async (comm) => {
    const address = (window: Window): bigint => BigInt(getLsaDevicePointer(window, 0, 0)?.address ?? -1);
    const given = new DataView(new ArrayBuffer(Math.max(8, ...offsets.map((one) => one.offset + one.variable.bytes))));
    const windows: (Window | undefined)[] = [];
    for (const [index, arg] of fixture.args.entries()) {
      const offset = offsets[index]?.offset ?? 0;
      if (isWords(arg)) {
        windows.push(undefined);
        arg.words.forEach((word, at) => given.setUint32(offset + 4 * at, word >>> 0, true));
        continue;
      }
      const bytes = bytesOf(arg.type, arg.values);
      const window = await comm.allocWindow('u8', bytes.length);
      await window.write(bytes);
      windows.push(window);
      given.setBigUint64(offset, address(window), true);
    }
    const variables = new Map<string, bigint>();
    const memories = new Map<string, Window>();
    for (const variable of variablesOf(module)) {
      const window = await comm.allocWindow('u8', variable.bytes);
      memories.set(variable.name, window);
      variables.set(variable.name, address(window));
    }
    for (const { name, bytes, initial } of variablesOf(module)) {
      const data = Uint8Array.from(initial?.bytes ?? new Uint8Array(bytes));
      const view = new DataView(data.buffer);
      for (const { at, symbol, offset } of initial?.addresses ?? []) {
        view.setBigUint64(at, (variables.get(symbol) ?? 0n) + offset, true);
      }
      await memories.get(name)?.write(data);
    }
    const args: Record<string, number | bigint> = {};
    for (const one of params) {
      if (one.kind === 'handle') continue;
      args[one.name] =
        one.kind === 'variable' ? (variables.get(one.name) ?? 0n) : wordAt(given, one.offset, one.scalar);
    }
    await comm.launch(kernel, { grid: fixture.grid, block: fixture.block }, args);
    await comm.synchronize();
    const read: (Uint8Array | undefined)[] = [];
    for (const window of windows) {
      const data = await window?.read();
      read.push(data === undefined ? undefined : Uint8Array.from(data, Number));
    }
    return read;
  });
  return results ?? [];
}

function isWords(arg: FixtureMemory | FixtureWords): arg is FixtureWords {
  return 'words' in arg;
}

function variablesOf({ variables }: PtxModule): readonly PtxVariable[] {
  return variables.filter(({ space }) => space === 'global' || space === 'const');
}

function wordAt(view: DataView, offset: number, scalar: ScalarKind): number | bigint {
  const word = readScalar(view, offset, scalar);
  return typeof word === 'boolean' ? Number(word) : word;
}

/** The little-endian bytes of values. Halves are rounded to the nearest. */
export function bytesOf(type: FixtureType, values: readonly (number | bigint)[]): Uint8Array {
  const size = scalarInfo[type].bytes;
  const view = new DataView(new ArrayBuffer(values.length * size));
  values.forEach((value, index) => write(view, index * size, type, value));
  return new Uint8Array(view.buffer);
}

function write(view: DataView, at: number, type: FixtureType, value: number | bigint): void {
  if (type === 'i64') return view.setBigInt64(at, BigInt(value), true);
  const number = type === 'f16' || type === 'bf16' ? roundFloat(type, Number(value)) : Number(value);
  writeScalar(view, at, type, number);
}
