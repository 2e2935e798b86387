import type { TensorMapSwizzle, TensorMapValue } from '@nccl-ts/harness';

type TensorMapType = TensorMapValue['type'];

/** The value of `format` in every program. */
export const PROGRAM_FORMAT = 'nccl-ts/program';

/** The version that this package writes, and the only one that it reads. */
export const PROGRAM_VERSION = 1;

/**
 * A program of all ranks: kernels as PTX, memory, and the steps of each rank's host. It contains
 * everything that a check needs, so that others can repeat the check.
 */
export interface ProgramJson {
  readonly format: typeof PROGRAM_FORMAT;
  readonly version: typeof PROGRAM_VERSION;
  /** True if each rank is meant to work alone. @default false */
  readonly local?: boolean | undefined;
  /** How often each rank's list of steps runs, or the kernel is launched. @default 1 */
  readonly launches?: number | undefined;
  /** The number of streams on which the launches take turns. @default 1 */
  readonly streams?: number | undefined;
  /** The requirements on the device communicator, in the form of `createDevComm`. */
  readonly devComm?: Readonly<Record<string, unknown>> | undefined;
  /** The texts of kernels, by names of your own. */
  readonly texts: Readonly<Record<string, TextJson>>;
  /** The text of source files, by their names in the PTX. Findings show their lines. */
  readonly sources?: Readonly<Record<string, string>> | undefined;
  /** The only kernel. Ranks then have `args`. There is this, or `kernels`. */
  readonly kernel?: KernelJson | undefined;
  /** The kernels by name. Ranks then have `steps`. */
  readonly kernels?: Readonly<Record<string, KernelJson>> | undefined;
  /** The program with each number of ranks. */
  readonly worlds: readonly WorldJson[];
}

/** PTX, or a `.ptx` or `.cu` file relative to the program's own. */
export type TextJson = { readonly ptx: string; readonly name?: string | undefined } | { readonly file: string };

/** One text for all ranks, or one for each. `null` is for ranks that do not launch the kernel. */
export type ByRankJson = string | readonly (string | null)[];

/** Three extents, or the first of them. */
export type ExtentJson =
  | number
  | { readonly x: number; readonly y?: number | undefined; readonly z?: number | undefined };

/** A kernel, and the shape of its launches. */
export interface KernelJson {
  /** A name in `texts`. */
  readonly text: ByRankJson;
  /** The entry's name, mangled or not. */
  readonly entry: ByRankJson;
  readonly grid: ExtentJson;
  readonly block: ExtentJson;
  readonly cluster?: ExtentJson | undefined;
  readonly programmatic?: boolean | undefined;
  /** Bytes of `extern __shared__` memory. @default 0 */
  readonly dynamicShared?: number | undefined;
  /** Words of the parameters that are the same in every launch, by byte offset. */
  readonly known?: Readonly<Record<string, IntegerJson>> | undefined;
}

/** An integer. Those above 2^53 are strings of decimal digits. */
export type IntegerJson = number | string;

/** The program with one number of ranks, or why there is none. */
export type WorldJson = RanWorldJson | { readonly ranks: number; readonly why: string };

export interface RanWorldJson {
  readonly ranks: number;
  /** Memory that every rank has. */
  readonly memory: readonly MemoryJson[];
  /** The program of each rank. */
  readonly programs: readonly RankJson[];
  /** The differences to `kernel` and `kernels` with these ranks. The only kernel is ''. */
  readonly kernels?: Readonly<Record<string, KernelOfWorldJson>> | undefined;
}

export interface KernelOfWorldJson {
  readonly text?: ByRankJson | undefined;
  readonly entry?: ByRankJson | undefined;
}

/** The types of elements. */
export const elementNames = [
  'u8',
  'u16',
  'u32',
  'u64',
  'i8',
  'i16',
  'i32',
  'i64',
  'f16',
  'bf16',
  'f32',
  'f64',
  'ptr',
] as const;

export type ElementName = (typeof elementNames)[number];

export interface MemoryJson {
  /** Findings use the name. */
  readonly name: string;
  /** @default 'u8' */
  readonly type?: ElementName | undefined;
  /** The number of elements. */
  readonly count: number;
  /** The first contents, for all ranks or for each. By default they are zeros. */
  readonly contents?: ContentsJson | readonly (ContentsJson | null)[] | undefined;
}

/** `uninitialised` is as after `cudaMalloc`. */
export type ContentsJson = 'uninitialised' | ImageJson | { readonly values: readonly NumberJson[] };

/** Numbers that JSON lacks are texts: `NaN`, `Infinity`, `-Infinity`, `-0`, large integers. */
export type NumberJson = number | string;

/** Bytes, with addresses that are filled in when memory is allocated. */
export interface ImageJson {
  /** @default zeros, for contents of memory */
  readonly base64?: string | undefined;
  readonly addresses?: readonly PlacedAddressJson[] | undefined;
  /** Fields of the device communicator. */
  readonly fields?: readonly PlacedFieldJson[] | undefined;
}

/** The address of a byte of memory. */
export interface AddressJson {
  readonly memory: string;
  /** A rank, or `multicast` for all of them at once. @default the own rank */
  readonly rank?: number | 'multicast' | undefined;
  /** In bytes. @default 0 */
  readonly offset?: number | undefined;
}

export interface PlacedAddressJson extends AddressJson {
  /** The first of the 8 bytes that get the address. */
  readonly at: number;
  /** The part of the address. @default 'whole' */
  readonly part?: 'whole' | 'above 4 GiB' | 'page below 4 GiB' | undefined;
}

export interface PlacedFieldJson {
  readonly at: number;
  readonly field: string | { readonly resource: number };
  readonly bytes: 4 | 8;
}

/** A number, an address, null, the bytes of the parameter, or a tensor map (`CUtensorMap`). */
export type ArgumentJson = NumberJson | null | AddressJson | ArgumentBytesJson | { readonly tensorMap: TensorMapJson };

/** The arguments of `cuTensorMapEncodeTiled`. The innermost dimension is first. */
export interface TensorMapJson {
  readonly base: AddressJson;
  readonly type: TensorMapType;
  readonly shape: readonly number[];
  /** In bytes, of all dimensions but the first. @default those of a tensor without gaps */
  readonly strides?: readonly number[] | undefined;
  readonly box: readonly number[];
  /** @default 'none' */
  readonly swizzle?: TensorMapSwizzle | undefined;
}

export interface ArgumentBytesJson extends ImageJson {
  readonly base64: string;
  /** Words that are the same in every launch, by byte offset. */
  readonly known?: Readonly<Record<string, IntegerJson>> | undefined;
  /** The offsets of addresses that point into a range of several allocations. */
  readonly ranges?: readonly number[] | undefined;
}

/** The program of a rank: `args` for the only kernel, or `steps`. */
export interface RankJson {
  /** The arguments of every launch. */
  readonly args?: readonly ArgumentJson[] | undefined;
  /** The arguments of each launch, if they differ. */
  readonly argsByLaunch?: readonly (readonly ArgumentJson[])[] | undefined;
  readonly steps?: readonly StepJson[] | undefined;
  /** The list of each launch, if they differ. */
  readonly stepsByLaunch?: readonly (readonly StepJson[])[] | undefined;
  /** The host's actions after each launch but the last, for the only kernel. */
  readonly between?: readonly (readonly StepJson[])[] | undefined;
  /** The memory that is expected at the end. */
  readonly expect?: readonly ExpectJson[] | undefined;
}

/** The elements of memory that are expected, as a list or as bytes. */
export interface ExpectJson {
  readonly memory: string;
  /** The first element. @default 0 */
  readonly from?: number | undefined;
  readonly values?: readonly NumberJson[] | undefined;
  readonly base64?: string | undefined;
  /** Relative to the expected value if that is above 1. @default 0 */
  readonly tolerance?: number | undefined;
}

interface OnStreamJson {
  /** @default 0 */
  readonly stream?: number | undefined;
}

interface LocatedJson extends OnStreamJson {
  /** `file:line:column` of the call. */
  readonly location?: string | undefined;
}

/** A step of a rank's host, in the order in which it issues them. */
export type StepJson =
  | (OnStreamJson & {
      readonly kind: 'launch';
      readonly kernel: string;
      readonly args: readonly ArgumentJson[];
      readonly grid?: ExtentJson | undefined;
      readonly block?: ExtentJson | undefined;
    })
  | (LocatedJson & {
      readonly kind: 'memcpy';
      readonly to: AddressJson;
      readonly from: AddressJson;
      readonly bytes: number;
    })
  | (LocatedJson & {
      readonly kind: 'memset';
      readonly to: AddressJson;
      readonly value: number;
      readonly bytes: number;
    })
  | (LocatedJson & {
      readonly kind: 'writeWord';
      readonly to: AddressJson;
      readonly value: IntegerJson;
      readonly bytes?: 4 | 8 | undefined;
    })
  | (LocatedJson & {
      readonly kind: 'waitWord';
      readonly from: AddressJson;
      readonly value: IntegerJson;
      readonly condition?: 'geq' | 'eq' | 'and' | 'nor' | undefined;
      readonly bytes?: 4 | 8 | undefined;
    })
  | (OnStreamJson & { readonly kind: 'record' | 'waitEvent'; readonly event: number })
  | {
      readonly kind: 'write';
      readonly memory: string;
      /** In bytes. @default 0 */
      readonly offset?: number | undefined;
      readonly contents: ImageJson & { readonly base64: string };
    }
  | { readonly kind: 'synchronize'; readonly stream?: number | undefined }
  | { readonly kind: 'barrier' }
  | (ExpectJson & { readonly kind: 'expect' });
