/** The type of a field's value. */
export interface FieldType {
  /** The description for people, such as `a string`. */
  readonly expected: string;
  readonly holds: (value: unknown) => boolean;
}

function isFinite(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isString(value: unknown): value is string {
  return typeof value === 'string';
}

export const text: FieldType = { expected: 'a string', holds: isString };
export const wholeNumber: FieldType = { expected: 'an integer', holds: (value) => Number.isSafeInteger(value) };
export const amount: FieldType = {
  expected: 'a number of microseconds, not negative',
  holds: (value) => isFinite(value) && value >= 0,
};
export const id: FieldType = {
  expected: 'a string or an integer',
  holds: (value) => isString(value) || Number.isSafeInteger(value),
};
/** Two kinds of ids: unique in their process, or in the trace. */
export const scopedId: FieldType = {
  expected: 'an object with either local or global, a string',
  holds: (value) =>
    isObject(value) && Object.keys(value).length === 1 && (isString(value['local']) || isString(value['global'])),
};
export const object: FieldType = { expected: 'an object', holds: isObject };
export const numbers: FieldType = {
  expected: 'an object of one or more numbers',
  holds: (value) => isObject(value) && Object.keys(value).length > 0 && Object.values(value).every(isFinite),
};
export const stack: FieldType = {
  expected: 'an array of strings',
  holds: (value) => Array.isArray(value) && value.every(isString),
};

export function oneOf(...allowed: readonly string[]): FieldType {
  return {
    expected: `one of ${allowed.map((value) => JSON.stringify(value)).join(', ')}`,
    holds: (value) => isString(value) && allowed.includes(value),
  };
}

/** Matches an object in which the field has that type. */
export function objectWith(field: string, type: FieldType): FieldType {
  return {
    expected: `an object whose ${field} is ${type.expected}`,
    holds: (value) => isObject(value) && type.holds(value[field]),
  };
}

/** Matches an object that has the field. */
export function objectHaving(field: string): FieldType {
  return {
    expected: `an object with ${field}`,
    holds: (value) => isObject(value) && value[field] !== undefined,
  };
}
