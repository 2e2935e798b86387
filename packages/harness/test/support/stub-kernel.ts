import type { TranslatedEntry } from '@nccl-ts/harness';
import { parseModule } from '@nccl-ts/ir';
import { moduleKernel, u32, u64 } from '@nccl-ts/kernel';
import type { PtxStateSpace, PtxType, PtxVariable } from '@nccl-ts/ptx';

const span = { start: 0, end: 0 };

/** A parameter of an entry, as the PTX reader returns it. */
export function param(name: string, type: PtxType, bytes: number, more: Partial<PtxVariable> = {}): PtxVariable {
  return { name, space: 'param', type, width: 1, bytes, align: bytes, isExtern: false, span, ...more };
}

export function structParam(name: string, bytes: number, align: number): PtxVariable {
  return param(name, 'b8', bytes, { length: bytes, align });
}

export function variable(name: string, bytes: number, more: Partial<PtxVariable> = {}): PtxVariable {
  const space: PtxStateSpace = 'global';
  return param(name, 'b8', bytes, { length: bytes, align: 8, space, ...more });
}

/**
 * Stores the second word of its parameters to the address in the first, in the memory of the peer
 * that the table names.
 */
const store = `kernel stores
param $0 table: u64
param $1 value: u32
local %0 at: u64
{
  %0 = load address(u64, $0)
  store address(u32, %0), $1 relaxed.system
}
`;

/**
 * An entry of three parameters: a table of addresses (u64), a value (u32), and a struct of 16 bytes
 * that the kernel does not read.
 */
export function storesToPeer(): TranslatedEntry {
  return {
    kernel: moduleKernel({ name: 'stores', params: { table: u64, value: u32 } }, () => parseModule(store)),
    params: [
      { kind: 'bytes', name: 'table', offset: 0, scalar: 'u64' },
      { kind: 'bytes', name: 'value', offset: 8, scalar: 'u32' },
    ],
    entry: {
      name: 'stores',
      params: [
        param('stores_param_0', 'u64', 8),
        param('stores_param_1', 'u32', 4),
        structParam('stores_param_2', 16, 8),
      ],
    },
  };
}

/** Copies the word to which a variable's first word points to `out`. */
const follows = `kernel follows
param $0 out: u64
param $1 start: u64
local %0 at: u64
local %1 word: u32
{
  %0 = load address(u64, $1)
  %1 = load address(u32, %0)
  store address(u32, $0), %1
}
`;

/**
 * An entry with one parameter (u64) and two variables: the first holds the address of byte 4 of the
 * second.
 */
export function followsVariable(): TranslatedEntry {
  const target = variable('numbers', 8, { initial: { bytes: Uint8Array.of(1, 0, 0, 0, 42, 0, 0, 0), addresses: [] } });
  const start = variable('start', 8, {
    initial: { bytes: new Uint8Array(8), addresses: [{ at: 0, symbol: 'numbers', offset: 4n, generic: true }] },
  });
  return {
    kernel: moduleKernel({ name: 'follows', params: { out: u64, start: u64, numbers: u64 } }, () =>
      parseModule(follows.replace('local', 'param $2 numbers: u64\nlocal')),
    ),
    params: [
      { kind: 'bytes', name: 'out', offset: 0, scalar: 'u64' },
      { kind: 'variable', name: 'start', variable: start },
      { kind: 'variable', name: 'numbers', variable: target },
    ],
    entry: { name: 'follows', params: [param('follows_param_0', 'u64', 8)] },
  };
}
