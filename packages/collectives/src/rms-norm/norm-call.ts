import type { Communicator } from '@nccl-ts/communicator';
import { expectInteger, NcclError, reading, scalarInfo, showValue, takeOptions, type ScalarKind } from '@nccl-ts/core';
import { overlap, pointerTo, type Buffer, type BufferPointer } from '../buffer.ts';
import type { NormElement, QuantisedElement } from '../kernels/norm-kernel.ts';

/** How normalised values are converted to a narrower type. */
export interface RMSNormQuantize {
  /** The scale by which every value is divided. */
  readonly scale?: number;
  /**
   * The destination of each row's scale. A row's largest absolute value divided by its scale is 448
   * for e4m3, and 127 for i8. A row of zeros has the scale 0.
   */
  readonly scales?: Buffer<'f32'>;
}

/** The arguments of `allReduceRMSNorm`. */
export interface AllReduceRMSNormArgs {
  /** This rank's part of the sum: `rows` x `hidden` elements of f32, f16 or bf16. */
  readonly send: Buffer;
  /**
   * The residual, with as many elements, which is added to the sum. It must be the same on all
   * ranks.
   *
   * @default none
   */
  readonly residual?: Buffer;
  /** The destination of the sum with the residual. @default `residual` */
  readonly residualOut?: Buffer;
  /** `hidden` factors, the same on all ranks. @default all are 1 */
  readonly weight?: Buffer;
  /**
   * The destination of the normalised rows. They have the type of `send`, or e4m3 or i8 with
   * `quantize`.
   */
  readonly out: Buffer;
  readonly rows: number;
  readonly hidden: number;
  /** Added to the mean of the squares. @default 1e-6 */
  readonly epsilon?: number;
  /** A scale, or a destination for the scale of each row. @default none */
  readonly quantize?: RMSNormQuantize;
}

/** Arguments that have been checked. */
export interface NormCall {
  readonly send: BufferPointer;
  readonly residual: BufferPointer | undefined;
  readonly residualOut: BufferPointer | undefined;
  readonly weight: BufferPointer | undefined;
  readonly out: BufferPointer;
  readonly element: NormElement;
  readonly output: NormElement | QuantisedElement;
  readonly scale: number | undefined;
  readonly scales: BufferPointer | undefined;
  readonly rows: number;
  readonly hidden: number;
  readonly epsilon: number;
}

const what = 'allReduceRMSNorm';

/** The largest number of elements that a kernel counts with 32 bits. */
const MOST_ELEMENTS = 2 ** 31 - 1;

function invalid(text: string): NcclError {
  return new NcclError('NCCL_INVALID_ARGUMENT', `${what}: ${text}`);
}

/** @throws NcclError `NCCL_INVALID_ARGUMENT` if an argument does not fit. */
export function checkedNorm(comm: Communicator, args: AllReduceRMSNormArgs): NormCall {
  return reading(what, () => checked(comm, args));
}

function checked(comm: Communicator, given: AllReduceRMSNormArgs): NormCall {
  if (typeof comm?.launch !== 'function') throw invalid(`comm must be a communicator; given ${showValue(comm)}.`);
  const args = takeOptions(what, given, {
    send: true,
    residual: true,
    residualOut: true,
    weight: true,
    out: true,
    rows: true,
    hidden: true,
    epsilon: true,
    quantize: true,
  });
  const { rows, hidden, epsilon = 1e-6 } = args;
  expectInteger(`${what}: hidden`, hidden, 1, MOST_ELEMENTS);
  expectInteger(`${what}: rows`, rows, 0, Math.floor(MOST_ELEMENTS / hidden));
  if (typeof epsilon !== 'number' || !(epsilon >= 0) || epsilon === Infinity) {
    throw invalid(`epsilon must be a number of at least 0; given ${showValue(epsilon)}.`);
  }
  const count = rows * hidden;
  const at = (buffer: Buffer, elements: number, name: string): BufferPointer =>
    pointerTo(buffer, elements, `${what}: ${name}`);
  const send = at(args.send, count, 'send');
  const element = elementOf(send.element);
  const alike = (buffer: Buffer | undefined, elements: number, name: string): BufferPointer | undefined => {
    if (buffer === undefined) return undefined;
    const pointer = at(buffer, elements, name);
    if (pointer.element !== element) {
      throw invalid(`${name} must have elements of type ${element}, as send has; given ${pointer.element}.`);
    }
    return pointer;
  };
  const residual = alike(args.residual, count, 'residual');
  if (residual === undefined && args.residualOut !== undefined) {
    throw invalid('cannot store residualOut because there is no residual; pass residual too.');
  }
  const residualOut = alike(args.residualOut, count, 'residualOut') ?? residual;
  const weight = alike(args.weight, hidden, 'weight');
  const out = at(args.out, count, 'out');
  const { output, scale, scales } = quantised(args.quantize, element, out.element, rows);
  const call: NormCall = {
    send,
    residual,
    residualOut,
    weight,
    out,
    element,
    output,
    scale,
    scales,
    rows,
    hidden,
    epsilon,
  };
  checkOverlaps(call);
  return call;
}

function elementOf(kind: ScalarKind): NormElement {
  if (kind === 'f32' || kind === 'f16' || kind === 'bf16') return kind;
  throw invalid(`send must have elements of type f32, f16 or bf16; given ${kind}.`);
}

function quantised(
  quantize: RMSNormQuantize | undefined,
  element: NormElement,
  out: ScalarKind,
  rows: number,
): Pick<NormCall, 'output' | 'scale' | 'scales'> {
  if (quantize === undefined) {
    if (out === element) return { output: element, scale: undefined, scales: undefined };
    const hint = out === 'e4m3' || out === 'i8' ? '; pass quantize' : '';
    throw invalid(`out must have elements of type ${element}, as send has; given ${out}${hint}.`);
  }
  const { scale, scales } = takeOptions(`${what}: quantize`, quantize, { scale: true, scales: true });
  if (out !== 'e4m3' && out !== 'i8') {
    throw invalid(`out must have elements of type e4m3 or i8 because quantize is given; given ${out}.`);
  }
  if ((scale === undefined) === (scales === undefined)) {
    throw invalid('quantize must have either scale or scales; pass one of them.');
  }
  if (scales !== undefined) {
    const pointer: BufferPointer = pointerTo(scales, rows, `${what}: quantize.scales`);
    if (pointer.element !== 'f32') {
      throw invalid(`quantize.scales must have elements of type f32; given ${pointer.element}.`);
    }
    return { output: out, scale: undefined, scales: pointer };
  }
  if (typeof scale !== 'number' || !(scale > 0) || scale === Infinity) {
    throw invalid(`quantize.scale must be a number above 0; given ${showValue(scale)}.`);
  }
  return { output: out, scale, scales: undefined };
}

/**
 * Rows may be normalised in place, and the residual may be added in place. No other buffers may
 * overlap.
 */
function checkOverlaps(call: NormCall): void {
  const { send, residual, residualOut, weight, out, scales, rows, hidden } = call;
  const named = { send, residual, residualOut, weight, out, scales };
  const bytesOf = (name: string, { element }: BufferPointer): number =>
    (name === 'weight' ? hidden : name === 'scales' ? rows : rows * hidden) * scalarInfo[element].bytes;
  const present = Object.entries(named).flatMap(([name, pointer]) =>
    pointer === undefined ? [] : [{ name, pointer }],
  );
  for (const stored of present) {
    if (stored.name !== 'out' && stored.name !== 'residualOut' && stored.name !== 'scales') continue;
    for (const other of present) {
      if (other === stored) continue;
      const { kind } = overlap(
        stored.pointer,
        bytesOf(stored.name, stored.pointer),
        other.pointer,
        bytesOf(other.name, other.pointer),
      );
      const inPlace =
        kind === 'same' &&
        ((stored.name === 'out' && other.name === 'send') ||
          (stored.name === 'residualOut' && other.name === 'residual'));
      if (kind === 'apart' || inPlace) continue;
      throw invalid(`cannot store ${stored.name} because it overlaps ${other.name}; pass separate memory.`);
    }
  }
}
