import { isGpuDevice } from '@nccl-ts/backend-webgpu/devices';
import {
  deviceObject,
  gpuMethods,
  isGpuMethod,
  queueObject,
  type DeviceDescription,
  type GpuCall,
  type GpuMethod,
  type GpuMessage,
  type ObjectReference,
} from './gpu-messages.ts';

/** The callbacks of an awaited reply. */
interface PendingReply {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

type Listener = (event: unknown) => void;

/**
 * A remote GPUDevice. Calls on it and on its objects are recorded and sent together. Only promises
 * of WebGPU are awaited. Mapped memory can be read but not written.
 */
export class RemoteGpu {
  readonly device: GPUDevice;
  readonly #send: (calls: readonly GpuCall[]) => void;
  readonly #numbers = new WeakMap<object, number>();
  readonly #pending = new Map<number, PendingReply>();
  readonly #listeners = new Set<Listener>();
  /** Numbers of unreachable objects are freed on the remote side. */
  readonly #registry = new FinalizationRegistry<number>((number) =>
    this.#write({ on: number, name: 'forget', args: [] }),
  );
  #calls: GpuCall[] = [];
  #next = queueObject + 1;
  #lose: (info: { readonly reason: string; readonly message: string }) => void = () => undefined;

  /** @param send sends calls to the device, whose messages must be passed to `receive` */
  constructor(description: DeviceDescription, send: (calls: readonly GpuCall[]) => void) {
    this.#send = send;
    const lost = new Promise((resolve) => {
      this.#lose = resolve;
    });
    const device: unknown = this.#object(deviceObject, {
      limits: description.limits,
      features: new Set(description.features),
      adapterInfo: description.info,
      lost,
      queue: this.#object(queueObject, {}),
      addEventListener: (_type: string, listener: Listener) => void this.#listeners.add(listener),
      removeEventListener: (_type: string, listener: Listener) => void this.#listeners.delete(listener),
    });
    if (!isGpuDevice(device)) throw new TypeError("The proxy of a device lacks some of a device's members.");
    this.device = device;
  }

  /** Takes a message from the device. */
  receive(message: GpuMessage): void {
    switch (message.kind) {
      case 'reply':
        this.#take(message.to)?.resolve(message.value);
        return;
      case 'failure':
        this.#take(message.to)?.reject(new Error(message.message));
        return;
      case 'uncaptured': {
        const error =
          message.name === 'GPUOutOfMemoryError'
            ? new GPUOutOfMemoryError(message.message)
            : new Error(message.message);
        for (const listener of this.#listeners) listener({ error, preventDefault: () => undefined });
        return;
      }
      case 'lost':
        this.lose(message.reason, message.message);
    }
  }

  /** Called when the device, or its worker or tab, is lost. */
  lose(reason: string, message: string): void {
    this.#lose({ reason, message });
    const error = new Error(message);
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }

  #take(number: number): PendingReply | undefined {
    const pending = this.#pending.get(number);
    this.#pending.delete(number);
    return pending;
  }

  /** Creates the proxy of a remote object. Calls of all members except `local` are sent. */
  #object(number: number, local: Readonly<Record<string, unknown>>): object {
    const methods = new Map<string, unknown>();
    const proxy = new Proxy(Object.freeze(local), {
      get: (target, name) => {
        if (typeof name !== 'string') return undefined;
        if (Object.hasOwn(target, name)) return target[name];
        if (!isGpuMethod(name)) return undefined;
        const known = methods.get(name);
        if (known !== undefined) return known;
        const method = (...args: readonly unknown[]): unknown => this.#call(number, name, args);
        methods.set(name, method);
        return method;
      },
    });
    this.#numbers.set(proxy, number);
    return proxy;
  }

  #call(on: number, name: GpuMethod, args: readonly unknown[]): unknown {
    const call = { on, name, args: args.map((arg) => this.#sendable(arg)) };
    switch (gpuMethods[name]) {
      case 'nothing':
        this.#write(call);
        return undefined;
      case 'object': {
        const created = this.#next++;
        this.#write({ ...call, created });
        return this.#create(created, name, args);
      }
      case 'promise':
        return this.#request(call);
      case 'promise of object': {
        const created = this.#next++;
        return this.#request({ ...call, created }).then(() => this.#create(created, name, args));
      }
    }
  }

  #create(number: number, name: GpuMethod, args: readonly unknown[]): object {
    const proxy = name === 'createBuffer' ? this.#buffer(number, args[0]) : this.#object(number, {});
    this.#registry.register(proxy, number);
    return proxy;
  }

  #buffer(number: number, descriptor: unknown): object {
    const of = (name: string): unknown =>
      typeof descriptor === 'object' && descriptor !== null ? Reflect.get(descriptor, name) : undefined;
    let mapped: { readonly bytes: ArrayBuffer; readonly offset: number } | undefined;
    return this.#object(number, {
      size: of('size'),
      usage: of('usage'),
      label: of('label') ?? '',
      mapAsync: async (mode: number, offset = 0, size?: number): Promise<void> => {
        const args = size === undefined ? [mode, offset] : [mode, offset, size];
        const bytes = await this.#request({ on: number, name: 'mapAsync', args });
        if (bytes instanceof ArrayBuffer) mapped = { bytes, offset };
      },
      getMappedRange: (offset = 0, size?: number): ArrayBuffer => {
        if (mapped === undefined) throw new Error('The buffer is not mapped.');
        const begin = offset - mapped.offset;
        return mapped.bytes.slice(begin, size === undefined ? undefined : begin + size);
      },
      unmap: (): void => {
        mapped = undefined;
        this.#write({ on: number, name: 'unmap', args: [] });
      },
    });
  }

  async #request(call: GpuCall): Promise<unknown> {
    const reply = this.#next++;
    return new Promise((resolve, reject) => {
      this.#pending.set(reply, { resolve, reject });
      this.#write({ ...call, reply });
    });
  }

  /** All calls of one task are sent together. */
  #write(call: GpuCall): void {
    if (this.#calls.push(call) > 1) return;
    queueMicrotask(() => {
      const calls = this.#calls;
      this.#calls = [];
      this.#send(calls);
    });
  }

  /** Proxies are sent by number. Bytes are copied at the call. */
  #sendable(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    const number = this.#numbers.get(value);
    if (number !== undefined) return { gpuObject: number } satisfies ObjectReference;
    if (value instanceof ArrayBuffer) return value.slice(0);
    if (ArrayBuffer.isView(value)) {
      return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice();
    }
    if (Array.isArray(value)) return value.map((one: unknown) => this.#sendable(one));
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, this.#sendable(one)]));
  }
}

/** Has the name of WebGPU's own class, by which errors are distinguished. */
class GPUOutOfMemoryError extends Error {}
