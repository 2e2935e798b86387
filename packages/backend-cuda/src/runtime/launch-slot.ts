import { at } from '@nccl-ts/core';
import type { ScalarKind } from '@nccl-ts/core';
import type { Type } from '@nccl-ts/ir';
import type { Dim3, KernelArg } from '@nccl-ts/transport';
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
import { printerLayout, type ArgumentLayout } from './argument-layout.ts';
import { scalarOf, scalarWriters, writeVector } from './argument-writer.ts';
import { CudaDevComm } from './cuda-dev-comm.ts';
import type { CudaDevice } from './cuda-device.ts';
import type { CudaStream } from './cuda-stream.ts';
import { CudaWindow } from './cuda-window.ts';
import { foreign } from './errors.ts';
import type { PrintRing } from './print-ring.ts';
import { Residency } from './residency.ts';

/** A kernel on one GPU. */
export interface SlotInit {
  readonly device: CudaDevice;
  /** `CUfunction` */
  readonly fn: number;
  /** The types of the module's parameters. */
  readonly types: readonly Type[];
  readonly layout: ArgumentLayout;
  /** The destination of printed lines, if it prints. */
  readonly printer: { readonly ring: PrintRing; readonly firstSite: number } | undefined;
}

/** The shape before the first launch. */
const noShape: Dim3 = { x: 0, y: 0, z: 0 };

const mostAttributes = 4;
const attributesAt = 64;
const extraAt = attributesAt + mostAttributes * launchAttributeLayout.bytes;
const sizeAt = extraAt + 5 * 8;
const argumentsAt = Math.ceil((sizeAt + 8) / 16) * 16;

/**
 * A kernel on one GPU, ready to be launched. The driver's input is kept in memory, and each launch
 * rewrites only what differs from the previous one. The driver has copied everything when the call
 * returns.
 */
export class LaunchSlot {
  readonly device: CudaDevice;
  readonly residency: Residency;
  readonly #function: number;
  readonly #memory: NativeMemory;
  readonly #layout: ArgumentLayout;
  readonly #scalars: readonly (ScalarKind | undefined)[];
  readonly #launch: NativeFunction;
  /**
   * The last value of each parameter. Unchanged handles and device communicators are not rewritten.
   */
  readonly #last: unknown[] = [];
  #stream: CudaStream | undefined;
  #grid: Dim3 = noShape;
  #block: Dim3 = noShape;
  #attributes: readonly LaunchAttribute[] = [];

  constructor({ device, fn, types, layout, printer }: SlotInit) {
    this.device = device;
    this.residency = new Residency(device, fn);
    this.#function = fn;
    this.#layout = layout;
    this.#scalars = types.map(scalarOf);
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
    if (layout.printerAt !== undefined) {
      printer?.ring.writePrinter(view, argumentsAt + layout.printerAt, printer.firstSite);
    }
  }

  /** Passes a launch to the driver. @throws NcclError with the driver's immediate error */
  launch(
    stream: CudaStream,
    grid: Dim3,
    block: Dim3,
    attributes: readonly LaunchAttribute[],
    args: readonly KernelArg[],
  ): void {
    const isPrepared =
      stream === this.#stream &&
      attributes === this.#attributes &&
      sameShape(grid, this.#grid) &&
      sameShape(block, this.#block);
    if (!isPrepared) this.#prepare(stream, grid, block, attributes);
    for (let i = 0; i < args.length; i++) {
      const arg = args[i];
      if (arg !== undefined) this.#write(i, arg);
    }
    this.device.makeCurrent();
    const { address } = this.#memory;
    const result = Number(this.#launch(address, this.#function, 0, address + extraAt));
    if (result !== cuResult.success) throw this.device.driver.failure('cuLaunchKernelEx', result);
  }

  dispose(): void {
    this.#memory.free();
  }

  #prepare(stream: CudaStream, grid: Dim3, block: Dim3, attributes: readonly LaunchAttribute[]): void {
    const { view, address } = this.#memory;
    attributes.forEach((attribute, i) => writeLaunchAttribute(view, attributesAt, i, attribute));
    const attrs = attributes.length === 0 ? 0 : address + attributesAt;
    const numAttrs = attributes.length;
    writeLaunchConfig(view, 0, { grid, block, sharedBytes: 0, stream: stream.handle, attrs, numAttrs });
    if (stream !== this.#stream) this.#writeStream(stream);
    this.#stream = stream;
    this.#grid = grid;
    this.#block = block;
    this.#attributes = attributes;
  }

  /**
   * Writes the values of the stream that the kernel reads: the abort word, and its number for
   * print.
   */
  #writeStream({ abortWord, number }: CudaStream): void {
    const { view } = this.#memory;
    const { abortAt, printerAt } = this.#layout;
    if (abortAt !== undefined) setPointer(view, argumentsAt + abortAt, abortWord.address);
    if (printerAt !== undefined) view.setUint32(argumentsAt + printerAt + printerLayout.stream, number, true);
  }

  #write(index: number, arg: KernelArg): void {
    const { view, u8 } = this.#memory;
    const offset = argumentsAt + at(this.#layout.offsets, index);
    switch (arg.kind) {
      case 'scalar': {
        if (Object.is(this.#last[index], arg.value)) return;
        scalarWriters[this.#scalar(index)](view, offset, arg.value);
        this.#last[index] = arg.value;
        break;
      }
      case 'vector':
        writeVector(view, offset, this.#scalar(index), arg.values);
        break;
      case 'pointer':
        if (this.#last[index] === arg.address) return;
        setPointer(view, offset, arg.address);
        this.#last[index] = arg.address;
        break;
      case 'window': {
        const { window } = arg;
        if (this.#last[index] === window) return;
        if (!(window instanceof CudaWindow)) throw foreign('window');
        setPointer(view, offset, window.at(this.device.rank).handle);
        this.#last[index] = window;
        break;
      }
      case 'devComm': {
        const { devComm } = arg;
        if (this.#last[index] === devComm) return;
        if (!(devComm instanceof CudaDevComm)) throw foreign('device communicator');
        u8.set(devComm.at(this.device.rank).u8, offset);
        this.#last[index] = devComm;
        break;
      }
    }
  }

  #scalar(index: number): ScalarKind {
    const scalar = this.#scalars[index];
    if (scalar === undefined) throw new RangeError(`Parameter ${index} has no scalar type.`);
    return scalar;
  }
}

function sameShape(a: Dim3, b: Dim3): boolean {
  return a.x === b.x && a.y === b.y && a.z === b.z;
}
