import type { ScalarKind } from '@nccl-ts/core';
import type { Type } from '@nccl-ts/ir';
import type { KernelArg } from '@nccl-ts/transport';
import type { CudaSource } from '../cuda-source.ts';
import {
  CU_LAUNCH_PARAM_BUFFER_POINTER,
  CU_LAUNCH_PARAM_BUFFER_SIZE,
  CU_LAUNCH_PARAM_END,
  cuResult,
} from '../ffi/cu-constants.ts';
import type { NativeFunction } from '../ffi/koffi.ts';
import {
  launchAttributeLayout,
  writeLaunchAttribute,
  writeLaunchConfig,
  type LaunchAttribute,
} from '../ffi/launch-struct.ts';
import { allocateNative, setPointer, type NativeMemory } from '../ffi/native-memory.ts';
import type { ArgumentLayout } from './argument-layout.ts';
import { scalarOf, scalarWriters, writeVector } from './argument-writer.ts';
import { CudaDevComm } from './cuda-dev-comm.ts';
import type { CudaDevice } from './cuda-device.ts';
import type { CudaStream } from './cuda-stream.ts';
import { CudaWindow } from './cuda-window.ts';
import { foreign } from './errors.ts';

interface Shape {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** What a launch passes besides its arguments. */
export interface LaunchSetting {
  readonly grid: Shape;
  readonly block: Shape;
  readonly stream: CudaStream;
  readonly attributes: readonly LaunchAttribute[];
}

const mostAttributes = 4;
const attributesAt = 64;
const extraAt = attributesAt + mostAttributes * launchAttributeLayout.bytes;
const sizeAt = extraAt + 5 * 8;
const argumentsAt = Math.ceil((sizeAt + 8) / 16) * 16;

/**
 * A kernel on one GPU, ready to be launched: what the driver reads lies in memory that is written over from launch to
 * launch, and only where it differs from the launch before. The driver has copied everything when the call returns.
 */
export class LaunchSlot {
  readonly device: CudaDevice;
  readonly #function: number;
  readonly #memory: NativeMemory;
  readonly #layout: ArgumentLayout;
  readonly #scalars: readonly (ScalarKind | undefined)[];
  readonly #hasAbort: boolean;
  readonly #launch: NativeFunction;
  /** What was written for a parameter last: handles and device communicators are not written twice. */
  readonly #last: unknown[] = [];
  #setting: LaunchSetting | undefined;
  #lastWord = 0;

  constructor(device: CudaDevice, fn: number, source: CudaSource, types: readonly Type[], layout: ArgumentLayout) {
    this.device = device;
    this.#function = fn;
    this.#layout = layout;
    this.#scalars = types.map(scalarOf);
    this.#hasAbort = source.params.at(-1)?.kind === 'abort';
    this.#launch = device.driver.native('cuLaunchKernelEx');
    this.#memory = allocateNative(device.driver.koffi, argumentsAt + Math.max(layout.bytes, 8));
    const { view, address } = this.#memory;
    const extra = [
      CU_LAUNCH_PARAM_BUFFER_POINTER,
      address + argumentsAt,
      CU_LAUNCH_PARAM_BUFFER_SIZE,
      address + sizeAt,
      CU_LAUNCH_PARAM_END,
    ];
    extra.forEach((value, i) => setPointer(view, extraAt + 8 * i, value));
    setPointer(view, sizeAt, layout.bytes);
    const rankAt = layout.offsets[source.params.findIndex(({ kind }) => kind === 'rank')];
    if (rankAt !== undefined) view.setUint32(argumentsAt + rankAt, device.rank, true);
  }

  /** Hands a launch to the driver. @throws NcclError what the driver says at once. */
  launch(setting: LaunchSetting, args: readonly KernelArg[]): void {
    this.#writeSetting(setting);
    for (let i = 0; i < args.length; i++) {
      const arg = args[i];
      if (arg !== undefined) this.#write(i, arg);
    }
    if (this.#hasAbort) this.#writeAbortWord(setting.stream);
    this.device.makeCurrent();
    const { address } = this.#memory;
    const result = Number(this.#launch(address, this.#function, 0, address + extraAt));
    if (result !== cuResult.success) throw this.device.driver.failure('cuLaunchKernelEx', result);
  }

  /** The bytes of the argument buffer, for tests. */
  get argumentBytes(): Uint8Array {
    return this.#memory.u8.subarray(argumentsAt, argumentsAt + this.#layout.bytes);
  }

  dispose(): void {
    this.#memory.free();
  }

  #writeSetting(setting: LaunchSetting): void {
    const last = this.#setting;
    if (
      last !== undefined &&
      last.stream === setting.stream &&
      last.attributes === setting.attributes &&
      sameShape(last.grid, setting.grid) &&
      sameShape(last.block, setting.block)
    ) {
      return;
    }
    const { view, address } = this.#memory;
    const { grid, block, stream, attributes } = setting;
    attributes.forEach((attribute, i) => writeLaunchAttribute(view, attributesAt, i, attribute));
    const attrs = attributes.length === 0 ? 0 : address + attributesAt;
    const numAttrs = attributes.length;
    writeLaunchConfig(view, 0, { grid, block, sharedBytes: 0, stream: stream.handle, attrs, numAttrs });
    this.#setting = setting;
  }

  #write(index: number, arg: KernelArg): void {
    const { view, u8 } = this.#memory;
    const offset = argumentsAt + (this.#layout.offsets[index] ?? 0);
    switch (arg.kind) {
      case 'scalar': {
        if (Object.is(this.#last[index], arg.value)) return;
        scalarWriters[this.#scalar(index)](view, offset, arg.value);
        this.#last[index] = arg.value;
        return;
      }
      case 'vector':
        writeVector(view, offset, this.#scalar(index), arg.values);
        return;
      case 'pointer':
        if (this.#last[index] === arg.address) return;
        setPointer(view, offset, arg.address);
        this.#last[index] = arg.address;
        return;
      case 'window': {
        const { window } = arg;
        if (this.#last[index] === window) return;
        if (!(window instanceof CudaWindow)) throw foreign('window');
        setPointer(view, offset, window.at(this.device.rank).handle);
        this.#last[index] = window;
        return;
      }
      case 'devComm': {
        const { devComm } = arg;
        if (this.#last[index] === devComm) return;
        if (!(devComm instanceof CudaDevComm)) throw foreign('device communicator');
        u8.set(devComm.at(this.device.rank).u8, offset);
        this.#last[index] = devComm;
        return;
      }
    }
  }

  #writeAbortWord(stream: CudaStream): void {
    const { address } = stream.abortWord;
    if (address === this.#lastWord) return;
    const offset = this.#layout.offsets.at(-1) ?? 0;
    setPointer(this.#memory.view, argumentsAt + offset, address);
    this.#lastWord = address;
  }

  #scalar(index: number): ScalarKind {
    const scalar = this.#scalars[index];
    if (scalar === undefined) throw new RangeError(`Parameter ${index} has no scalar type.`);
    return scalar;
  }
}

function sameShape(a: Shape, b: Shape): boolean {
  return a.x === b.x && a.y === b.y && a.z === b.z;
}
