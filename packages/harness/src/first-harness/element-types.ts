import { wordTable } from '@nccl-ts/core';

const elements: Readonly<Record<string, string>> = wordTable({
  bool: 'u8',
  'signed char': 'i8',
  'unsigned char': 'u8',
  short: 'i16',
  'unsigned short': 'u16',
  int: 'i32',
  'unsigned int': 'u32',
  long: 'i64',
  'unsigned long': 'u64',
  'long long': 'i64',
  'unsigned long long': 'u64',
  float: 'f32',
  double: 'f64',
  int8_t: 'i8',
  uint8_t: 'u8',
  int16_t: 'i16',
  uint16_t: 'u16',
  int32_t: 'i32',
  uint32_t: 'u32',
  int64_t: 'i64',
  uint64_t: 'u64',
  size_t: 'u64',
  unsigned: 'u32',
  half: 'f16',
  nv_bfloat16: 'bf16',
  __half: 'f16',
  __nv_bfloat16: 'bf16',
  BFloat16: 'bf16',
  Half: 'f16',
  char: 'i8',
  int2: 'i32',
  int4: 'i32',
  uint2: 'u32',
  uint4: 'u32',
  float2: 'f32',
  float4: 'f32',
  half2: 'f16',
  __half2: 'f16',
  __nv_bfloat162: 'bf16',
});

/** The element type of a pointer, as a type of the package. */
export function elementOf(pointer: string): string | undefined {
  return elementNamed(pointer.slice(0, pointer.lastIndexOf('*')));
}

/** A type of C++, as a type of the package. */
export function elementNamed(type: string): string | undefined {
  const name = type
    .replaceAll(/\b(?:const|volatile)\b/g, '')
    .trim()
    .replace(/^.*::/u, '');
  return Object.hasOwn(elements, name) ? elements[name] : undefined;
}

/** The template arguments of a demangled function's own name. */
export function templateArguments(title: string): readonly string[] {
  const open = title.indexOf('<');
  const bracket = title.indexOf('(');
  if (open < 0 || (bracket >= 0 && bracket < open && !title.startsWith('('))) return [];
  let depth = 0;
  let from = open + 1;
  const found: string[] = [];
  for (let i = open; i < title.length; i++) {
    const c = title[i];
    if (c === '<' || c === '(') depth++;
    else if (c === '>' || c === ')') depth--;
    if ((depth === 1 && c === ',') || depth === 0) {
      found.push(title.slice(from, i).trim());
      from = i + 1;
    }
    if (depth === 0) return found;
  }
  return [];
}

/** The types of the parameters of a demangled function. */
export function parameterTypes(title: string): readonly string[] {
  const end = title.lastIndexOf(')');
  let depth = 0;
  let from = end;
  const types: string[] = [];
  for (let i = end - 1; i >= 0; i--) {
    const c = title[i];
    if (c === '>' || c === ')') depth++;
    else if (depth > 0 && (c === '<' || c === '(')) depth--;
    else if (depth === 0 && (c === ',' || c === '(')) {
      types.unshift(title.slice(i + 1, from).trim());
      from = i;
      if (c === '(') break;
    }
  }
  return types;
}
