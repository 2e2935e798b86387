import type { AcquiredDevice } from '../gpu/acquired-device.ts';
import {
  deviceObject,
  gpuMethods,
  isGpuMethod,
  queueObject,
  type DeviceDescription,
  type GpuCall,
  type GpuNews,
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
  readonly #tell: (news: GpuNews) => void;
  readonly #objects = new Map<number, object>();

  /** @param tell sends to the user of the device */
  constructor(acquired: AcquiredDevice, tell: (news: GpuNews) => void) {
    this.#acquired = acquired;
    this.#tell = tell;
    const { device } = acquired;
    this.#objects.set(deviceObject, device).set(queueObject, device.queue);
    acquired.onLost(({ details }) => {
      tell({ kind: 'lost', reason: textOf(details['reason']), message: textOf(details['message']) });
    });
    acquired.onUncaptured(({ code, cause }) => {
      const name = code === 'NCCLTS_OUT_OF_MEMORY' ? 'GPUOutOfMemoryError' : 'GPUValidationError';
      tell({ kind: 'uncaptured', name, message: textOf(property(cause, 'message')) });
    });
  }

  /** Makes the calls, one after another. */
  take(calls: readonly GpuCall[]): void {
    for (const call of calls) {
      try {
        this.#make(call);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        if (call.asks === undefined) this.#tell({ kind: 'uncaptured', name: 'GPUValidationError', message });
        else this.#tell({ kind: 'failure', to: call.asks, message });
      }
    }
  }

  #make({ on, name, args, makes, asks }: GpuCall): void {
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
    if (gpuMethods[name] === 'makes') this.#keep(makes, result);
    if (asks !== undefined) void this.#answer(asks, makes, name, target, args, result);
  }

  async #answer(
    to: number,
    makes: number | undefined,
    name: string,
    target: unknown,
    args: readonly unknown[],
    result: unknown,
  ): Promise<void> {
    try {
      const value: unknown = await result;
      this.#keep(makes, value);
      this.#tell({ kind: 'answer', to, value: answerTo(name, target, args, value) });
    } catch (error) {
      this.#tell({ kind: 'failure', to, message: error instanceof Error ? error.message : String(error) });
    }
  }

  #keep(number: number | undefined, made: unknown): void {
    if (number === undefined || typeof made !== 'object' || made === null) return;
    this.#objects.set(number, made);
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
function answerTo(name: string, target: unknown, args: readonly unknown[], value: unknown): unknown {
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
