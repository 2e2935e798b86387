import { array, bytes, struct, type Fields } from '../compound-types.ts';
import type { ParameterFacts } from './entry-facts.ts';
import type { MemoryType, TypedValue } from '../memory/memory-type.ts';
import type { ParameterWord } from '../parameter-words.ts';
import { f32, f64, ptr, u16, u32, u64, u8 } from '../scalar-types.ts';
import type { PlanContext, PlannedExpression } from './launch-plan.ts';
import { isPair, multicastOf, plain } from './expressions.ts';
import type { PlannedMemories } from './plan-memory.ts';
import type { ReachedMemory } from './reached-memory.ts';
import type { SourceField } from './source-structs.ts';

/** A field of a struct: one word, or several adjacent words of one kind. */
interface Field {
  readonly offset: number;
  readonly count: number;
  readonly word: ParameterWord;
  readonly name: string;
  readonly declared?: SourceField;
  /** The bytes of an element, for an array of structs that each begin with the word. */
  readonly stride?: number;
}

/** Plans the parts of a struct, and knows the memory of the launch. */
export interface FieldPlanner {
  readonly definitions: string[];
  readonly memories: PlannedMemories;
  nameOf(index: number): string;
  pointer(pointer: {
    readonly name: string;
    readonly type: string;
    readonly reached?: ReachedMemory;
  }): PlannedExpression;
  scalar(name: string | undefined, isFloat: boolean, type: string): PlannedExpression;
  table(memory: string, length: number): PlannedExpression;
}

/** Plans a struct that is passed by value: a table of the peers' addresses, or fields. */
export function planStruct(
  planner: FieldPlanner,
  parameter: ParameterFacts,
  index: number,
  type: string,
  reached: readonly ReachedMemory[],
): PlannedExpression {
  const fields = fieldsOf(parameter, reached);
  const name = planner.nameOf(index);
  const [only] = fields;
  if (only !== undefined && fields.length === 1 && only.word.guess === 'pointer' && only.offset === 0) {
    const room = parameter.bytes / 8;
    const isArray = only.count > 1 || only.word.isIndexed === true;
    if (isArray && Number.isInteger(room)) {
      const inner = /<(.* \*), \d+>$/u.exec(type)?.[1];
      const [target] = reached;
      const memory = planner.memories.add({
        name,
        ...(inner === undefined ? {} : { type: inner }),
        ...(target === undefined ? {} : { reached: target }),
      });
      return planner.table(memory, room);
    }
  }
  const structName = `Param${index}`;
  const { text, make } = structOf(structName, parameter, index, fields);
  planner.definitions.push(text);
  const memoryNames: (string | undefined)[] = [];
  const values: (readonly [string, PlannedExpression])[] = fields.map((field) => {
    const before = planner.memories.all.length;
    const isMulticast = reached.find(({ offset }) => offset === field.offset)?.isMulticast === true;
    const value = isMulticast ? plain('null', () => null) : valueOf(planner, field, name, reached);
    memoryNames.push(planner.memories.all.slice(before).at(-1)?.name);
    return [field.name, value];
  });
  // A multicast address leads to the memory of another field.
  for (const [i, field] of fields.entries()) {
    if (reached.find(({ offset }) => offset === field.offset)?.isMulticast !== true) continue;
    const memoryOf = (at: number): string | undefined => memoryNames[at];
    const named = fields.findIndex((one) => isPair(field.name, one.name));
    const memory = memoryOf(named) ?? memoryOf(i + 1) ?? memoryOf(i - 1);
    if (memory !== undefined) values[i] = [field.name, multicastOf(memory)];
  }
  return {
    text:
      values.length === 0
        ? `${structName}({})`
        : `${structName}({\n${values.map(([key, one]) => `  ${one.text === key ? key : `${key}: ${one.text}`},\n`).join('')}})`,
    imports: values.flatMap(([, one]) => one.imports),
    of: (context) => make(Object.fromEntries(values.map(([key, one]) => [key, fieldValue(one, context)]))),
  };
}

function fieldValue(one: PlannedExpression, context: PlanContext): unknown {
  const value = one.of(context);
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'value' ? value.value : value;
}

function valueOf(
  planner: FieldPlanner,
  { offset, count, word, declared, stride }: Field,
  name: string,
  reached: readonly ReachedMemory[],
): PlannedExpression {
  const target =
    reached.find((one) => one.offset === offset) ??
    reached.find((one) => one.offset >= offset && one.offset < offset + 8 * count);
  const own = declared?.name ?? `${name}_${offset}`;
  const at = declared === undefined ? `at${offset}` : declared.name;
  if (word.guess === 'pointer') {
    const type = declared?.type.replace(/ \[\d*\]$/u, ' *') ?? '';
    const pointer = {
      name: own,
      type: count > 1 && !/\*/u.test(type) ? '' : type,
      ...(target === undefined ? {} : { reached: target }),
    };
    if (count === 1) return planner.pointer(pointer);
    const memory = planner.memories.add(pointer);
    if (stride !== undefined) {
      return {
        text: `peers(${memory}).map((at0) => ({ at0 }))`,
        imports: [],
        of: ({ setup, allocation }) => record(setup.peers(allocation(memory)).map((at0) => ({ at0 }))),
      };
    }
    return { ...planner.table(memory, count), text: `peers(${memory})`, imports: [] };
  }
  if (count > 1) return { text: `todo('${at}, ${count} numbers')`, imports: ['todo'], of: () => new Uint8Array(0) };
  const scalar = planner.scalar(declared?.name, word.guess === 'float', declared?.type ?? '');
  return scalar;
}

function fieldsOf(
  { words, bytes: size, fields: declared }: ParameterFacts,
  reached: readonly ReachedMemory[],
): readonly Field[] {
  const fields: Field[] = [];
  let end = 0;
  for (const [i, word] of words.entries()) {
    // Overlapping reads are one field, represented by the first.
    if (word.offset < end || word.offset < 0) continue;
    const known = declared?.find(({ offset }) => offset === word.offset);
    const last = fields.at(-1);
    // An indexed array ends at the next field of another type.
    const next = words.slice(i + 1).find((one) => one.guess !== word.guess || one.bytes !== word.bytes);
    const at = reached.filter(({ offset }) => offset === word.offset);
    const target = at.find(({ stride }) => stride !== undefined) ?? at[0];
    const before = reached.find(({ offset }) => offset === end - 8);
    const table = reached.find(({ offset: start, stride }) => start > word.offset && stride !== undefined);
    const until = Math.min(next?.offset ?? size, table?.offset ?? size);
    const room = Math.floor((until - word.offset) / word.bytes);
    const stride = (target?.stride ?? 0) > 8 ? target?.stride : undefined;
    if (stride !== undefined) {
      const count = Math.floor((until - word.offset) / stride);
      fields.push({ offset: word.offset, count, word, name: `at${word.offset}`, stride });
      end = word.offset + count * stride;
      continue;
    }
    const isAlike = target?.stride === undefined && isOfKind(target, before) && last?.stride === undefined;
    const count =
      known?.count ?? (word.isIndexed === true && target?.isMulticast !== true ? Math.max(1, Math.min(room, 64)) : 1);
    const isSame = last?.word.guess === word.guess && last.word.bytes === word.bytes && word.offset === end;
    if (isSame && isAlike && word.guess === 'pointer' && known === undefined && last.declared === undefined) {
      fields[fields.length - 1] = { ...last, count: last.count + count };
    } else {
      fields.push({
        offset: word.offset,
        count,
        word,
        name: known?.name ?? `at${word.offset}`,
        ...(known === undefined ? {} : { declared: known }),
      });
    }
    end = word.offset + count * word.bytes;
  }
  return fields;
}

/** True if a kernel uses the memory of two pointers alike, or one of them not at all. */
function isOfKind(one: ReachedMemory | undefined, other: ReachedMemory | undefined): boolean {
  if (one === undefined || other === undefined) return one?.isMulticast !== true && other?.isMulticast !== true;
  const kindOf = ({ isSynchronizing, isStored, isLoaded, isMulticast }: ReachedMemory): string =>
    [isSynchronizing, isStored, isLoaded, isMulticast].join();
  return kindOf(one) === kindOf(other);
}

/** The type of a struct, and its text. Fields that the kernel does not read are gaps. */
function structOf(
  name: string,
  { bytes: size, align }: ParameterFacts,
  index: number,
  fields: readonly Field[],
): { readonly text: string; readonly make: (value: object) => ReturnType<MemoryType<object>> } {
  const lines: string[] = [];
  const types: Record<string, MemoryType> = {};
  let end = 0;
  let natural = 1;
  const pad = (to: number): void => {
    if (to <= end) return;
    lines.push(`gap${end}: bytes(${to - end}),`);
    types[`gap${end}`] = bytes(to - end);
  };
  for (const field of fields) {
    const { offset, count, word, name: key, stride } = field;
    pad(offset);
    const [one, type] = elementType(field);
    lines.push(`${key}: ${count === 1 ? one : `array(${one}, ${count})`},`);
    types[key] = count === 1 ? type : array(type, count);
    end = offset + count * (stride ?? word.bytes);
    natural = Math.max(natural, word.bytes);
  }
  pad(size);
  const head = `/** The ${size} bytes of parameter ${index}: fields that the kernel reads have a type. */`;
  const start = `const ${name} = struct(`;
  const text =
    align === natural
      ? `${head}\n${start}{\n${lines.map((line) => `  ${line}\n`).join('')}});`
      : `${head}\n${start}\n  {\n${lines.map((line) => `    ${line}\n`).join('')}  },\n  { align: ${align} },\n);`;
  const made = struct<Fields>(types, align === natural ? {} : { align });
  return { text, make: (value) => ({ kind: 'value', type: made, value }) };
}

/** A value of a field that is no argument by itself. */
function record(value: unknown): TypedValue {
  return { kind: 'value', type: ptr, value };
}

function elementType({ word, stride }: Field): readonly [string, MemoryType] {
  if (stride === undefined) return wordType(word);
  const gap = stride - word.bytes;
  return [`struct({ at0: ptr, gap8: bytes(${gap}) })`, struct({ at0: ptr, gap8: bytes(gap) })];
}

function wordType({ bytes: size, guess }: ParameterWord): readonly [string, MemoryType] {
  if (guess === 'pointer') return ['ptr', ptr];
  if (guess === 'float') return size === 8 ? ['f64', f64] : ['f32', f32];
  if (size === 8) return ['u64', u64];
  if (size === 4) return ['u32', u32];
  return size === 2 ? ['u16', u16] : ['u8', u8];
}
