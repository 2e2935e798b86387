import type { DevCommPlan } from '@nccl-ts/devcomm';
import type { Module } from '@nccl-ts/ir';
import type { Dim3, HostState, LaunchReport } from '@nccl-ts/transport';
import type { WindowFlags } from '@nccl-ts/window';
import type { ExchangeCosts } from '../exchange/exchange.ts';
import type { DeviceDescription, GpuCall, GpuNews } from './gpu-messages.ts';
import type { SentError } from './sent-error.ts';

/** The options that must be equal for all members of a world. */
export interface WorldTerms {
  readonly ranks: number;
  readonly lsaSize: number;
  readonly exact: boolean;
  readonly checks: boolean;
  readonly fuel: number;
  readonly memoryBytes: number | undefined;
}

/** A member's request to the world, and its reply. Objects of the world are passed by number. */
export type WorldCall =
  | { readonly kind: 'alloc'; readonly bytes: number }
  | { readonly kind: 'free'; readonly buffer: number }
  | { readonly kind: 'write'; readonly buffer: number; readonly data: ArrayBufferView; readonly offset: number }
  | { readonly kind: 'read'; readonly buffer: number; readonly bytes: number; readonly offset: number }
  | {
      readonly kind: 'registerWindow';
      readonly buffer: number;
      readonly offset: number;
      readonly bytes: number;
      readonly flags: WindowFlags;
    }
  | { readonly kind: 'deregisterWindow'; readonly window: number }
  | { readonly kind: 'createDevComm'; readonly plan: DevCommPlan }
  | { readonly kind: 'destroyDevComm'; readonly devComm: number }
  | { readonly kind: 'createStream' }
  | { readonly kind: 'destroyStream'; readonly stream: number }
  | { readonly kind: 'compile'; readonly module: Module }
  | { readonly kind: 'synchronize'; readonly stream: number }
  | { readonly kind: 'close' };

export type WorldResult =
  | { readonly of: 'nothing' }
  /** A new thing's number. */
  | { readonly of: 'number'; readonly number: number }
  | { readonly of: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** The start of each rank's copy; `undefined` if this rank cannot access it. */
  | { readonly of: 'window'; readonly number: number; readonly addresses: readonly (number | undefined)[] }
  | { readonly of: 'report'; readonly report: LaunchReport; readonly account: WorldAccount };

/** The facts about the whole world, sent from where it runs. */
export interface WorldAccount {
  readonly dispatches: number;
  readonly gpuNanoseconds: bigint | undefined;
  readonly exchanged: ExchangeCosts;
  /** The texts generated from the member's kernels since the last message, by their numbers. */
  readonly texts: readonly { readonly executable: number; readonly language: string; readonly text: string }[];
}

/** A launch argument: windows and device communicators by number. */
export type SentArg =
  | { readonly kind: 'scalar'; readonly value: number | bigint | boolean }
  | { readonly kind: 'vector'; readonly values: readonly (number | bigint)[] }
  | { readonly kind: 'pointer'; readonly address: number }
  | { readonly kind: 'window'; readonly window: number }
  | { readonly kind: 'devComm'; readonly devComm: number };

export interface SentLaunch {
  readonly executable: number;
  readonly stream: number;
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly args: readonly SentArg[];
  /** The number of the signal that may cancel it. */
  readonly signal: number | undefined;
}

/** A message of a member to the world. */
export type ToWorld =
  | { readonly kind: 'join'; readonly terms: WorldTerms; readonly device: DeviceDescription }
  | { readonly kind: 'gpu'; readonly news: GpuNews }
  | { readonly kind: 'call'; readonly number: number; readonly call: WorldCall }
  | { readonly kind: 'launch'; readonly launch: SentLaunch }
  | { readonly kind: 'cancel'; readonly signal: number; readonly reason: SentError }
  | { readonly kind: 'host'; readonly state: HostState }
  /** The results that have arrived, and after which the host's state is known again. */
  | { readonly kind: 'heard'; readonly results: number }
  | { readonly kind: 'abort'; readonly reason: SentError };

/** A message of the world to a member. */
export type ToPlace =
  | { readonly kind: 'come' }
  | { readonly kind: 'welcome' }
  | { readonly kind: 'refused'; readonly error: SentError }
  | { readonly kind: 'gpu'; readonly calls: readonly GpuCall[] }
  | { readonly kind: 'result'; readonly to: number; readonly result: WorldResult }
  | { readonly kind: 'error'; readonly to: number; readonly error: SentError }
  | { readonly kind: 'stall'; readonly error: SentError | undefined }
  /** Ends all replies. */
  | { readonly kind: 'over'; readonly error: SentError };
