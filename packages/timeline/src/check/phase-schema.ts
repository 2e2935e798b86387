import {
  amount,
  id,
  numbers,
  object,
  objectHaving,
  objectWith,
  oneOf,
  scopedId,
  stack,
  text,
  wholeNumber,
  type FieldType,
} from './fields.ts';

/**
 * The fields of the events of one phase. Other fields may also exist, but have no meaning in the
 * format.
 */
export interface PhaseSchema {
  readonly required: Readonly<Record<string, FieldType>>;
  readonly optional: Readonly<Record<string, FieldType>>;
  /** One of these fields must exist. */
  readonly anyOf?: Readonly<Record<string, FieldType>>;
}

const everywhere = { cat: text, cname: text, tts: amount, args: object };
const onThread = { ts: amount, pid: wholeNumber, tid: wholeNumber };
const inProcess = { ts: amount, pid: wholeNumber };
const stacks = { sf: id, stack };
const ids = { id, id2: scopedId };

function named(required: Readonly<Record<string, FieldType>>, optional: Readonly<Record<string, FieldType>> = {}) {
  return { required: { name: text, ...required }, optional: { ...everywhere, ...optional } };
}

const instant = named(inProcess, { tid: wholeNumber, s: oneOf('g', 'p', 't'), ...stacks });
const async = { ...named(inProcess, { tid: wholeNumber, scope: text }), anyOf: ids };
const flow = named({ ...onThread, id }, { scope: text });
const ofObject = { ...named(inProcess, { tid: wholeNumber, scope: text }), anyOf: ids };
const memoryDump = { required: { ...inProcess, id }, optional: { ...everywhere, name: text, tid: wholeNumber } };
const context = { ...named(inProcess, { tid: wholeNumber }), anyOf: ids };

/** Every phase of the format, including those that it calls deprecated. */
const schemas: Readonly<Record<string, PhaseSchema>> = {
  // Duration events. An end needs neither a name nor a category.
  B: named(onThread, stacks),
  E: { required: onThread, optional: { ...everywhere, name: text, ...stacks } },
  X: named({ ...onThread, dur: amount }, { tdur: amount, ...stacks, esf: id, estack: stack }),
  i: instant,
  I: instant,
  C: named({ ...inProcess, args: numbers }, { tid: wholeNumber, id }),
  b: async,
  n: async,
  e: async,
  S: async,
  T: async,
  p: async,
  F: async,
  s: flow,
  t: flow,
  f: { required: flow.required, optional: { ...flow.optional, bp: oneOf('e') } },
  P: named(onThread, stacks),
  N: ofObject,
  O: { ...ofObject, required: { ...ofObject.required, args: objectHaving('snapshot') } },
  D: ofObject,
  V: memoryDump,
  v: memoryDump,
  R: named(inProcess, { tid: wholeNumber }),
  c: named({ args: objectWith('sync_id', text) }, onThread),
  '(': context,
  ')': context,
};

const ofProcess = { pid: wholeNumber };
const ofThread = { pid: wholeNumber, tid: wholeNumber };

/** The kinds of metadata, by name. */
const metadata: Readonly<Record<string, PhaseSchema>> = {
  process_name: named({ ...ofProcess, args: objectWith('name', text) }, { ts: amount, tid: wholeNumber }),
  process_labels: named({ ...ofProcess, args: objectWith('labels', text) }, { ts: amount, tid: wholeNumber }),
  process_sort_index: named(
    { ...ofProcess, args: objectWith('sort_index', wholeNumber) },
    { ts: amount, tid: wholeNumber },
  ),
  thread_name: named({ ...ofThread, args: objectWith('name', text) }, { ts: amount }),
  thread_sort_index: named({ ...ofThread, args: objectWith('sort_index', wholeNumber) }, { ts: amount }),
};

/** Metadata with names that the format does not define. */
const otherMetadata = named({ args: object }, { ts: amount, pid: wholeNumber, tid: wholeNumber });

/** Returns the schema for an event of this phase and name; undefined for an unknown phase. */
export function schemaOf(phase: string, name: unknown): PhaseSchema | undefined {
  if (phase === 'M') return typeof name === 'string' ? (own(metadata, name) ?? otherMetadata) : otherMetadata;
  return own(schemas, phase);
}

/**
 * Returns if metadata of this name belongs to a thread, to a process, or is not defined by the
 * format.
 */
export function metadataOwner(name: string): 'thread' | 'process' | undefined {
  const schema = own(metadata, name);
  if (schema === undefined) return undefined;
  return 'tid' in schema.required ? 'thread' : 'process';
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
