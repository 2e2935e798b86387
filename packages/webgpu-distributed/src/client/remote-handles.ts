import { foreign } from '@nccl-ts/backend-webgpu/devices';
import type { DevCommPlan } from '@nccl-ts/devcomm';
import type { DevCommHandle, DeviceBuffer, Executable, StreamHandle, WindowHandle } from '@nccl-ts/transport';
import type { WindowFlags } from '@nccl-ts/window';

/**
 * Memory of this rank in a world that runs elsewhere. The world identifies it by a number, like all
 * the following objects.
 */
export class RemoteBuffer implements DeviceBuffer {
  readonly number: number;
  readonly rank: number;
  readonly bytes: number;

  constructor(number: number, rank: number, bytes: number) {
    this.number = number;
    this.rank = rank;
    this.bytes = bytes;
  }

  static numberOf(buffer: DeviceBuffer): number {
    if (buffer instanceof RemoteBuffer) return buffer.number;
    throw foreign('buffer');
  }
}

export class RemoteWindow implements WindowHandle {
  readonly number: number;
  readonly bytes: number;
  readonly flags: WindowFlags;
  readonly #addresses: readonly (number | undefined)[];

  constructor(number: number, bytes: number, flags: WindowFlags, addresses: readonly (number | undefined)[]) {
    this.number = number;
    this.bytes = bytes;
    this.flags = flags;
    this.#addresses = addresses;
  }

  static numberOf(window: WindowHandle): number {
    if (window instanceof RemoteWindow) return window.number;
    throw foreign('window');
  }

  static addressOf(window: WindowHandle, peer: number, offset: number): number | undefined {
    if (!(window instanceof RemoteWindow)) throw foreign('window');
    const address = window.#addresses[peer];
    return address === undefined ? undefined : address + offset;
  }
}

export class RemoteDevComm implements DevCommHandle {
  readonly number: number;
  readonly plan: DevCommPlan;

  constructor(number: number, plan: DevCommPlan) {
    this.number = number;
    this.plan = plan;
  }

  static numberOf(devComm: DevCommHandle): number {
    if (devComm instanceof RemoteDevComm) return devComm.number;
    throw foreign('device communicator');
  }
}

export class RemoteStream implements StreamHandle {
  readonly number: number;
  readonly rank: number;

  constructor(number: number, rank: number) {
    this.number = number;
    this.rank = rank;
  }

  static numberOf(stream: StreamHandle): number {
    if (stream instanceof RemoteStream) return stream.number;
    throw foreign('stream');
  }
}

export class RemoteExecutable implements Executable {
  readonly number: number;
  readonly name: string;
  readonly #artifacts: { readonly language: string; readonly text: string }[] = [];

  constructor(number: number, name: string) {
    this.number = number;
    this.name = name;
  }

  /** The artifacts as of the last `synchronize`. */
  get artifacts(): Executable['artifacts'] {
    return [...this.#artifacts];
  }

  /** Called with an artifact that was generated where the world runs. */
  add(artifact: { readonly language: string; readonly text: string }): void {
    this.#artifacts.push(artifact);
  }

  static numberOf(executable: Executable): number {
    if (executable instanceof RemoteExecutable) return executable.number;
    throw foreign('kernel');
  }
}
