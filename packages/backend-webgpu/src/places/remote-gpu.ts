import {
  deviceObject,
  gpuMethods,
  isGpuMethod,
  queueObject,
  type DeviceDescription,
  type GpuCall,
  type GpuMethod,
  type GpuNews,
  type ObjectReference,
} from './gpu-messages.ts';

/** The callbacks of an awaited reply. */
interface Asker {
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
  readonly #askers = new Map<number, Asker>();
  readonly #listeners = new Set<Listener>();
  /** Numbers of unreachable objects are freed on the remote side. */
  readonly #registry = new FinalizationRegistry<number>((number) =>
    this.#write({ on: number, name: 'forget', args: [] }),
  );
  #calls: GpuCall[] = [];
  #next = queueObject + 1;
  #lose: (info: { readonly reason: string; readonly message: string }) => void = () => undefined;

  /** @param send sends calls to the device, whose messages must be passed to `take` */
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
    if (!isDevice(device)) throw new TypeError("The stand-in for a device lacks some of a device's members.");
    this.device = device;
  }

  /** Takes a message from the device. */
  take(news: GpuNews): void {
    switch (news.kind) {
      case 'answer':
        this.#asker(news.to)?.resolve(news.value);
        return;
      case 'failure':
        this.#asker(news.to)?.reject(new Error(news.message));
        return;
      case 'uncaptured': {
        const error =
          news.name === 'GPUOutOfMemoryError' ? new GPUOutOfMemoryError(news.message) : new Error(news.message);
        for (const listener of this.#listeners) listener({ error, preventDefault: () => undefined });
        return;
      }
      case 'lost':
        this.lose(news.reason, news.message);
    }
  }

  /** Called when the device, or its worker or tab, is lost. */
  lose(reason: string, message: string): void {
    this.#lose({ reason, message });
    const error = new Error(message);
    for (const asker of this.#askers.values()) asker.reject(error);
    this.#askers.clear();
  }

  #asker(number: number): Asker | undefined {
    const asker = this.#askers.get(number);
    this.#askers.delete(number);
    return asker;
  }

  /** Creates the proxy of a remote object. `own` members are local, and all others are sent. */
  #object(number: number, own: Readonly<Record<string, unknown>>): object {
    const methods = new Map<string, unknown>();
    const standIn = new Proxy(Object.freeze(own), {
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
    this.#numbers.set(standIn, number);
    return standIn;
  }

  #call(on: number, name: GpuMethod, args: readonly unknown[]): unknown {
    const call = { on, name, args: args.map((arg) => this.#sendable(arg)) };
    switch (gpuMethods[name]) {
      case 'does':
        this.#write(call);
        return undefined;
      case 'makes': {
        const makes = this.#next++;
        this.#write({ ...call, makes });
        return this.#made(makes, name, args);
      }
      case 'asks':
        return this.#ask(call);
      case 'asks and makes': {
        const makes = this.#next++;
        return this.#ask({ ...call, makes }).then(() => this.#made(makes, name, args));
      }
    }
  }

  #made(number: number, name: GpuMethod, args: readonly unknown[]): object {
    const made = name === 'createBuffer' ? this.#buffer(number, args[0]) : this.#object(number, {});
    this.#registry.register(made, number);
    return made;
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
        const bytes = await this.#ask({ on: number, name: 'mapAsync', args });
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

  async #ask(call: GpuCall): Promise<unknown> {
    const asks = this.#next++;
    return new Promise((resolve, reject) => {
      this.#askers.set(asks, { resolve, reject });
      this.#write({ ...call, asks });
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

function isDevice(value: unknown): value is GPUDevice {
  if (typeof value !== 'object' || value === null) return false;
  return typeof Reflect.get(value, 'createBuffer') === 'function' && typeof Reflect.get(value, 'queue') === 'object';
}
