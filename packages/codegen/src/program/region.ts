import type { CtaTrace } from './cta-trace.ts';

/** The result for one loop over the threads of a CTA. */
export interface RegionReport {
  /** The name of the function in the generated JavaScript. */
  readonly name: string;
  readonly engine: 'wasm' | 'js';
  /** True if a part of it runs several threads at once. */
  readonly lanes: boolean;
  /** The reason why it is left to JavaScript. */
  readonly reason?: string;
}

/**
 * The WebAssembly functions that generated JavaScript calls, for one module and one memory, and the
 * position of the frame.
 */
export interface BoundRegions {
  readonly compiled: Readonly<Record<string, unknown>>;
  readonly frame: number;
  /** The trace of the CTA whose code runs. Generated code sets it before each call. */
  readonly tracing: { cta: CtaTrace | undefined };
}
