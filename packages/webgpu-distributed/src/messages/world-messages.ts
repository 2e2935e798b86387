import type { ExchangeCosts } from '@nccl-ts/backend-webgpu/devices';
import type { DevCommPlan } from '@nccl-ts/devcomm';
import type { Module } from '@nccl-ts/ir';
import type { Dim3, HostState, LaunchReport } from '@nccl-ts/transport';
import type { WindowFlags } from '@nccl-ts/window';
import type { DeviceDescription, GpuCall, GpuMessage } from '../remote-gpu/gpu-messages.ts';
import type { SerializedError } from './serialized-error.ts';

/** The options that must be equal on all ranks of a world. */
export interface SharedOptions {
  readonly ranks: number;
  readonly lsaSize: number;
  readonly exact: boolean;
  readonly checks: boolean;
  readonly fuel: number;
  readonly memoryBytes: number | undefined;
}

/** A rank's request to the world, and its result. Objects of the world are passed by number. */
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
  /** The number of a new object. */
  | { readonly of: 'number'; readonly number: number }
  | { readonly of: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** The start of each rank's copy; `undefined` if this rank cannot access it. */
  | { readonly of: 'window'; readonly number: number; readonly addresses: readonly (number | undefined)[] }
  | { readonly of: 'report'; readonly report: LaunchReport; readonly properties: WorldProperties };

/** The properties of the whole world, sent from where it runs. */
export interface WorldProperties {
  readonly dispatches: number;
  readonly gpuNanoseconds: bigint | undefined;
  readonly exchanged: ExchangeCosts;
  /** The texts generated from the rank's kernels since the last message, by their numbers. */
  readonly artifacts: readonly { readonly executable: number; readonly language: string; readonly text: string }[];
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

/** A message of a rank to the world. */
export type ToWorld =
  | { readonly kind: 'join'; readonly options: SharedOptions; readonly device: DeviceDescription }
  | { readonly kind: 'gpu'; readonly message: GpuMessage }
  | { readonly kind: 'call'; readonly number: number; readonly call: WorldCall }
  | { readonly kind: 'launch'; readonly launch: SentLaunch }
  | { readonly kind: 'cancel'; readonly signal: number; readonly reason: SerializedError }
  | { readonly kind: 'host'; readonly state: HostState }
  /** The number of results that have arrived. The host's state after them was sent before this. */
  | { readonly kind: 'received'; readonly results: number }
  | { readonly kind: 'abort'; readonly reason: SerializedError };

/** A message of the world to a rank. */
export type ToRank =
  /** The world exists. A rank that has sent `join` before sends it again. */
  | { readonly kind: 'open' }
  | { readonly kind: 'joined' }
  | { readonly kind: 'refused'; readonly error: SerializedError }
  | { readonly kind: 'gpu'; readonly calls: readonly GpuCall[] }
  | { readonly kind: 'result'; readonly to: number; readonly result: WorldResult }
  | { readonly kind: 'error'; readonly to: number; readonly error: SerializedError }
  | { readonly kind: 'stall'; readonly error: SerializedError | undefined }
  /** The world has ended, and sends nothing after this. */
  | { readonly kind: 'ended'; readonly error: SerializedError };
