import { bf16, e4m3, f16, f32, i8, kernel, structParam, u32, type Kernel } from '@nccl-ts/kernel';
import { devComm, symPtr, type DevCommArg, type SymPtr, type SymPtrArg } from '@nccl-ts/devcomm';
import type { ElementParam } from './kernel-shape.ts';
import { allReduceRMSNormRows, type NormRowsOptions } from './norm-rows.ts';
import { rowExchange, type RowExchange } from '../fifo/row-exchange.ts';

/** The element types of rows. */
export type NormElement = 'f32' | 'f16' | 'bf16';
/** The element types of quantised rows. */
export type QuantisedElement = 'e4m3' | 'i8';

const types: Readonly<Record<NormElement | QuantisedElement, ElementParam>> = { f32, f16, bf16, e4m3, i8 };

/** The constants of a kernel. Equal constants select the same kernel. */
export interface NormKey extends Required<Omit<NormRowsOptions, 'element' | 'output'>> {
  readonly element: NormElement;
  readonly output: NormElement | QuantisedElement;
}

interface DeviceNorm {
  readonly send: SymPtr;
  readonly residual: SymPtr;
  readonly residualOut: SymPtr;
  readonly weight: SymPtr;
  readonly out: SymPtr;
  readonly scales: SymPtr;
  readonly inverseScale: number;
  readonly rows: number;
  readonly hidden: number;
  readonly epsilon: number;
}

/** The rows of a launch. A buffer that is not used may be any other buffer. */
export interface NormArg {
  readonly send: SymPtrArg;
  readonly residual: SymPtrArg;
  readonly residualOut: SymPtrArg;
  readonly weight: SymPtrArg;
  readonly out: SymPtrArg;
  readonly scales: SymPtrArg;
  readonly inverseScale: number;
  readonly rows: number;
  readonly hidden: number;
  readonly epsilon: number;
}

/** The arguments of a kernel. */
export interface NormKernelArgs {
  readonly comm: DevCommArg;
  readonly exchange: RowExchange;
  readonly call: NormArg;
}

const made = /* @__PURE__ */ new Map<string, Kernel<NormKernelArgs>>();

/**
 * Returns the kernel for these constants. It is made at its first use, since a world compiles each
 * kernel object once.
 */
export function normKernel(key: NormKey): Kernel<NormKernelArgs> {
  const { element, output, scaling, words, ranks, residual, weight, shuffles, parts, rowsAtOnce } = key;
  const name = [element, output, scaling, words, ranks, residual, weight, shuffles, parts, rowsAtOnce].join(' ');
  let kernelOfKey = made.get(name);
  if (kernelOfKey === undefined) {
    kernelOfKey = makeKernel(key);
    made.set(name, kernelOfKey);
  }
  return kernelOfKey;
}

function makeKernel(key: NormKey): Kernel<NormKernelArgs> {
  const T = types[key.element];
  const Q = types[key.output];
  const call = structParam<DeviceNorm, NormArg>({
    struct: 'NormCall',
    fields: {
      send: symPtr(T),
      residual: symPtr(T),
      residualOut: symPtr(T),
      weight: symPtr(T),
      out: symPtr(Q),
      scales: symPtr(f32),
      inverseScale: f32,
      rows: u32,
      hidden: u32,
      epsilon: f32,
    },
  });
  return kernel(
    {
      name: 'allReduceRMSNorm',
      use: { normRows: allReduceRMSNormRows({ ...key, element: T, output: Q }) },
      params: { comm: devComm, exchange: rowExchange, call },
    },
    ({ normRows }, { comm, exchange, call }) => {
      normRows(comm, exchange, {
        send: call.send.localPtr(),
        residual: call.residual.localPtr(),
        residualOut: call.residualOut.localPtr(),
        weight: call.weight.localPtr(),
        out: call.out.localPtr(),
        scales: call.scales.localPtr(),
        inverseScale: call.inverseScale,
        rows: call.rows,
        hidden: call.hidden,
        epsilon: call.epsilon,
      });
    },
  );
}
