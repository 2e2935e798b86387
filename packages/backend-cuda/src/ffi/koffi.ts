import { NcclError } from '@nccl-ts/core';

/**
 * The arguments and results of native functions. Pointers and handles are numbers, because they are
 * below 2^53 on every system with a driver, and numbers are the fastest arguments. A typed array is
 * passed as the address of its bytes.
 */
export type NativeValue = number | bigint | ArrayBufferView | null | undefined | object;

export type NativeFunction = (...args: readonly NativeValue[]) => unknown;

/** The types with which native functions are declared here. */
export type NativeType =
  | 'void'
  | 'int'
  | 'uint8_t'
  | 'uint32_t'
  | 'uint64_t'
  | 'size_t'
  | 'float'
  | 'void *'
  | 'str'
  | NativeStruct;

/** A struct type, made with `Koffi.struct`. */
export interface NativeStruct {
  readonly name: string;
}

export interface NativeLibrary {
  /** @throws if the library has no such function */
  func(name: string, result: NativeType, parameters: readonly NativeType[]): NativeFunction;
}

/** The part of koffi that is used here. */
export interface Koffi {
  load(path: string): NativeLibrary;
  struct(name: string | null, members: Readonly<Record<string, NativeType>>): NativeStruct;
  array(type: NativeType, length: number): NativeType;
  alloc(type: NativeType, length: number): unknown;
  free(pointer: unknown): void;
  address(pointer: unknown): bigint;
  view(pointer: unknown, bytes: number): ArrayBuffer;
  decode(pointer: unknown, type: string, length: number): unknown;
}

let loading: Promise<Koffi> | undefined;

/**
 * Loads koffi at the first use, because only worlds on GPUs need it.
 *
 * @throws NcclError `NCCLTS_KOFFI_MISSING`.
 */
export async function loadKoffi(): Promise<Koffi> {
  loading ??= importKoffi();
  return loading;
}

async function importKoffi(): Promise<Koffi> {
  try {
    const imported: { readonly default?: unknown } = await import('koffi');
    return expectKoffi(imported.default ?? imported);
  } catch (error) {
    throw new NcclError(
      'NCCLTS_KOFFI_MISSING',
      'The CUDA backend calls native libraries through the package koffi, which cannot be loaded: ' +
        `${error instanceof Error ? error.message : String(error)}. Install it beside @nccl-ts/backend-cuda: npm install koffi`,
      { cause: error },
    );
  }
}

function expectKoffi(value: unknown): Koffi {
  if (isKoffi(value)) return value;
  throw new TypeError('the package does not have the functions of koffi 3');
}

function isKoffi(value: unknown): value is Koffi {
  if (typeof value !== 'object' || value === null) return false;
  const names = ['load', 'struct', 'array', 'alloc', 'free', 'address', 'view', 'decode'];
  return names.every((name) => typeof Reflect.get(value, name) === 'function');
}

/** Returns the integer result of a native function. */
export function integerResult(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  throw new TypeError(`A native function gave ${typeof value} instead of a number.`);
}
