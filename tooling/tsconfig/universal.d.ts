/**
 * The globals that Node >= 20.19 and every current browser share, as far as the packages use them.
 *
 * Neither lib "dom" nor @types/node is loaded for packages/*: with either, a `document` or a `process` would compile in
 * code that must run in both places. What is missing here is added here, after a look at both documentations.
 */

interface Console {
  debug(...data: readonly unknown[]): void;
  error(...data: readonly unknown[]): void;
  info(...data: readonly unknown[]): void;
  log(...data: readonly unknown[]): void;
  warn(...data: readonly unknown[]): void;
}
declare const console: Console;

interface Performance {
  readonly timeOrigin: number;
  now(): number;
}
declare const performance: Performance;

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
declare const AbortSignal: {
  readonly prototype: AbortSignal;
  abort(reason?: unknown): AbortSignal;
  timeout(milliseconds: number): AbortSignal;
};

interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
declare const AbortController: {
  readonly prototype: AbortController;
  new (): AbortController;
};

interface Event {
  readonly type: string;
  preventDefault(): void;
}

interface TextEncoder {
  encode(input?: string): Uint8Array<ArrayBuffer>;
}
declare const TextEncoder: {
  readonly prototype: TextEncoder;
  new (): TextEncoder;
};

interface TextDecoder {
  decode(input?: ArrayBuffer | ArrayBufferView): string;
}
declare const TextDecoder: {
  readonly prototype: TextDecoder;
  new (label?: string, options?: { readonly fatal?: boolean; readonly ignoreBOM?: boolean }): TextDecoder;
};

interface URL {
  readonly href: string;
  readonly pathname: string;
  toString(): string;
}
declare const URL: {
  readonly prototype: URL;
  new (url: string | URL, base?: string | URL): URL;
};

interface ImportMeta {
  readonly url: string;
}

/** The bytes of a base64 text, as characters up to U+00FF. */
declare function atob(data: string): string;
declare function btoa(data: string): string;
declare function queueMicrotask(callback: () => void): void;
declare function structuredClone<T>(value: T): T;
/** Node returns an object where browsers return a number: hand it back to `clearTimeout`, and nothing else. */
declare function setTimeout(callback: () => void, milliseconds?: number): unknown;
declare function clearTimeout(timer: unknown): void;

/** Messages to all who have opened a channel of the same name, in other workers and tabs too, and not to itself. */
interface BroadcastChannel {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  postMessage(message: unknown): void;
  close(): void;
}
declare const BroadcastChannel: {
  readonly prototype: BroadcastChannel;
  new (name: string): BroadcastChannel;
};

declare const crypto: {
  getRandomValues<T extends ArrayBufferView>(array: T): T;
};
