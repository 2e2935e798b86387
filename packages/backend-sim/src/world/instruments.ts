import type { ResolvedSimOptions } from './sim-options.ts';

/** The code that only some worlds need: it checks, or measures simulated time. */
export interface Instruments {
  readonly checking: typeof import('../check/instrument.ts') | undefined;
  readonly tracing: typeof import('@nccl-ts/cost-model/trace') | undefined;
  /** Compiles loops over threads. */
  readonly compiling: typeof import('@nccl-ts/codegen/wasm') | undefined;
}

/** Loads the instruments that the options request, so that other programs do not load them. */
export async function loadInstruments({
  mode,
  trace,
  engine,
}: Pick<ResolvedSimOptions, 'mode' | 'trace' | 'engine'>): Promise<Instruments> {
  const [checking, tracing, compiling] = await Promise.all([
    mode === 'check' ? import('../check/instrument.ts') : undefined,
    trace === undefined ? undefined : import('@nccl-ts/cost-model/trace'),
    engine === 'wasm' ? import('@nccl-ts/codegen/wasm') : undefined,
  ]);
  return { checking, tracing, compiling };
}
