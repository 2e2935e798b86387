import { templateArguments } from './element-types.ts';
import { templateNamesBefore } from './source-parameters.ts';

/** A field of a struct as a source declares it. */
export interface SourceField {
  readonly name: string;
  /** The type without qualifiers: `float *`. */
  readonly type: string;
  readonly offset: number;
  /** The number of elements of an array. */
  readonly count?: number;
}

/** The sizes of types that have no definition in a source. */
const sizes: Readonly<Record<string, number>> = {
  bool: 1,
  char: 1,
  'signed char': 1,
  'unsigned char': 1,
  int8_t: 1,
  uint8_t: 1,
  short: 2,
  'unsigned short': 2,
  int16_t: 2,
  uint16_t: 2,
  half: 2,
  __half: 2,
  __nv_bfloat16: 2,
  nv_bfloat16: 2,
  int: 4,
  unsigned: 4,
  'unsigned int': 4,
  int32_t: 4,
  uint32_t: 4,
  float: 4,
  long: 8,
  'unsigned long': 8,
  'long long': 8,
  'unsigned long long': 8,
  int64_t: 8,
  uint64_t: 8,
  size_t: 8,
  double: 8,
  cudaStream_t: 8,
};

/** The values of names in array bounds. */
type Constants = ReadonlyMap<string, number>;

/** A struct as its source declares it. */
interface SourceStruct {
  readonly fields: readonly SourceField[];
  readonly bytes: number;
  readonly align: number;
  /** False if a field's size is not known here, at which the fields end. */
  readonly isWhole: boolean;
}

/** Bases and members are followed so deep. */
const MOST_DEPTH = 8;

/**
 * Returns the fields of the struct `name` (without namespace and template arguments) that one of
 * the texts defines, with their offsets. Fields of its base come first, and those of a struct in it
 * have both names. The fields end before the first whose size is not known here. `undefined` if
 * there is none. An enum has the size of an int.
 */
export function sourceStruct(
  texts: readonly string[],
  name: string,
  templates: readonly string[] = [],
): readonly SourceField[] | undefined {
  const codes = texts.map((text) => text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/gu, ' '));
  const constants = new Map(codes.flatMap((code) => [...constantsIn(code)]));
  const enums = new Set(
    codes.flatMap((code) => [...code.matchAll(/\benum\s+(?:class\s+|struct\s+)?(\w+)/gu)].map(([, one = '']) => one)),
  );
  const plain = codes.map((code) => code.replaceAll(/^\s*#[^\n]*/gmu, ''));
  return new StructReader(plain, constants, enums).read(name, templates)?.fields;
}

class StructReader {
  readonly #codes: readonly string[];
  readonly #constants: Constants;
  readonly #enums: ReadonlySet<string>;
  #depth = 0;

  constructor(codes: readonly string[], constants: Constants, enums: ReadonlySet<string>) {
    this.#codes = codes;
    this.#constants = constants;
    this.#enums = enums;
  }

  read(name: string, templates: readonly string[]): SourceStruct | undefined {
    if (this.#depth >= MOST_DEPTH) return undefined;
    const head = new RegExp(
      `\\bstruct\\s+(?:(?:__align__|alignas)\\s*\\(\\d+\\)\\s*)?${name.replaceAll(/\W/gu, '')}\\s*(?::\\s*(?:public\\s+)?([\\w:]+)\\s*(<[^<>{};]*>)?\\s*)?\\{`,
      'u',
    );
    for (const code of this.#codes) {
      const start = head.exec(code);
      const body = start === null ? undefined : balanced(code.slice(start.index + start[0].length));
      if (start === null || body === undefined) continue;
      this.#depth++;
      const base = start[1] === undefined ? undefined : this.read(lastOf(start[1]), templates);
      const names = templateNamesBefore(code.slice(0, start.index)) ?? [];
      const made =
        start[1] !== undefined && base?.isWhole !== true ? undefined : this.#fieldsOf(body, names, templates, base);
      this.#depth--;
      return made;
    }
    return undefined;
  }

  #fieldsOf(
    body: string,
    names: readonly string[],
    templates: readonly string[],
    base: SourceStruct = { fields: [], bytes: 0, align: 1, isWhole: true },
  ): SourceStruct {
    const bound = names.flatMap((one, i): readonly (readonly [string, number])[] =>
      /^\d+$/u.test(templates[i] ?? '') ? [[one, Number(templates[i])]] : [],
    );
    const types = new Map(names.map((one, i) => [one, templates[i] ?? '']));
    const constants = new Map([...this.#constants, ...constantsIn(body), ...bound]);
    const fields = [...base.fields];
    let end = base.bytes;
    let align = base.align;
    for (const declaration of declarations(body)) {
      const found = declared(declaration, constants);
      if (found === undefined) return { fields, bytes: end, align, isWhole: false };
      const type = types.get(found.base) ?? found.base;
      for (const { field, stars, count } of found.names) {
        const inner = stars > 0 ? undefined : this.#memberOf(type);
        const size = stars > 0 ? 8 : (inner?.bytes ?? sizes[type] ?? (this.#enums.has(type) ? 4 : undefined));
        if (size === undefined) return { fields, bytes: end, align, isWhole: false };
        const alignment = inner?.align ?? size;
        const offset = Math.ceil(end / alignment) * alignment;
        if (inner !== undefined && count === undefined) {
          for (const one of inner.fields)
            fields.push({
              ...one,
              name: `${field}${field.endsWith('_') ? '' : '_'}${one.name}`,
              offset: offset + one.offset,
            });
        } else {
          fields.push({
            name: field,
            type: `${type}${' *'.repeat(stars)}`,
            offset,
            ...(count === undefined ? {} : { count }),
          });
        }
        end = offset + size * (count ?? 1);
        align = Math.max(align, alignment);
      }
    }
    return { fields, bytes: Math.ceil(end / align) * align, align, isWhole: true };
  }

  #memberOf(type: string): SourceStruct | undefined {
    if (Object.hasOwn(sizes, type) || this.#enums.has(type)) return undefined;
    const inner = this.read(lastOf(type.replace(/<.*$/su, '')), templateArguments(type));
    return inner?.isWhole === true ? inner : undefined;
  }
}

/** A name without its namespaces. */
function lastOf(name: string): string {
  return name.replace(/^.*::/su, '');
}

/** The text up to the brace that closes it. */
function balanced(code: string): string | undefined {
  let depth = 1;
  for (let i = 0; i < code.length; i++) {
    if (code[i] === '{') depth++;
    else if (code[i] === '}' && --depth === 0) return code.slice(0, i);
  }
  return undefined;
}

/** The declarations of data in a body: without functions, types and static members. */
function declarations(body: string): readonly string[] {
  // Initial values and bodies of functions are gone, and with them the inner semicolons.
  let text = '';
  let depth = 0;
  for (const c of body) {
    if (c === '{') depth++;
    if (depth === 0) text += c;
    if (c === '}' && --depth === 0) text += ' @;';
  }
  return text
    .split(';')
    .map((one) => one.replaceAll(/\b(?:public|private|protected)\s*:(?!:)/gu, ' ').trim())
    .filter((one) => one !== '' && !/^(?:static|using|typedef|friend|template|enum|union|struct \w+ @)\b/u.test(one))
    .filter((one) => !/\(/u.test(one.replaceAll(/\b(?:alignas|__align__)\s*\([^)]*\)/gu, '')))
    .map((one) => one.replace(/\s*@$/u, ''));
}

function declared(
  declaration: string,
  constants: Constants,
):
  | {
      readonly base: string;
      readonly names: readonly { readonly field: string; readonly stars: number; readonly count?: number }[];
    }
  | undefined {
  const plain = declaration
    .replaceAll(/\b(?:const|volatile|restrict|struct|enum|mutable)\b|__restrict__|__restrict\b/gu, ' ')
    .replaceAll(/\b(?:alignas|__align__)\s*\([^)]*\)/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim();
  const head = /^((?:(?:unsigned|signed|long|short|int|char)\b ?)+|[\w:]+(?:<[^<>]*>)?) ?(.*)$/u.exec(plain);
  if (head === null) return undefined;
  const [, base = '', rest = ''] = head;
  const names: { field: string; stars: number; count?: number }[] = [];
  for (const one of rest.split(',')) {
    const parts = /^\s*((?:\*\s*)*)(\w+)\s*((?:\[[^\]]*\]\s*)*)(?:=.*)?$/u.exec(one);
    if (parts === null) return undefined;
    const [, stars = '', field = '', bounds = ''] = parts;
    let count: number | undefined;
    for (const [, bound = ''] of bounds.matchAll(/\[([^\]]*)\]/gu)) {
      const value = /^\s*\d+\s*$/u.test(bound) ? Number(bound) : constants.get(bound.trim().replace(/^.*::/u, ''));
      if (value === undefined) return undefined;
      count = (count ?? 1) * value;
    }
    names.push({ field, stars: stars.replaceAll(' ', '').length, ...(count === undefined ? {} : { count }) });
  }
  return { base: base.trim().replace(/^(?:std|at)::/u, ''), names };
}

function constantsIn(code: string): Constants {
  const found = new Map<string, number>();
  const pattern =
    /\b(?:constexpr|const)\b[^;=(){}]*?\b(\w+)\s*=\s*(\d+)\s*;|^\s*#\s*define\s+(\w+)\s+\(?(\d+)\)?\s*$/gmu;
  for (const [, name, value, macro, number] of code.matchAll(pattern))
    found.set(name ?? macro ?? '', Number(value ?? number));
  return found;
}
