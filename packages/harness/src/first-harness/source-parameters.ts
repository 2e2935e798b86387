/** A parameter of a kernel as its source declares it. */
export interface SourceParameter {
  readonly name: string;
  /** The type without qualifiers, as the demangler writes types: `float *`. */
  readonly type: string;
}

/** A kernel as its source declares it. */
export interface SourceKernel {
  readonly parameters: readonly SourceParameter[];
  /** The names of its template parameters, if it is a template. */
  readonly templates?: readonly string[];
}

/**
 * Returns the parameters of the kernel `name` (without namespace and template arguments) that a
 * CUDA C++ text defines; `undefined` if it defines none of that name, or several whose parameters
 * differ.
 */
export function sourceParameters(text: string, name: string): SourceKernel | undefined {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, ' ');
  const found = new Map<string, SourceKernel>();
  const heads = new RegExp(`\\b__global__\\b[^;{}]*?\\b${name.replaceAll(/\W/g, '')}\\s*\\(`, 'g');
  for (const head of code.matchAll(heads)) {
    const from = head.index + head[0].length;
    const list = splitList(withoutDirectives(code.slice(from)));
    const parameters = list?.filter((one) => one.trim() !== '' && one.trim() !== 'void').map(parameterOf);
    if (parameters?.every((one) => one !== undefined) !== true) continue;
    const templates = templateNamesBefore(code.slice(0, head.index));
    found.set(JSON.stringify(parameters), { parameters, ...(templates === undefined ? {} : { templates }) });
  }
  const [first] = found.values();
  return found.size === 1 ? first : undefined;
}

/** The names of the parameters of a template whose head ends a text, but for attributes. */
export function templateNamesBefore(code: string): readonly string[] | undefined {
  const from = code.lastIndexOf('template');
  const rest = code.slice(from);
  if (from < 0 || !rest.startsWith('template') || /[;{}]/u.test(rest)) return undefined;
  const list = splitList(rest.slice(rest.indexOf('<') + 1), '>');
  return list?.map((one) => /(\w+)\s*(?:=.*)?$/su.exec(one.trim())?.[1] ?? '');
}

/** The same without lines of the preprocessor. Of two branches the second is kept. */
function withoutDirectives(code: string): string {
  const end = code.indexOf('{');
  const list = end < 0 ? code : code.slice(0, end);
  return list.replaceAll(/^\s*#\s*if[^#]*?^\s*#\s*else\b/gmu, '#else').replaceAll(/#[^\n]*/gu, '');
}

/** The text up to the bracket that closes it, divided at its commas. */
function splitList(code: string, end: ')' | '>' = ')'): readonly string[] | undefined {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < code.length; at++) {
    const c = code[at];
    if (depth === 0 && (c === ',' || c === end)) {
      parts.push(code.slice(start, at));
      if (c === end) return parts;
      start = at + 1;
    } else if (c === '(' || c === '<' || c === '[') depth++;
    else if (c === ')' || c === '>' || c === ']') depth--;
  }
  return undefined;
}

const qualifiers = /\b(?:const|volatile|restrict|struct|class|enum|typename)\b|__\w+__|\b__restrict\b|&/g;

function parameterOf(text: string): SourceParameter | undefined {
  const [declaration = ''] = text.split('=');
  const plain = declaration.replaceAll(qualifiers, ' ').trim();
  const parts = /^(.*[\s*&>])(\w+)\s*((?:\[[^\]]*\]\s*)*)$/su.exec(plain);
  // A parameter without a name, such as a tag.
  if (parts === null) return /^[\w:<>, ]+$/u.test(plain) ? { name: '', type: plain } : undefined;
  const [, base = '', name = '', arrays = ''] = parts;
  const stars = [...base.matchAll(/\*/g), ...arrays.matchAll(/\[/g)].length;
  return { name, type: `${base.replaceAll('*', ' ').trim().replaceAll(/\s+/g, ' ')}${' *'.repeat(stars)}` };
}
