import { fixed } from './c-format.ts';

/** A part of a JSON text. */
export type Json = string;

/** An object with its members in this order, without spaces. */
export function jsonObject(members: readonly (readonly [string, Json])[]): Json {
  return `{${members.map(([key, value]) => `${jsonString(key)}:${value}`).join(',')}}`;
}

export function jsonList(items: readonly Json[]): Json {
  return `[${items.join(',')}]`;
}

/**
 * A string with slashes escaped, as nccl-tests does. Characters at which nccl-tests would produce
 * broken text are escaped as well.
 */
export function jsonString(text: string): Json {
  const quoted = JSON.stringify(text).replaceAll('/', '\\/');
  return quoted.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** nccl-tests writes booleans as strings. */
export function jsonBool(value: boolean): Json {
  return jsonString(value ? 'true' : 'false');
}

export function jsonInteger(value: number): Json {
  return fixed(value, 0);
}

/**
 * Six decimals. Values that are not finite are strings, because JSON numbers cannot represent them.
 */
export function jsonDouble(value: number): Json {
  return Number.isFinite(value) ? fixed(value, 6) : jsonString(fixed(value, 6));
}
