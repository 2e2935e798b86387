import {
  deviceFn,
  type DeviceFn,
  type OverloadArguments,
  type OverloadRefusal,
  type ScalarParam,
  type ValueParam,
} from '@nccl-ts/kernel';
import { multimemFormats, type MultimemFormat, type MultimemOp } from '../formats.ts';

/** The format and types of a call on a multicast pointer. */
export interface Chosen {
  readonly kind: 'chosen';
  /** The type that the pointer points to, its element type, and the number of elements. */
  readonly type: ValueParam;
  readonly element: ScalarParam;
  readonly width: number;
  readonly format: MultimemFormat;
}

/** The format for the elements of the argument `p`, or the reason why there is none. */
export function chooseFormat({ types }: OverloadArguments): Chosen | OverloadRefusal {
  const type = types['p'];
  if (type === undefined) return refusal('the argument must be a pointer', `pass a multicast pointer: ${allowed()}`);
  const kind = type.kind === 'scalar' ? type.scalar : type.element;
  const width = type.kind === 'scalar' ? 1 : type.width;
  const format = multimemFormats[kind];
  if (format?.widths.includes(width) !== true) {
    return refusal(`multimem has no accesses of type ${nameOf(type)}`, `the types are ${allowed()}`);
  }
  return { kind: 'chosen', type, element: Object.freeze({ kind: 'scalar', scalar: kind }), width, format };
}

/** Returns one of `ops`, or the reason why the operation is not supported. */
export function chooseOp(
  { words }: OverloadArguments,
  { type }: Chosen,
  ops: readonly MultimemOp[],
): MultimemOp | OverloadRefusal {
  const wanted = words['op'] ?? 'add';
  const found = ops.find((op) => op === wanted);
  if (found !== undefined) return found;
  const hint = ops.length === 0 ? 'combine values of a wider type' : `the operations are ${ops.join(', ')}`;
  return refusal(`multimem does not support '${wanted}' of ${nameOf(type)} there`, hint);
}

/** Element `k` of a value, or the value itself if it is not a vector. */
export function partOf(width: number): DeviceFn<(v: number, k: number) => number> {
  return width === 1 ? whole : part;
}

const whole: DeviceFn<(v: number, k: number) => number> = deviceFn({ name: 'whole' }, (_context, v, _k) => v);

const part: DeviceFn<(v: number, k: number) => number> = deviceFn({ name: 'part' }, ({ lane }, v, k) => lane(v, k));

function refusal(reason: string, hint: string): OverloadRefusal {
  return { kind: 'refusal', reason, hint };
}

function nameOf(type: ValueParam): string {
  return type.kind === 'scalar' ? type.scalar : `vec(${type.element}, ${type.width})`;
}

function allowed(): string {
  return Object.entries(multimemFormats)
    .flatMap(([kind, { widths }]) => widths.map((width) => (width === 1 ? kind : `vec(${kind}, ${width})`)))
    .join(', ');
}
