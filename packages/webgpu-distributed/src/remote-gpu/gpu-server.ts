import type { AcquiredDevice } from '@nccl-ts/backend-webgpu/devices';
import {
  deviceObject,
  gpuMethods,
  isGpuMethod,
  queueObject,
  type DeviceDescription,
  type GpuCall,
  type GpuMessage,
} from './gpu-messages.ts';

/** Returns the facts about a device that remote users need. */
export function describeDevice({
  device,
  owned,
  limits,
  features,
  adapterInfo,
  software,
}: AcquiredDevice): DeviceDescription {
  const { vendor, architecture, description } = adapterInfo;
  return {
    owned,
    limits,
    features: [...features],
    info: { vendor, architecture, description, device: device.label, isFallbackAdapter: software },
  };
}

/** Lets another worker or process use this one's device: see `RemoteGpu`. */
export class GpuServer {
  readonly #acquired: AcquiredDevice;
  readonly #send: (news: GpuMessage) => void;
  readonly #objects = new Map<number, object>();

  /** @param send sends to the user of the device */
  constructor(acquired: AcquiredDevice, send: (message: GpuMessage) => void) {
    this.#acquired = acquired;
    this.#send = send;
    const { device } = acquired;
    this.#objects.set(deviceObject, device).set(queueObject, device.queue);
    acquired.onLost(({ details }) => {
      send({ kind: 'lost', reason: textOf(details['reason']), message: textOf(details['message']) });
    });
    acquired.onUncaptured(({ code, cause }) => {
      const name = code === 'NCCLTS_OUT_OF_MEMORY' ? 'GPUOutOfMemoryError' : 'GPUValidationError';
      send({ kind: 'uncaptured', name, message: textOf(property(cause, 'message')) });
    });
  }

  /** Performs the calls, one after another. */
  receive(calls: readonly GpuCall[]): void {
    for (const call of calls) {
      try {
        this.#call(call);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        if (call.reply === undefined) this.#send({ kind: 'uncaptured', name: 'GPUValidationError', message });
        else this.#send({ kind: 'failure', to: call.reply, message });
      }
    }
  }

  #call({ on, name, args, created, reply }: GpuCall): void {
    if (name === 'forget') {
      this.#objects.delete(on);
      return;
    }
    // A caller's device is not destroyed.
    if (name === 'destroy' && on === deviceObject && !this.#acquired.owned) return;
    const target = this.#objects.get(on);
    const method = isGpuMethod(name) ? property(target, name) : undefined;
    if (typeof method !== 'function') throw new TypeError(`There is no object for the call of ${name}.`);
    const result: unknown = Reflect.apply(
      method,
      target,
      args.map((arg) => this.#revived(arg)),
    );
    if (gpuMethods[name] === 'object') this.#keep(created, result);
    if (reply !== undefined) void this.#reply(reply, created, name, target, args, result);
  }

  async #reply(
    to: number,
    created: number | undefined,
    name: string,
    target: unknown,
    args: readonly unknown[],
    result: unknown,
  ): Promise<void> {
    try {
      const value: unknown = await result;
      this.#keep(created, value);
      this.#send({ kind: 'reply', to, value: sendableResult(name, target, args, value) });
    } catch (error) {
      this.#send({ kind: 'failure', to, message: error instanceof Error ? error.message : String(error) });
    }
  }

  #keep(number: number | undefined, object: unknown): void {
    if (number === undefined || typeof object !== 'object' || object === null) return;
    this.#objects.set(number, object);
  }

  #revived(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
    if (Array.isArray(value)) return value.map((one: unknown) => this.#revived(one));
    const number: unknown = Reflect.get(value, 'gpuObject');
    if (typeof number === 'number') return this.#objects.get(number);
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.#revived(one)]));
  }
}

/** Returns the part of a reply that can be sent: mapped bytes, or an error's text. */
function sendableResult(name: string, target: unknown, args: readonly unknown[], value: unknown): unknown {
  if (name === 'mapAsync') {
    const range = property(target, 'getMappedRange');
    const bytes: unknown = typeof range === 'function' ? Reflect.apply(range, target, args.slice(1)) : undefined;
    return bytes instanceof ArrayBuffer ? bytes.slice(0) : undefined;
  }
  if (name !== 'popErrorScope') return undefined;
  return value === null ? null : { message: textOf(property(value, 'message')) };
}

function property(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
