import { showValue } from '@nccl-ts/core';

import { isObject, isString, type FieldType } from './fields.ts';
import { schemaOf } from './phase-schema.ts';
import type { TraceProblem } from './trace-problem.ts';

/** An event with the fields that its phase requires. */
export interface TraceEvent {
  /** Its index in the trace. */
  readonly index: number;
  readonly phase: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** An event, or its own errors. */
export type CheckedEvent =
  | { readonly ok: true; readonly event: TraceEvent }
  | { readonly ok: false; readonly problems: readonly TraceProblem[] };

const exclusive: readonly (readonly [string, string])[] = [
  ['sf', 'stack'],
  ['esf', 'estack'],
  ['id', 'id2'],
];

/** Checks a single event. */
export function checkEvent(value: unknown, index: number): CheckedEvent {
  if (!isObject(value)) {
    return { ok: false, problems: [{ kind: 'notAnObject', event: index, given: showValue(value) }] };
  }
  const { ph, name } = value;
  const schema = isString(ph) ? schemaOf(ph, name) : undefined;
  if (!isString(ph) || schema === undefined) {
    return { ok: false, problems: [{ kind: 'phase', event: index, given: showValue(ph) }] };
  }
  const missing = (field: string, expected: string): TraceProblem => {
    return { kind: 'missing', event: index, phase: ph, field, expected };
  };
  const wrong = (field: string, { expected, holds }: FieldType): readonly TraceProblem[] => {
    const given = value[field];
    if (given === undefined || holds(given)) return [];
    return [{ kind: 'wrong', event: index, phase: ph, field, expected, given: showValue(given) }];
  };
  const { required, optional, anyOf = {} } = schema;
  const choices = Object.entries(anyOf);
  const problems = [
    ...Object.entries(required).flatMap(([field, type]) =>
      value[field] === undefined ? [missing(field, type.expected)] : wrong(field, type),
    ),
    ...(choices.length === 0 || choices.some(([field]) => value[field] !== undefined)
      ? []
      : [
          missing(choices.map(([field]) => field).join(' or '), choices.map(([, type]) => type.expected).join(', or ')),
        ]),
    ...[...Object.entries(optional), ...choices].flatMap(([field, type]) => wrong(field, type)),
    ...exclusive
      .filter(([a, b]) => value[a] !== undefined && value[b] !== undefined)
      .map((fields): TraceProblem => ({ kind: 'together', event: index, fields })),
  ];
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, event: { index, phase: ph, fields: value } };
}
