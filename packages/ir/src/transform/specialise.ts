import { NcclError, scalarInfo, showValue, WARP_SIZE, type ScalarKind } from '@nccl-ts/core';
import { isScalarValue, isWide, type ScalarValue } from '../arithmetic/scalar-value.ts';
import { constant } from '../build/leaf.ts';
import type { Builtin, Expression } from '../expression.ts';
import type { Module } from '../module.ts';
import { mapBody } from '../visit/map-body.ts';
import { foldBody } from './fold-constants.ts';
import { dispatchExpression, type ExpressionTable } from '../visit/dispatch.ts';
import { expressionTable } from '../visit/with-defaults.ts';

/** The known values of a launch. All are optional. */
export interface Specialisation {
  readonly builtins?: { readonly [B in Builtin]?: number };
  /** The value of a field of parameter number `param`. A nested field has dots in its path. */
  readonly fields?: (param: number, field: string) => ScalarValue | undefined;
  /** The value of parameter number `param`, if it is a scalar. */
  readonly params?: (param: number) => ScalarValue | undefined;
}

/**
 * Specialises `module` for launches with the values in `known`. They are substituted as constants
 * and folded, and branches that cannot run are removed. Unneeded values are never read.
 *
 * Throws `NCCL_INVALID_ARGUMENT` for a value that does not fit its type.
 */
export function specialise(module: Module, known: Specialisation): Module {
  const builtins = deriveBuiltins(known.builtins ?? {});
  const substituted = mapBody(module.body, {
    expression: (e) => dispatchExpression(substitutions, e, { ...known, builtins }),
  });
  const body = foldBody(substituted);
  return body === module.body ? module : Object.freeze({ ...module, body });
}

/** The known values of a launch, including the built-ins that follow from them. */
const substitutions: ExpressionTable<Specialisation, Expression> = /* @__PURE__ */ expressionTable((e) => e, {
  builtin: (e, { builtins }) => replacement(e, builtins?.[e.builtin], e.builtin),
  param: (e, { params }) => replacement(e, params?.(e.param), `parameter ${e.param}`),
  field: (e, { fields }) => {
    const path = fieldPath(e);
    return path === undefined ? e : replacement(e, fields?.(path.param, path.field), `field ${path.field}`);
  },
});

function replacement(e: Expression, value: ScalarValue | undefined, what: string): Expression {
  if (value === undefined || e.type.kind !== 'scalar') return e;
  return constant(e.type.scalar, fitting(e.type.scalar, value, what), e.span);
}

/**
 * Converts `value` to the representation of a constant of `kind`. Numbers become bigints or
 * booleans if the type requires that.
 */
function fitting(kind: ScalarKind, value: ScalarValue, what: string): ScalarValue {
  let fitted = value;
  if (isWide(kind) && typeof value === 'number' && Number.isInteger(value)) fitted = BigInt(value);
  if (!isWide(kind) && typeof value === 'bigint' && BigInt.asIntN(53, value) === value) fitted = Number(value);
  if (scalarInfo[kind].class === 'bool' && (fitted === 0 || fitted === 1)) fitted = fitted === 1;
  if (isScalarValue(kind, fitted)) return fitted;
  throw new NcclError(
    'NCCL_INVALID_ARGUMENT',
    `Cannot specialise ${what} to ${showValue(value)}: expected a value of ${kind}.`,
  );
}

/** The parameter of which `e` reads a field at any depth, and the path to the field. */
function fieldPath(e: Expression): { readonly param: number; readonly field: string } | undefined {
  if (e.kind !== 'field') return undefined;
  if (e.base.kind === 'param') return { param: e.base.param, field: e.field };
  const base = fieldPath(e.base);
  return base === undefined ? undefined : { param: base.param, field: `${base.field}.${e.field}` };
}

/** Adds the values that follow from the known ones. */
function deriveBuiltins(given: { readonly [B in Builtin]?: number }): { readonly [B in Builtin]?: number } {
  const { 'blockDim.x': x, 'blockDim.y': y, 'blockDim.z': z } = given;
  const { 'threadIdx.x': i, 'threadIdx.y': j, 'threadIdx.z': k } = given;
  const known: { [B in Builtin]?: number } = { warpSize: WARP_SIZE, ...given };
  if (x !== undefined && y !== undefined && z !== undefined) known.blockThreads ??= x * y * z;
  if (x !== undefined && y !== undefined && i !== undefined && j !== undefined && k !== undefined) {
    known.threadLinear ??= i + x * (j + y * k);
  }
  if (known.threadLinear !== undefined) known.laneId ??= known.threadLinear % WARP_SIZE;
  return known;
}
